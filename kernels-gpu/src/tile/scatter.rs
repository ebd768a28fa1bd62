//! The columns of a matrix in another order.

use simt::shared::Shared;
use simt::{block, warp};

use crate::matrix::{GlobalMatrix, View};
use crate::scalar::Scalar;

/// Elements that a lane has on their way.
const IN_FLIGHT: usize = 8;

/// Brings column j of a matrix of order `n` to column `to[j]`. Each warp moves `ROWS` rows at once, in its `room`: shape
/// (ROWS, n).
#[inline(always)]
pub fn scatter_columns<T: Scalar, const ROWS: usize>(
    matrix: &GlobalMatrix<T>,
    to: Shared<u32>,
    room: Shared<T>,
    n: u32,
) {
    let lane = warp::lane();
    let rows = ROWS as u32;
    // Lanes lie along columns or rows, as memory does; this is where a lane's element e is among the rows.
    let is_dense = matrix.column_is_dense();
    let place = |e| {
        if is_dense {
            (lane % rows, lane / rows + warp::SIZE / rows * e)
        } else {
            (e % rows, lane + e / rows * warp::SIZE)
        }
    };
    let count = rows * n.div_ceil(warp::SIZE);
    let mut first = rows * warp::index();
    while first < n {
        let mut e = 0;
        while e < count {
            let mut x = [T::ZERO; IN_FLIGHT];
            for u in 0..IN_FLIGHT {
                let (i, j) = place(e + u as u32);
                if first + i < n && j < n {
                    x[u] = matrix.load(first + i, j);
                }
            }
            for u in 0..IN_FLIGHT {
                let (i, j) = place(e + u as u32);
                if first + i < n && j < n {
                    room.store(i * n + to.load(j), x[u]);
                }
            }
            e += IN_FLIGHT as u32;
        }
        warp::sync(warp::ALL);
        let mut e = 0;
        while e < count {
            let (i, j) = place(e);
            if first + i < n && j < n {
                matrix.store(first + i, j, room.load(i * n + j));
            }
            e += 1;
        }
        warp::sync(warp::ALL);
        first += rows * (block::dim() / warp::SIZE);
    }
}
