//! The arguments of the kernels of refinement.

use simt::Pod;
use simt::global::Global;

use super::Correction;
use crate::matrix::{Matrices, View};
use crate::scalar::Scalar;

/// Arguments of all kernels of refinement, of solutions in `T` by corrections in `L`.
///
/// What is named for each right-hand side has shape (batch, rhs), what is named for each row (batch, rhs, n).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RefineArgs<T: Scalar, L: Pod = T> {
    /// The matrices, n x n.
    pub a: Matrices<T>,
    /// Right-hand sides, n x rhs.
    pub b: Matrices<T>,
    /// Solutions before this step, n x rhs.
    pub x_before: Matrices<T>,
    /// Solutions after it, n x rhs. May be `x_before`.
    pub x: Matrices<T>,
    /// Matrices in `L`, n x n.
    pub low: Matrices<L>,
    /// Right-hand sides of corrections, then these: a row each.
    pub correction: Global<L>,
    /// b - op(A) x: a row each.
    pub residual: Global<T>,
    /// |op(A)| |x| + |b|; of an improvement in the end |r| + (n + 1) u (|op(A)| |x| + |b|): a row each.
    pub magnitude: Global<T::Real>,
    /// The largest sum of magnitudes of a row, group by group, or infinity where an element overflows in `L`: shape
    /// (batch, [`row_groups`](super::row_groups)).
    pub norm: Global<T::Real>,
    /// What corrections are to be multiplied by, or null: a right-hand side each.
    pub scale: Global<T::Real>,
    /// The component-wise backward error after the last step: a right-hand side each.
    pub error: Global<T::Real>,
    /// The largest |x| in the end: a right-hand side each.
    pub x_size: Global<T::Real>,
    /// Corrections so far, or how it ended, see [`done_after`](super::done_after): a right-hand side each.
    pub state: Global<i32>,
    /// Status of the factors: shape (batch).
    pub status: Global<i32>,
    /// 0 where a right-hand side of the matrix is not done, else 1: shape (batch).
    pub is_done: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// Right-hand sides of each matrix.
    pub rhs: u32,
    /// 1 for the transposed matrix.
    pub transposed: u32,
    /// 1 for the conjugate of the matrix.
    pub conjugated: u32,
    /// 1 in the first step of an improvement: there are no corrections and no states yet.
    pub is_first: u32,
    /// Corrections at most.
    pub most: u32,
}

impl<T: Scalar, L: Correction<T>> RefineArgs<T, L> {
    /// Where a right-hand side of a matrix is, in arrays of them.
    #[inline(always)]
    #[must_use]
    pub fn side(&self, matrix: u64, side: u32) -> i64 {
        matrix as i64 * self.rhs as i64 + side as i64
    }

    /// Where a row of it is.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, matrix: u64, side: u32, row: u32) -> i64 {
        self.side(matrix, side) * self.n as i64 + row as i64
    }

    /// An element of a solution with its correction, which is to be multiplied by `scale`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    #[must_use]
    pub fn corrected(&self, matrix: u64, side: u32, row: u32, scale: T::Real) -> T {
        let x = self.x_before.matrix(matrix).load(row, side);
        if self.is_first != 0 {
            return x;
        }
        x + self.correction.load(self.row(matrix, side, row)).to_wide().scale(scale)
    }
}
