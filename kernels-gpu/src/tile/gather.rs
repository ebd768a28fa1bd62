//! The columns of a matrix in another order.

use simt::shared::Shared;
use simt::{block, sync_threads, warp};

use crate::matrix::{GlobalMatrix, View};
use crate::scalar::Scalar;

/// Brings column j of a matrix of order `n` to column `to[j]`, so many rows at a time: a power of 2, and `room` for them, shape
/// (at_once, n). By all threads.
#[inline(always)]
pub fn scatter_columns<T: Scalar>(matrix: &GlobalMatrix<T>, to: Shared<u32>, room: Shared<T>, at_once: u32, n: u32) {
    let lane = warp::lane();
    let warps = block::dim() / warp::SIZE;
    // Lanes lie along the rows or along the columns, as memory does.
    let (i, j, columns) =
        if matrix.rows_are_close() { (lane % at_once, lane / at_once, 32 / at_once) } else { (0, lane, 32) };
    let rows = if matrix.rows_are_close() { 1 } else { at_once };
    let mut first = 0;
    while first < n {
        let mut column = j + columns * warp::index();
        while column < n {
            let mut row = i;
            while row < i + rows {
                if first + row < n {
                    room.store(row * n + to.load(column), matrix.load(first + row, column));
                }
                row += 1;
            }
            column += columns * warps;
        }
        sync_threads();
        let mut column = j + columns * warp::index();
        while column < n {
            let mut row = i;
            while row < i + rows {
                if first + row < n {
                    matrix.store(first + row, column, room.load(row * n + column));
                }
                row += 1;
            }
            column += columns * warps;
        }
        sync_threads();
        first += at_once;
    }
}
