//! Permutes the columns of a matrix, in place or on the way to another, by all threads of a block.
//!
//! Each warp copies a few rows to shared memory with their columns in the new order, and from there back.

use simt::global::Global;
use simt::shared::Shared;
use simt::{block, warp};

use numbers::matrix::GlobalMatrix;
use numbers::scalar::Scalar;

/// Loads that a lane issues before it waits for the first of them.
const IN_FLIGHT: usize = 8;

/// Copies column j of a `rows` x `n` matrix to column `to[j]` of another, or of itself, `ROWS` rows a warp at a time.
///
/// `to` has shape (n), and `buffer`, which is this warp's own, has shape (ROWS, n).
#[inline(always)]
pub fn scatter_columns<T: Scalar, const ROWS: usize>(
    (source, target): (&GlobalMatrix<T>, &GlobalMatrix<T>),
    to: Shared<u32>,
    buffer: Shared<T>,
    (rows, n): (u32, u32),
) {
    let count = (ROWS as u32 * n).div_ceil(warp::SIZE).next_multiple_of(IN_FLIGHT as u32);
    let mut first = ROWS as u32 * warp::index();
    while first < rows {
        let at = (first, rows, n);
        let mut e = 0;
        while e < count {
            let mut x = [T::ZERO; IN_FLIGHT];
            visit::<T, ROWS>(source, at, e, |u, _, _, at| x[u] = at.load(0));
            visit::<T, ROWS>(source, at, e, |u, i, j, _| buffer.store(i * n + to.load(j), x[u]));
            e += IN_FLIGHT as u32;
        }
        warp::sync(warp::ALL);
        let mut e = 0;
        while e < count {
            visit::<T, ROWS>(target, at, e, |_, i, j, at| at.store(0, buffer.load(i * n + j)));
            e += IN_FLIGHT as u32;
        }
        warp::sync(warp::ALL);
        first += ROWS as u32 * (block::dim() / warp::SIZE);
    }
}

/// Calls `f(u, i, j, at)` for this lane's elements `e..e + IN_FLIGHT` of `ROWS` of the `end` rows, from `first` on.
///
/// Element `e + u` is in row `first + i` and column j, at `at`. Neighbouring lanes have neighbours in memory.
#[inline(always)]
fn visit<T: Scalar, const ROWS: usize>(
    matrix: &GlobalMatrix<T>,
    (first, end, n): (u32, u32, u32),
    e: u32,
    mut f: impl FnMut(usize, u32, u32, Global<T>),
) {
    let (lane, rows) = (warp::lane(), ROWS as u32);
    if matrix.column_is_dense() {
        let (i, step) = (lane % rows, warp::SIZE / rows);
        let mut j = lane / rows + step * e;
        let mut at = matrix.at(first + i, j);
        for u in 0..IN_FLIGHT {
            if first + i < end && j < n {
                f(u, i, j, at);
            }
            j += step;
            at = at.offset(step as i64 * matrix.col_stride());
        }
    } else {
        let mut j = lane + e / rows * warp::SIZE;
        let mut column = matrix.at(first, j);
        for v in 0..IN_FLIGHT / ROWS {
            let mut at = column;
            for i in 0..ROWS {
                if first + (i as u32) < end && j < n {
                    f(v * ROWS + i, i as u32, j, at);
                }
                at = at.offset(matrix.row_stride());
            }
            j += warp::SIZE;
            column = column.offset(warp::SIZE as i64 * matrix.col_stride());
        }
    }
}
