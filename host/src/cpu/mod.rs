//! LU on the CPU, the matrices of a batch in parallel.
//!
//! Small matrices are worked on by [`lanes`], as many side by side as a vector has lanes. Of larger ones each is worked on by one
//! thread, or by many where matrices are few: recursively, so that nearly all is [`product`]s by faer. What is not, panels and small
//! triangles, is done here in vectors. All divisions are: faer multiplies by reciprocals, which overflow where a pivot is subnormal.

pub(crate) mod batch;
mod columns;
mod det;
mod exchange;
pub(crate) mod factor;
mod finite;
mod groups;
mod inverse;
pub(crate) mod lanes;
mod panel;
mod params;
mod product;
mod solve;
mod substitute;
mod substitute_few;
mod substitute_right;
#[cfg(test)]
mod testing;
mod transfer;
mod triangular;
mod workspace;

use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};
use kernels_gpu::scalar::{c32, c64};

#[cfg(test)]
pub(crate) use testing::for_all_types;

use crate::element::Element;
use lanes::LaneScalar;

/// A scalar type that both the kernels and faer know, and what faer does with it. These are no generic functions, which each crate
/// that calls them would compile anew: that takes long.
pub trait CpuScalar: ComplexField + Element<Scalar = Self> + LaneScalar {
    /// `c + factor * a * b`, in place.
    fn add_product(c: MatMut<'_, Self>, factor: Self, a: MatRef<'_, Self>, b: MatRef<'_, Self>);
}

macro_rules! cpu_scalars {
    ($($t:ident)*) => {$(
        impl CpuScalar for $t {
            fn add_product(c: MatMut<'_, Self>, factor: Self, a: MatRef<'_, Self>, b: MatRef<'_, Self>) {
                matmul(c, Accum::Add, a, b, factor, Par::Seq);
            }
        }
    )*};
}
cpu_scalars!(f32 f64 c32 c64);
