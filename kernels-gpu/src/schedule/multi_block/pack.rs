//! The matrices to the workspace, and the first list of rows.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{sync_threads, warp};

use crate::memory::matrix::View;
use crate::numbers::scalar::{Scalar, ScalarKind};
use crate::schedule::multi_block::{COLUMNS, StepArgs};
use crate::shape::{Problem, Shape, quotient};

/// Rows of a tile that a block copies; it has as many columns.
pub const ROWS: u32 = COLUMNS;
/// Threads of a block.
pub const THREADS: u32 = 256;
/// Warps of a block.
const WARPS: u32 = THREADS / warp::SIZE;

/// A tile on its way from columns to rows: shape (COLUMNS, ROWS + 1).
#[inline(always)]
pub(super) fn tile<T: Scalar>(layout: &mut Layout) -> Shared<T> {
    layout.array(COLUMNS * (ROWS + 1))
}

/// Tiles of a matrix of order `n`.
#[inline(always)]
#[must_use]
pub(super) const fn tiles(n: u32) -> u32 {
    n.div_ceil(ROWS) * n.div_ceil(COLUMNS)
}

/// The launch for `batch` matrices of order `n`: a block a tile. [`unpack`](super::unpack) has the same.
#[must_use]
pub fn shape<T: Scalar>(n: u32, batch: u64) -> Shape {
    Shape { blocks: batch * tiles(n) as u64, threads: THREADS, shared_bytes: Layout::bytes(tile::<T>), cluster: 1 }
}

/// As [`shape`], for whole matrices.
#[must_use]
pub fn entry_shape<T: Scalar>(problem: &Problem, _: ScalarKind) -> Shape {
    let tiles = problem.n.div_ceil(ROWS) as u64 * problem.n.div_ceil(COLUMNS) as u64;
    Shape { blocks: problem.batch.saturating_mul(tiles), ..shape::<T>(1, 1) }
}

/// The body of the kernel.
#[inline(always)]
pub fn pack<T: Scalar>(args: StepArgs<T>) {
    let n = args.n;
    // SAFETY: `shape` asks for this layout's bytes; a barrier separates writes from reads.
    let tile = unsafe { Layout::place(tile::<T>) };
    let (b, share) = args.share(tiles(n));
    let (a, work) = (args.a.matrix(b), args.workspace(b));
    let column_tile = quotient(share, n.div_ceil(ROWS));
    let (row, column) = ((share - column_tile * n.div_ceil(ROWS)) * ROWS, column_tile * COLUMNS);
    let (lane, w) = (warp::lane(), warp::index());

    let by_columns = a.rows_are_close();
    if by_columns {
        let mut c = w;
        while c < COLUMNS {
            let is_there = row + lane < n && column + c < n;
            tile.store(c * (ROWS + 1) + lane, if is_there { a.load(row + lane, column + c) } else { T::ZERO });
            c += WARPS;
        }
        sync_threads();
    }
    let mut r = w;
    while r < ROWS {
        if row + r < n {
            let x = if by_columns {
                tile.load(lane * (ROWS + 1) + r)
            } else if column + lane < n {
                a.load(row + r, column + lane)
            } else {
                T::ZERO
            };
            work.at(row + r, column).store(lane as i64, x);
        }
        r += WARPS;
    }
    if column == 0 && w == 0 && row + lane < n {
        work.candidates(0).store((row + lane) as i64, row + lane);
    }
}
