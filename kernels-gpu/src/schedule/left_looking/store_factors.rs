//! Diagonal blocks and L stored to device memory. U above the diagonal blocks is stored where it is computed.

use simt::{block, warp};

use crate::collective::fragment::COLUMNS;
use crate::collective::mma::Mma;
use crate::schedule::left_looking::sink::Sink;
use crate::schedule::left_looking::storage::SharedStorage;
use crate::schedule::left_looking::{LanePlace, NB, width};
use numbers::matrix::GlobalMatrix;

/// Stores the diagonal block of panel `p`, whose rows are in order. Whether it is finite. By a warp.
#[inline(always)]
pub fn store_diagonal_block<T: Mma, S: Sink<T>>(shared: &SharedStorage<T>, to: &S, p: u32, n: u32) -> bool {
    let (place, columns) = (LanePlace::own(), width(p, n));
    let (first, panel) = (p * NB, shared.panel(p));
    let mut finite = true;
    let mut x = [T::ZERO; 2];
    if place.row < columns {
        let l = panel.load_pair(place.row, place.column);
        for e in 0..2 {
            let j = place.column + e as u32;
            x[e] = if j < place.row { l[e] } else { shared.u_row(p, place.row).load(j - place.row) };
        }
    }
    for e in 0..2 {
        let j = place.column + e as u32;
        if S::IS_PADDED || (place.row < columns && j < columns) {
            to.at(first + place.row, first + j).store(0, x[e]);
            finite &= x[e].is_finite();
        }
    }
    warp::sync(warp::ALL);
    finite
}

/// Stores L below the diagonal blocks, with all rows in order. Whether it is finite. By all warps, a panel at a time
/// each.
#[inline(always)]
pub fn store_lower<T: Mma>(shared: &SharedStorage<T>, lu: &GlobalMatrix<T>, n: u32) -> bool {
    match lu.with_dense_columns() {
        Some(lu) => store_blocks(shared, &lu, n), // offsets along a column are constants
        None => store_blocks(shared, lu, n),
    }
}

/// Blocks that a lane has in flight.
const IN_FLIGHT: usize = 4;

#[inline(always)]
fn store_blocks<T: Mma>(shared: &SharedStorage<T>, lu: &GlobalMatrix<T>, n: u32) -> bool {
    let place = LanePlace::own();
    let mut finite = true;
    let (mut q, warps) = (warp::index(), block::dim() / warp::SIZE);
    let mut first = lu.at((q + 1) * NB + place.row, q * NB + place.column);
    let next = i64::from(warps * NB) * (lu.row_stride() + lu.col_stride());
    while (q + 1) * NB < n {
        let panel = shared.panel(q);
        let mut row = (q + 1) * NB + place.row;
        let mut columns = [first, first.offset(lu.col_stride())];
        let mut block = 1;
        while (q + block) * NB < n {
            let mut x = [[T::ZERO; 2]; IN_FLIGHT];
            for e in 0..IN_FLIGHT {
                if row + ((COLUMNS * e) as u32) < n {
                    x[e] = panel.skip(block + e as u32).load_pair(place.row, place.column);
                }
            }
            for c in 0..2 {
                let mut to = columns[c];
                for e in 0..IN_FLIGHT {
                    if row + ((COLUMNS * e) as u32) < n {
                        to.store(0, x[e][c]);
                    }
                    finite &= x[e][c].is_finite();
                    to = to.offset(i64::from(NB) * lu.row_stride());
                }
                columns[c] = to;
            }
            row += NB * IN_FLIGHT as u32;
            block += IN_FLIGHT as u32;
        }
        q += warps;
        first = first.offset(next);
    }
    finite
}
