//! From the workspace to a matrix: factors, each row at the step in which it was the pivot row; or solutions.

use simt::layout::Layout;
use simt::{sync_threads, warp};

use crate::schedule::multi_block::args::{COLUMNS_BY_PIVOT, NAN_WHERE_FAILED, ROWS_BY_PIVOT, SIDES};
use crate::schedule::multi_block::from_factors::is_finite;
use crate::schedule::multi_block::pack::{ROWS, WARPS, own_tile, tile};
use crate::schedule::multi_block::{COLUMNS, StepArgs};
use numbers::matrix::View;
use numbers::scalar::Scalar;
use numbers::status::bad_side;

/// The body of the kernel: columns `begin..end_column` of the workspace.
#[inline(always)]
pub fn unpack<T: Scalar>(args: StepArgs<T>) {
    let (n, columns) = (args.n, args.end_column - args.begin);
    // SAFETY: `shape` asks for this layout's bytes; a barrier separates writes from reads.
    let tile = unsafe { Layout::place(tile::<T>) };
    let (b, row, column) = own_tile(&args);
    let (to, work) = (args.matrices.matrix(b), args.workspace(b));
    let (lane, w) = (warp::lane(), warp::index());
    let failed = args.has(NAN_WHERE_FAILED) && args.final_status.load(b as i64) != 0;
    let names_side = failed && args.has(SIDES) && bad_side(args.final_status.load(b as i64)).is_some();
    let store = |i: u32, j: u32, x: T| {
        if i < n && j < columns {
            let failed = if names_side { !is_finite(&args, &work, j) } else { failed };
            let j = if args.has(COLUMNS_BY_PIVOT) { work.pivot_rows().load(j as i64) } else { j };
            to.store(i, j, if failed { T::NAN } else { x });
        }
    };

    let by_columns = to.rows_are_close();
    let mut r = w;
    while r < ROWS {
        if row + r < n {
            let from = if args.has(ROWS_BY_PIVOT) { work.pivot_rows().load((row + r) as i64) } else { row + r };
            let x = work.at(from, args.begin + column).load(lane as i64);
            if by_columns {
                tile.store(lane * (ROWS + 1) + r, x);
            } else {
                store(row + r, column + lane, x);
            }
        }
        r += WARPS;
    }
    if by_columns {
        sync_threads();
        let mut c = w;
        while c < COLUMNS {
            if row + lane < n {
                store(row + lane, column + c, tile.load(c * (ROWS + 1) + lane));
            }
            c += WARPS;
        }
    }
}
