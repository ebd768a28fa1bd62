//! Where the matrices of a group are: one for each lane of a vector.

use std::ops::Range;

use numbers::matrix::Matrices;

use super::number::Number;
use super::vector::{MAX_LANES, Vector};
use crate::transfer::start;

/// The groups that so many matrices make: all are full but for the last one.
#[inline(always)]
pub(super) fn groups<N: Number>(count: usize) -> impl Iterator<Item = Range<usize>> {
    let lanes = N::Vector::LANES;
    (0..count).step_by(lanes).map(move |first| first..count.min(first + lanes))
}

/// A matrix a lane, of parts of scalars. Lanes without a matrix repeat the first one: they read the same, come to the
/// same and write the same.
#[derive(Clone, Copy)]
pub(super) struct Lanes<N: Number> {
    /// Element (0, 0) of each: shape (lanes).
    pub(super) starts: [*mut N::Real; MAX_LANES],
    /// Reals from a row to the next.
    pub(super) row: isize,
    /// Reals from a column to the next.
    pub(super) column: isize,
}

/// Lines of a matrix, which are columns or rows: the elements of each are one after the other in memory.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    /// Reals from a line to the next.
    pub(super) stride: isize,
    /// Whether they are columns.
    pub(super) are_columns: bool,
}

impl<N: Number> Lanes<N> {
    /// The matrices of a group.
    ///
    /// # Safety
    /// Where there are pointers, there is one for each.
    #[inline(never)]
    pub(super) unsafe fn of(matrices: &Matrices<N::Scalar>, group: Range<usize>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::inlined(matrices, group) }
    }

    /// As [`of`](Self::of), which is much scalar code, where nothing else is.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub(super) unsafe fn inlined(matrices: &Matrices<N::Scalar>, group: Range<usize>) -> Self {
        // SAFETY: the caller's promise.
        let first = unsafe { start(*matrices, group.start) };
        let mut starts = [first.cast(); MAX_LANES];
        if matrices.pointers.is_null() && group.len() == N::Vector::LANES {
            for w in 1..N::Vector::LANES {
                starts[w] = first.wrapping_offset(w as isize * matrices.batch_stride as isize).cast();
            }
        } else {
            for w in 1..group.len() {
                // SAFETY: the caller's promise.
                starts[w] = unsafe { start(*matrices, group.start + w) }.cast();
            }
        }
        let parts = N::PARTS as isize;
        Self { starts, row: matrices.row_stride as isize * parts, column: matrices.col_stride as isize * parts }
    }

    /// The lines of the matrices, if elements are next to each other in columns or in rows.
    #[inline(always)]
    pub(super) fn lines(&self) -> Option<Lines> {
        let part = N::PARTS as isize;
        if self.row == part {
            Some(Lines { stride: self.column, are_columns: true })
        } else if self.column == part {
            Some(Lines { stride: self.row, are_columns: false })
        } else {
            None
        }
    }

    /// The columns from j on.
    #[inline(always)]
    pub(super) fn columns_from(self, j: usize) -> Self {
        self.moved(&[j as u32; MAX_LANES])
    }

    /// The lanes, each moved by its own number of columns.
    #[inline(always)]
    pub(super) fn moved(mut self, columns: &[u32; MAX_LANES]) -> Self {
        for w in 0..N::Vector::LANES {
            self.starts[w] = self.starts[w].wrapping_offset(columns[w] as isize * self.column);
        }
        self
    }
}
