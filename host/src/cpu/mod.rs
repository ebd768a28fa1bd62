//! The CPU path: one matrix at a time, on one thread, over faer's products.
//!
//! faer's own factorization and triangular solves multiply by reciprocals, which overflow for subnormal pivots, so the
//! small blocks on the diagonal are ours, and divide.

mod det;
mod factor;
mod inverse;
mod solve;

pub(crate) use det::determinant;
pub(crate) use factor::factor;
pub(crate) use inverse::invert;
pub(crate) use solve::solve;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use kernels_gpu::scalar::Scalar;

/// A scalar that both the kernels and faer compute with.
pub trait CpuScalar: Scalar + faer::traits::ComplexField + crate::Element<Scalar = Self> {}

impl<T: Scalar + faer::traits::ComplexField + crate::Element<Scalar = T>> CpuScalar for T {}

/// The real type under a scalar.
type RealOf<T> = <T as Scalar>::Real;

/// Columns of a panel, and order of the blocks on the diagonal.
const BLOCK: usize = 32;

/// c -= a b.
fn subtract_product<T: CpuScalar>(c: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>) {
    matmul(c, Accum::Add, a, b, -T::ONE, Par::Seq);
}

/// Whether all elements are finite.
pub(crate) fn is_finite<T: CpuScalar>(a: MatRef<'_, T>) -> bool {
    (0..a.ncols()).all(|j| (0..a.nrows()).all(|i| Scalar::is_finite(a[(i, j)])))
}
