//! Interchanges of rows and columns.

use super::view::MatMut;

use super::columns::Columns;
use super::params::Params;
use crate::element::CpuScalar;

/// Exchanges from which on they are left to many threads.
const MANY: usize = 1 << 14;
/// Columns whose rows are exchanged together.
const TOGETHER: usize = 4;

/// Exchanges row k with row `pivots[k]`, k upwards (`xLASWP`).
///
/// # Panics
/// If there is no such row.
pub(super) fn swap_rows<T: CpuScalar>(a: MatMut<'_, T>, pivots: &[u32], params: Params) {
    check(pivots, a.nrows());
    exchange(a, pivots.iter().copied().enumerate(), params);
}

/// The exchanges of [`swap_rows`], undone.
///
/// # Panics
/// As there.
pub(super) fn unswap_rows<T: CpuScalar>(a: MatMut<'_, T>, pivots: &[u32], params: Params) {
    check(pivots, a.nrows());
    exchange(a, pivots.iter().copied().enumerate().rev(), params);
}

/// Exchanges columns as [`unswap_rows`] does rows.
///
/// # Panics
/// If there is no such column.
pub(super) fn unswap_columns<T: CpuScalar>(mut a: MatMut<'_, T>, pivots: &[u32]) {
    let rows = a.nrows();
    check(pivots, a.ncols());
    let a = Columns::of_mut(a.rb_mut());
    for (k, &pivot) in pivots.iter().enumerate().rev() {
        if pivot as usize != k {
            // SAFETY: two columns of a matrix that is borrowed.
            unsafe { std::ptr::swap_nonoverlapping(a.at(0, k), a.at(0, pivot as usize), rows) };
        }
    }
}

fn check(pivots: &[u32], count: usize) {
    assert!(pivots.len() <= count && pivots.iter().all(|&pivot| (pivot as usize) < count), "pivots are in range");
}

/// Exchanges pairs of rows, which are there.
fn exchange<T: CpuScalar>(
    mut a: MatMut<'_, T>,
    pairs: impl ExactSizeIterator<Item = (usize, u32)> + Clone + Send,
    params: Params,
) {
    let columns = a.ncols();
    if params.parallel && columns > TOGETHER && columns * pairs.len() > MANY {
        let (left, right) = a.split_at_col_mut(columns / 2);
        let other = pairs.clone();
        return params.join(|| exchange(left, pairs, params), || exchange(right, other, params));
    }
    let a = Columns::of_mut(a.rb_mut());
    let whole = columns - columns % TOGETHER;
    for first in (0..whole).step_by(TOGETHER) {
        let columns: [*mut T; TOGETHER] = std::array::from_fn(|c| a.at(0, first + c));
        for (i, k) in pairs.clone() {
            for column in columns {
                // SAFETY: the rows are there, the matrix is borrowed.
                unsafe { column.add(i).swap(column.add(k as usize)) };
            }
        }
    }
    for j in whole..columns {
        for (i, k) in pairs.clone() {
            // SAFETY: as above.
            unsafe { a.at(i, j).swap(a.at(k as usize, j)) };
        }
    }
}
