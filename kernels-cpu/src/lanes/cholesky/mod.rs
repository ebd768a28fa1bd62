//! Hermitian positive definite matrices: A = L L^H (LAPACK `xPOTRF`), solutions, inverses and determinants by it.
//!
//! The lower triangle is read, of its diagonal the real part. In a workspace a factored matrix has L in its lower
//! triangle and L^H in the upper one, so that whatever multiplies columns finds its factors in a column, and what
//! [`substitute`](super::substitute) and [`invert`](super::invert) do with U serves here, too.

mod det;
mod factor;
mod gram;
mod inverse;
mod pivot;
mod registers;
mod single;
mod solve;
mod store;
mod triangle;

pub(crate) use det::cholesky_det;
pub(crate) use factor::cholesky;
pub(crate) use inverse::{cholesky_inverse, cholesky_inverse_factored};
pub(crate) use solve::{cholesky_solve, cholesky_solve_factored};

use super::block::Block;
use super::group::Lanes;
use super::interleave::{interleave, interleave_lower};
use super::number::Number;
use super::vector::Vector;

/// Copies the lower triangles of matrices into a block; what is above may come along.
///
/// # Safety
/// As for [`interleave`].
#[inline(always)]
unsafe fn load<N: Number>(from: &Lanes<N>, n: usize, to: Block<N>) {
    // SAFETY: the caller's promise.
    unsafe {
        // Of smaller matrices, all elements are in fewer vectors than the lines of a triangle.
        if 2 * n * N::PARTS > 3 * N::Vector::LANES {
            interleave_lower(from, n, to);
        } else {
            interleave(from, n, n, to);
        }
    }
}
