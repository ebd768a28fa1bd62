//! L, and U's diagonal blocks, from the workspace to the output, each row at the step in which it was the pivot row.
//!
//! The rest of U is there: [`update`](super::update) writes it.

use simt::layout::Layout;
use simt::{sync_threads, warp};

use crate::memory::matrix::View;
use crate::numbers::scalar::Scalar;
use crate::schedule::multi_block::pack::{ROWS, THREADS, tile, tiles};
use crate::schedule::multi_block::{COLUMNS, StepArgs};
use crate::shape::quotient;

/// Warps of a block.
const WARPS: u32 = THREADS / warp::SIZE;

/// The body of the kernel, after panels of `NB` columns.
#[inline(always)]
pub fn unpack<T: Scalar, const NB: u32>(args: StepArgs<T>) {
    let n = args.n;
    // SAFETY: `shape` asks for this layout's bytes; a barrier separates writes from reads.
    let tile = unsafe { Layout::place(tile::<T>) };
    let (b, share) = args.share(tiles(n));
    let (lu, work) = (args.lu.matrix(b), args.workspace(b));
    let column_tile = quotient(share, n.div_ceil(ROWS));
    let (row, column) = ((share - column_tile * n.div_ceil(ROWS)) * ROWS, column_tile * COLUMNS);
    let (lane, w) = (warp::lane(), warp::index());
    if row + ROWS <= column {
        return; // above the diagonal
    }

    // Columns before `first_right` of row i are in panels up to that of the row's own step.
    let first_right = |i: u32| i / NB * NB + NB;
    let by_columns = lu.rows_are_close();
    let mut r = w;
    while r < ROWS {
        if row + r < n {
            let x = work.at(work.pivot_rows().load((row + r) as i64), column).load(lane as i64);
            if by_columns {
                tile.store(lane * (ROWS + 1) + r, x);
            } else if column + lane < n && column + lane < first_right(row + r) {
                lu.store(row + r, column + lane, x);
            }
        }
        r += WARPS;
    }
    if by_columns {
        sync_threads();
        let mut c = w;
        while c < COLUMNS {
            let i = row + lane;
            if i < n && column + c < n && column + c < first_right(i) {
                lu.store(i, column + c, tile.load(c * (ROWS + 1) + lane));
            }
            c += WARPS;
        }
    }
}
