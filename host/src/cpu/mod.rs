//! LU on the CPU, one matrix at a time on one thread; callers run matrices in parallel.
//!
//! Matrix products are faer's. Pivoting and everything that divides is done here: faer multiplies by reciprocals, which
//! overflow where a pivot is subnormal.

mod compact;
mod det;
mod factor;
mod inverse;
mod solve;
#[cfg(test)]
mod testing;
mod triangular;

use faer::MatRef;
use faer::traits::ComplexField;
use kernels_gpu::scalar::{Scalar, c32, c64};

pub(crate) use det::determinant;
pub(crate) use factor::factor;
pub(crate) use inverse::invert;
pub(crate) use solve::solve;
#[cfg(test)]
pub(crate) use testing::for_all_types;

use crate::element::Element;

/// A scalar type that both the kernels and faer know.
pub trait CpuScalar: Scalar + ComplexField + Element<Scalar = Self> {}

impl CpuScalar for f32 {}
impl CpuScalar for f64 {}
impl CpuScalar for c32 {}
impl CpuScalar for c64 {}

/// Whether no entry is NaN or infinite.
pub(crate) fn is_finite<T: CpuScalar>(a: MatRef<'_, T>) -> bool {
    a.col_iter().all(|column| column.iter().all(|&x| Scalar::is_finite(x)))
}
