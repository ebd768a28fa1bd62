//! Factors from the workspace: lower triangles, and zeros above.

use simt::layout::Layout;
use simt::{sync_threads, warp};

use crate::schedule::multi_block::pack::{ROWS, WARPS, own_tile, tile};
use crate::schedule::multi_block::{COLUMNS, StepArgs};
use crate::shape::quotient;
use numbers::matrix::View;
use numbers::scalar::Scalar;

/// The body of the kernel, whose launch is that of [`pack`](crate::schedule::multi_block::pack::shape): all columns, of
/// which `width` at a time are a block on the diagonal. NaN where the matrix has no factor.
#[inline(always)]
pub fn unpack<T: Scalar>(args: StepArgs<T>) {
    let n = args.n;
    // SAFETY: `shape` asks for this layout's bytes; a barrier separates writes from reads.
    let tile = unsafe { Layout::place(tile::<T>) };
    let (b, row, column) = own_tile(&args);
    let (to, work) = (args.matrices.matrix(b), args.workspace(b));
    let (lane, w) = (warp::lane(), warp::index());
    let failed = args.final_status.load(b as i64) != 0;
    let is_on_diagonal = quotient(row, args.width) == quotient(column, args.width);

    // By rows of the workspace: of L on the diagonal, but for the diagonal itself, of U elsewhere.
    let mut r = w;
    while r < ROWS {
        if is_on_diagonal {
            if row + r < n {
                let x = if row + r == column + lane {
                    T::from_real(work.roots().load((row + r) as i64))
                } else {
                    work.at(row + r, column).load(lane as i64)
                };
                tile.store(lane * (ROWS + 1) + r, x);
            }
        } else if row > column {
            tile.store(r * (ROWS + 1) + lane, work.at(column + r, row).load(lane as i64).conj());
        }
        r += WARPS;
    }
    sync_threads();
    let store = |i: u32, j: u32| {
        if row + i < n && column + j < n {
            let x = if row + i < column + j { T::ZERO } else { tile.load(j * (ROWS + 1) + i) };
            to.store(row + i, column + j, if failed { T::NAN } else { x });
        }
    };
    let mut c = w;
    while c < COLUMNS {
        if to.rows_are_close() {
            store(lane, c);
        } else {
            store(c, lane);
        }
        c += WARPS;
    }
}
