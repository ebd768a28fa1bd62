//! Where the matrices of a group are.

use kernels_gpu::scalar::Scalar;

use super::number::Number;
use super::vector::{MAX_LANES, Vector};
use crate::element::Element;

/// Matrices of the same shape and strides, each with a start of its own.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a, T> {
    /// Element (0, 0) of each: from one to as many as there are lanes.
    pub starts: &'a [*mut T],
    /// Elements from a row to the next.
    pub row_stride: isize,
    /// Elements from a column to the next.
    pub col_stride: isize,
}

impl<T> Group<'_, T> {
    /// Fills matrix w with NaN.
    ///
    /// # Safety
    /// It may be written.
    #[cold]
    pub(super) unsafe fn spoil(&self, w: usize, rows: usize, columns: usize)
    where
        T: Element,
    {
        for j in 0..columns {
            for i in 0..rows {
                let offset = i as isize * self.row_stride + j as isize * self.col_stride;
                // SAFETY: the caller's promise.
                unsafe { self.starts[w].offset(offset).write(T::narrow(T::Scalar::NAN)) };
            }
        }
    }

    /// The matrices lane by lane.
    #[inline(always)]
    pub(super) fn lanes<N: Number<Scalar = T>>(&self) -> Lanes<N> {
        let mut starts = [self.starts[0].cast(); MAX_LANES];
        for w in 1..self.starts.len() {
            starts[w] = self.starts[w].cast();
        }
        let parts = N::PARTS as isize;
        Lanes { starts, row: self.row_stride * parts, column: self.col_stride * parts }
    }
}

/// A matrix a lane, of parts of scalars. Lanes without a matrix repeat the first one: they read the same, come to the same and
/// write the same.
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

    /// The transposed matrices.
    #[inline(always)]
    pub(super) fn transposed(self) -> Self {
        Self { row: self.column, column: self.row, ..self }
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
