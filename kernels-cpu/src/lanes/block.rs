//! Interleaved matrices in a workspace.

use std::ops::Range;

use numbers::scalar::Scalar;

use super::number::{Mask, Number};
use super::vector::Vector;

/// A matrix of [`Number`]s, column-major: a matrix a lane, element (i, j) of all of them side by side.
pub(super) struct Block<N: Number> {
    /// Shape (columns, leading dimension, parts, lanes).
    start: *mut N::Real,
    /// Reals from a column to the next.
    column: usize,
}

impl<N: Number> Clone for Block<N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<N: Number> Copy for Block<N> {}

/// Numbers from a column to the next. An odd number, where there are many rows, keeps the elements of a row in
/// different sets of the cache.
pub(super) fn leading_dimension(rows: usize) -> usize {
    if rows < 32 { rows } else { rows | 1 }
}

impl<N: Number> Block<N> {
    /// The block of so many rows that begins at `start`. To use its elements, they must be there.
    #[inline(always)]
    pub(super) fn new(start: *mut N::Real, rows: usize) -> Self {
        Self { start, column: leading_dimension(rows) * N::SIZE }
    }

    /// Reals from a column to the next.
    #[inline(always)]
    pub(super) fn column_step(self) -> usize {
        self.column
    }

    /// Where element (i, j) is.
    ///
    /// # Safety
    /// It is in the block.
    #[inline(always)]
    pub(super) unsafe fn at(self, i: usize, j: usize) -> *mut N::Real {
        // SAFETY: the caller's promise.
        unsafe { self.start.add(j * self.column + i * N::SIZE) }
    }

    /// Element (i, j).
    ///
    /// # Safety
    /// It is in the block, has been written, and the CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn get(self, i: usize, j: usize) -> N {
        // SAFETY: the caller's promise.
        unsafe { N::load(self.at(i, j)) }
    }

    /// Writes element (i, j).
    ///
    /// # Safety
    /// It is in the block.
    #[inline(always)]
    pub(super) unsafe fn set(self, i: usize, j: usize, x: N) {
        // SAFETY: the caller's promise.
        unsafe { x.store(self.at(i, j)) }
    }

    /// The columns from `j` on.
    ///
    /// # Safety
    /// It is at most one past the last.
    #[inline(always)]
    pub(super) unsafe fn columns_from(self, j: usize) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self { start: self.at(0, j), ..self } }
    }

    /// Where all of the elements are finite.
    ///
    /// # Safety
    /// They are in the block, have been written, and the CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn is_finite(self, rows: usize, columns: Range<usize>) -> Mask<N> {
        // SAFETY: the caller's promise.
        unsafe {
            let zero = <N::Vector as Vector>::splat(Scalar::ZERO);
            let (mut even, mut odd) = (zero, zero);
            for j in columns {
                // Two sums, so that additions need not wait for each other.
                for i in (0..rows - rows % 2).step_by(2) {
                    even = self.get(i, j).probe(even);
                    odd = self.get(i + 1, j).probe(odd);
                }
                if rows % 2 == 1 {
                    even = self.get(rows - 1, j).probe(even);
                }
            }
            let sum = even.add(odd);
            sum.equal(sum)
        }
    }
}
