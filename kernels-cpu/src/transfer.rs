//! Matrices of a batch, of any strides and types, to the columns that work is done on, and back.

use std::ptr;

use super::view::{MatMut, MatRef};
use numbers::matrix::Matrices;
use simt::Pod;
use simt::global::Global;

use super::columns::Columns;
use super::params::Params;
use super::transpose::transpose;
use crate::element::CpuScalar;
use crate::element::Element;

/// Rows and columns that are copied together where neither is next to each other: their lines stay in the cache.
const TILE: usize = 16;
/// The order from which on copying a matrix is slower than what its columns have to share.
const LARGE: usize = 512;
/// Columns from which on they are copied by many threads.
const MANY: usize = 64;
/// Columns at multiples of so many bytes share few lines of the caches: work on small matrices is slower than copying
/// them.
pub(super) const CONFLICTS: usize = 512;

/// Element `index` of an array.
pub(super) fn at<T: Pod>(array: Global<T>, index: usize) -> *mut T {
    ptr::with_exposed_provenance_mut::<T>(array.address() as usize).wrapping_add(index)
}

/// The matrices from b on.
pub(super) fn from<T: Pod>(m: Matrices<T>, b: usize) -> Matrices<T> {
    if m.pointers.is_null() {
        return Matrices { base: m.base.offset(b as i64 * m.batch_stride), ..m };
    }
    Matrices { pointers: m.pointers.offset(b as i64), ..m }
}

/// The transposed matrices.
pub(super) fn transposed<T: Element>(m: Matrices<T>) -> Matrices<T> {
    Matrices { row_stride: m.col_stride, col_stride: m.row_stride, ..m }
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

/// The columns of matrix b from j on, as a batch of one matrix.
///
/// # Safety
/// It is there.
unsafe fn columns_from<T: Pod>(m: Matrices<T>, b: usize, j: usize) -> Matrices<T> {
    // SAFETY: the caller's promise; a null pointer is none.
    unsafe {
        let first = start(m, b).wrapping_offset(j as isize * m.col_stride as isize);
        Matrices { base: Global::new(first.expose_provenance() as u64), pointers: Global::new(0), ..m }
    }
}

/// Whether matrices with so many rows lie column by column.
fn is_by_columns<T: Element>(m: Matrices<T>, rows: usize) -> bool {
    !T::STORAGE.is_converted() && m.row_stride == 1 && m.col_stride >= rows as i64
}

/// Columns of a workspace to work on matrices of order n that are then written: none where they are worked on where
/// they lie.
pub(super) fn room_for<T: Element>(m: Matrices<T>, n: usize) -> usize {
    let bytes = m.col_stride.unsigned_abs() as usize * size_of::<T>();
    if is_by_columns(m, n) && (n >= LARGE || !bytes.is_multiple_of(CONFLICTS)) { 0 } else { n }
}

/// Columns of a workspace to read matrices of order n column by column.
pub(super) fn copies_of<T: Element>(m: Matrices<T>, n: usize) -> usize {
    if is_by_columns(m, n) { 0 } else { n }
}

/// Columns of a workspace to read matrices of order n column by column or row by row.
pub(super) fn copies_of_lines<T: Element>(m: Matrices<T>, n: usize) -> usize {
    copies_of(m, n).min(copies_of(transposed(m), n))
}

/// Where to work on matrix b, n x n, and whether that is where it lies: else it is `room`.
///
/// # Safety
/// It is there, and nobody else touches it for as long as the result is used.
pub(super) unsafe fn place<'a, T: Element>(
    m: Matrices<T>,
    b: usize,
    n: usize,
    room: MatMut<'a, T::Scalar>,
) -> (MatMut<'a, T::Scalar>, bool) {
    if room_for(m, n) > 0 {
        return (room, false);
    }
    // SAFETY: the caller's promise; without a conversion, elements are scalars.
    (unsafe { MatMut::from_raw_parts_mut(start(m, b).cast(), n, n, 1, m.col_stride as isize) }, true)
}

/// Matrix b, n x n, copied to `room`, unless that has no columns: then where it lies.
///
/// # Safety
/// It is there, and nobody writes it for as long as the result is used.
pub(super) unsafe fn in_room<'a, S: CpuScalar>(
    m: Matrices<S>,
    b: usize,
    n: usize,
    mut room: MatMut<'a, S>,
    params: Params,
) -> MatRef<'a, S> {
    // SAFETY: the caller's promise.
    unsafe {
        if room.ncols() == 0 {
            return MatRef::from_raw_parts(start(m, b), n, n, m.row_stride as isize, m.col_stride as isize);
        }
        load(m, b, room.rb_mut(), params);
        room.into_const()
    }
}

/// Reads matrix b in the arithmetic type.
///
/// # Safety
/// It is there, and nobody writes it.
pub(super) unsafe fn load<T: Element>(m: Matrices<T>, b: usize, to: MatMut<'_, T::Scalar>, params: Params) {
    let columns = to.ncols();
    if params.parallel && columns > MANY {
        let (left, right) = to.split_at_col_mut(columns / 2);
        // SAFETY: the caller's promise, for both parts.
        return unsafe {
            let (first, second) = (columns_from(m, b, 0), columns_from(m, b, columns / 2));
            params.join(|| load(first, 0, left, params), || load(second, 0, right, params));
        };
    }
    let rows = to.nrows();
    let to = Columns::of_mut(to);
    // SAFETY: the caller's promise.
    unsafe {
        let from = start(m, b);
        if T::STORAGE.is_converted() || !(m.row_stride == 1 || m.col_stride == 1) {
            each(m, rows, columns, |i, j, offset| to.at(i, j).write((*from.wrapping_offset(offset)).widen()));
        } else if m.row_stride == 1 {
            for j in 0..columns {
                let from = from.wrapping_offset(j as isize * m.col_stride as isize);
                ptr::copy_nonoverlapping(from.cast_const().cast(), to.at(0, j), rows);
            }
        } else {
            transpose((from.cast(), m.row_stride as isize), to.lines(), rows, columns);
        }
    }
}

/// Writes matrix b.
///
/// # Safety
/// It is there, and nobody else touches it.
pub(super) unsafe fn store<T: Element>(x: MatRef<'_, T::Scalar>, m: Matrices<T>, b: usize, params: Params) {
    let columns = x.ncols();
    if params.parallel && columns > MANY {
        let (left, right) = x.split_at_col(columns / 2);
        // SAFETY: the caller's promise, for both parts.
        return unsafe {
            let (first, second) = (columns_from(m, b, 0), columns_from(m, b, columns / 2));
            params.join(|| store(left, first, 0, params), || store(right, second, 0, params));
        };
    }
    let rows = x.nrows();
    let x = Columns::of(x);
    // SAFETY: the caller's promise.
    unsafe {
        let to = start(m, b);
        if T::STORAGE.is_converted() || !(m.row_stride == 1 || m.col_stride == 1) {
            each(m, rows, columns, |i, j, offset| to.wrapping_offset(offset).write(T::narrow(x.get(i, j))));
        } else if m.row_stride == 1 {
            for j in 0..columns {
                let to = to.wrapping_offset(j as isize * m.col_stride as isize);
                ptr::copy_nonoverlapping(x.at(0, j).cast_const().cast(), to, rows);
            }
        } else {
            transpose(x.lines(), (to.cast(), m.row_stride as isize), columns, rows);
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
