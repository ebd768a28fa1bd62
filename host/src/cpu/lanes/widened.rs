//! Copies of 16-bit matrices in f32.

use super::group::Group;
use super::vector::MAX_LANES;
use crate::cpu::CpuScalar;
use crate::element::Element;

/// Matrices of a group in the type of the arithmetic: themselves, or compact column-major copies.
pub(super) struct Widened<S> {
    /// Shape (lanes).
    starts: [*mut S; MAX_LANES],
    count: usize,
    row_stride: isize,
    col_stride: isize,
}

impl<S: CpuScalar> Widened<S> {
    /// The matrices of a group; copies lie in `room`.
    ///
    /// # Safety
    /// The matrices may be read, and `room` has place for copies where they are needed.
    pub(super) unsafe fn of<E: Element<Scalar = S>>(
        group: &Group<'_, E>,
        rows: usize,
        columns: usize,
        room: *mut S,
    ) -> Self {
        // SAFETY: the caller's promise.
        let widened = unsafe { Self::room_for(group, rows, columns, room) };
        if E::CONVERSION.is_some() {
            for (&from, &to) in group.starts.iter().zip(&widened.starts) {
                for j in 0..columns {
                    for i in 0..rows {
                        let offset = i as isize * group.row_stride + j as isize * group.col_stride;
                        // SAFETY: the caller's promise.
                        unsafe { to.add(j * rows + i).write((*from.offset(offset)).widen()) };
                    }
                }
            }
        }
        widened
    }

    /// As [`of`](Self::of), for matrices that are not read.
    ///
    /// # Safety
    /// As there.
    pub(super) unsafe fn room_for<E: Element<Scalar = S>>(
        group: &Group<'_, E>,
        rows: usize,
        columns: usize,
        room: *mut S,
    ) -> Self {
        let mut starts = [room; MAX_LANES];
        for (w, start) in starts.iter_mut().enumerate().take(group.starts.len()) {
            *start =
                if E::CONVERSION.is_none() { group.starts[w].cast() } else { room.wrapping_add(w * rows * columns) };
        }
        let count = group.starts.len();
        if E::CONVERSION.is_none() {
            return Self { starts, count, row_stride: group.row_stride, col_stride: group.col_stride };
        }
        Self { starts, count, row_stride: 1, col_stride: rows as isize }
    }

    /// The matrices as a group.
    pub(super) fn group(&self) -> Group<'_, S> {
        Group { starts: &self.starts[..self.count], row_stride: self.row_stride, col_stride: self.col_stride }
    }

    /// Rounds copies back to the matrices they are of.
    ///
    /// # Safety
    /// The matrices may be written.
    pub(super) unsafe fn narrow<E: Element<Scalar = S>>(&self, group: &Group<'_, E>, rows: usize, columns: usize) {
        if E::CONVERSION.is_none() {
            return;
        }
        for (&to, &from) in group.starts.iter().zip(&self.starts) {
            for j in 0..columns {
                for i in 0..rows {
                    let offset = i as isize * group.row_stride + j as isize * group.col_stride;
                    // SAFETY: the caller's promise.
                    unsafe { to.offset(offset).write(E::narrow(*from.add(j * rows + i))) };
                }
            }
        }
    }
}
