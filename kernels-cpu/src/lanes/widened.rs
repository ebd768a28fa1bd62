//! Copies of 16-bit matrices in f32.

use std::ops::Range;

use numbers::matrix::Matrices;
use simt::global::Global;

use crate::element::Element;
use crate::transfer::{from, start};

/// Some matrices in the type of the arithmetic: themselves, or compact column-major copies in `room`.
///
/// # Safety
/// The matrices may be read, and `room` has place for copies where they are needed.
pub(super) unsafe fn widened<E: Element>(
    matrices: Matrices<E>,
    some: Range<usize>,
    rows: usize,
    columns: usize,
    room: *mut E::Scalar,
) -> Matrices<E::Scalar> {
    // SAFETY: the caller's promise.
    unsafe {
        let copies = room_for(matrices, some.start, rows, columns, room);
        each(matrices, some, rows, columns, room, |matrix, copy| copy.write((*matrix).widen()));
        copies
    }
}

/// As [`widened`], for matrices that are not read.
///
/// # Safety
/// As there.
pub(super) unsafe fn room_for<E: Element>(
    matrices: Matrices<E>,
    first: usize,
    rows: usize,
    columns: usize,
    room: *mut E::Scalar,
) -> Matrices<E::Scalar> {
    // SAFETY: the caller's promise.
    let global = |address| unsafe { Global::new(address) };
    if !E::STORAGE.is_converted() {
        let Matrices { base, pointers, batch_stride, row_stride, col_stride } = from(matrices, first);
        return Matrices { base: global(base.address()), pointers, batch_stride, row_stride, col_stride };
    }
    Matrices {
        base: global(room.expose_provenance() as u64),
        // SAFETY: there are no pointers.
        pointers: unsafe { Global::new(0) },
        batch_stride: (rows * columns) as i64,
        row_stride: 1,
        col_stride: rows as i64,
    }
}

/// Rounds copies back to the matrices they are of.
///
/// # Safety
/// The matrices may be written.
pub(super) unsafe fn narrow<E: Element>(
    matrices: Matrices<E>,
    some: Range<usize>,
    rows: usize,
    columns: usize,
    room: *mut E::Scalar,
) {
    // SAFETY: the caller's promise.
    unsafe { each(matrices, some, rows, columns, room, |matrix, copy| matrix.write(E::narrow(*copy))) }
}

/// Calls a function with each element and its copy, where there are copies.
///
/// # Safety
/// Elements and copies are there.
#[inline(always)]
unsafe fn each<E: Element>(
    matrices: Matrices<E>,
    some: Range<usize>,
    rows: usize,
    columns: usize,
    room: *mut E::Scalar,
    one: impl Fn(*mut E, *mut E::Scalar),
) {
    if !E::STORAGE.is_converted() {
        return;
    }
    let (down, along) = (matrices.row_stride as isize, matrices.col_stride as isize);
    for (w, b) in some.enumerate() {
        // SAFETY: the caller's promise.
        let matrix = unsafe { start(matrices, b) };
        for j in 0..columns {
            for i in 0..rows {
                let offset = i as isize * down + j as isize * along;
                one(matrix.wrapping_offset(offset), room.wrapping_add((w * columns + j) * rows + i));
            }
        }
    }
}
