//! Matrices of a batch, of any strides and types, to the columns that work is done on, and back.

use std::ptr;

use faer::{MatMut, MatRef};
use kernels_gpu::matrix::Matrices;
use simt::Pod;
use simt::global::Global;

use super::columns::Columns;
use crate::element::Element;

/// Rows and columns that are copied together where rows are not next to each other: their lines stay in the cache.
const TILE: usize = 16;

/// Element `index` of an array.
pub(super) fn at<T: Pod>(array: Global<T>, index: usize) -> *mut T {
    ptr::with_exposed_provenance_mut::<T>(array.address() as usize).wrapping_add(index)
}

/// Where matrix b begins.
///
/// # Safety
/// Where there are pointers, there is one for it.
pub(super) unsafe fn start<T: Pod>(m: Matrices<T>, b: usize) -> *mut T {
    if m.pointers.is_null() {
        return at(m.base, 0).wrapping_offset(b as isize * m.batch_stride as isize);
    }
    // SAFETY: the caller's promise.
    ptr::with_exposed_provenance_mut(unsafe { at(m.pointers, b).read() } as usize)
}

/// Reads matrix b in the arithmetic type.
///
/// # Safety
/// It is there, and nobody writes it.
pub(super) unsafe fn load<T: Element>(m: Matrices<T>, b: usize, to: MatMut<'_, T::Scalar>) {
    let (rows, columns) = to.shape();
    let to = Columns::of_mut(to);
    // SAFETY: the caller's promise.
    unsafe {
        let from = start(m, b);
        if T::CONVERSION.is_none() && m.row_stride == 1 {
            for j in 0..columns {
                let from = from.wrapping_offset(j as isize * m.col_stride as isize);
                ptr::copy_nonoverlapping(from.cast_const().cast(), to.at(0, j), rows);
            }
        } else {
            each(m, rows, columns, |i, j, offset| to.at(i, j).write((*from.wrapping_offset(offset)).widen()));
        }
    }
}

/// Writes matrix b.
///
/// # Safety
/// It is there, and nobody else touches it.
pub(super) unsafe fn store<T: Element>(x: MatRef<'_, T::Scalar>, m: Matrices<T>, b: usize) {
    let (rows, columns) = x.shape();
    let x = Columns::of(x);
    // SAFETY: the caller's promise.
    unsafe {
        let to = start(m, b);
        if T::CONVERSION.is_none() && m.row_stride == 1 {
            for j in 0..columns {
                let to = to.wrapping_offset(j as isize * m.col_stride as isize);
                ptr::copy_nonoverlapping(x.at(0, j).cast_const().cast(), to, rows);
            }
        } else {
            each(m, rows, columns, |i, j, offset| to.wrapping_offset(offset).write(T::narrow(x.get(i, j))));
        }
    }
}

/// Calls a function with each row, column and offset, tile by tile.
#[inline(always)]
fn each<T: Pod>(m: Matrices<T>, rows: usize, columns: usize, one: impl Fn(usize, usize, isize)) {
    let (down, along) = (m.row_stride as isize, m.col_stride as isize);
    for first_column in (0..columns).step_by(TILE) {
        for first_row in (0..rows).step_by(TILE) {
            for j in first_column..columns.min(first_column + TILE) {
                for i in first_row..rows.min(first_row + TILE) {
                    one(i, j, i as isize * down + j as isize * along);
                }
            }
        }
    }
}
