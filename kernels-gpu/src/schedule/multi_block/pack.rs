//! Matrices to the workspace, and the first list of rows.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{sync_threads, warp};

use crate::schedule::multi_block::args::{CONJUGATED, HERMITIAN, ROWS_BY_PIVOT, UNIT_MATRIX};
use crate::schedule::multi_block::update::TILE_ROWS;
use crate::schedule::multi_block::{COLUMNS, StepArgs};
use crate::shape::{Problem, Shape, quotient};
use numbers::matrix::View;
use numbers::scalar::{Scalar, ScalarKind};

/// Rows of a tile that a block copies; it has as many columns.
pub const ROWS: u32 = COLUMNS;
/// Threads of a block.
pub const THREADS: u32 = 256;
/// Warps of a block.
pub(super) const WARPS: u32 = THREADS / warp::SIZE;

/// A tile on its way from columns to rows: shape (COLUMNS, ROWS + 1).
#[inline(always)]
pub(super) fn tile<T: Scalar>(layout: &mut Layout) -> Shared<T> {
    layout.array(COLUMNS * (ROWS + 1))
}

/// Tiles of so many rows and columns.
#[must_use]
pub const fn tiles(n: u32, columns: u32) -> u64 {
    n.div_ceil(ROWS) as u64 * columns.div_ceil(COLUMNS) as u64
}

/// The launch for `batch` matrices of `n` rows and `columns` columns: a block a tile. [`unpack`](super::unpack) has the
/// same.
#[must_use]
pub fn shape<T: Scalar>(n: u32, columns: u32, batch: u64) -> Shape {
    let shared_bytes = Layout::bytes(tile::<T>);
    Shape { blocks: batch.saturating_mul(tiles(n, columns)), threads: THREADS, shared_bytes, cluster: 1 }
}

/// As [`shape`], for the matrices themselves.
#[must_use]
pub fn entry_shape<T: Scalar>(problem: &Problem, _: ScalarKind) -> Shape {
    shape::<T>(problem.n, problem.n, problem.batch)
}

/// The matrix, and the first row and column of this block's tile, which are those of the matrix.
#[inline(always)]
pub(super) fn own_tile<T: Scalar>(args: &StepArgs<T>) -> (u64, u32, u32) {
    let row_tiles = args.n.div_ceil(ROWS);
    let (b, share) = args.share(row_tiles * (args.end_column - args.begin).div_ceil(COLUMNS));
    let column_tile = quotient(share, row_tiles);
    (b, (share - column_tile * row_tiles) * ROWS, column_tile * COLUMNS)
}

/// The body of the kernel: to columns `begin..end_column` of the workspace, and zeros to the end of the last block of
/// columns.
#[inline(always)]
pub fn pack<T: Scalar>(args: StepArgs<T>) {
    let (n, columns) = (args.n, args.end_column - args.begin);
    // SAFETY: `shape` asks for this layout's bytes; a barrier separates writes from reads.
    let tile = unsafe { Layout::place(tile::<T>) };
    let (b, row, column) = own_tile(&args);
    let (a, work) = (args.matrices.matrix(b), args.workspace(b));
    let (lane, w) = (warp::lane(), warp::index());
    if args.begin + column == 0 && w == 0 && row + lane < n {
        work.list(args.next_list).store((row + lane) as i64, row + lane);
    }
    if args.has(HERMITIAN) && row >= column + COLUMNS + TILE_ROWS {
        return; // a tile that nobody reads
    }
    let load = |i: u32, j: u32| {
        if i >= n || j >= columns {
            T::ZERO
        } else if args.has(UNIT_MATRIX) {
            if i == j { T::ONE } else { T::ZERO }
        } else if args.has(HERMITIAN) && i > j {
            if i < j + TILE_ROWS { a.load(j, i) } else { T::ZERO }
        } else if args.has(CONJUGATED | HERMITIAN) {
            a.load(i, j).conj()
        } else {
            a.load(i, j)
        }
    };

    let by_columns = a.rows_are_close();
    if by_columns {
        let mut c = w;
        while c < COLUMNS {
            tile.store(c * (ROWS + 1) + lane, load(row + lane, column + c));
            c += WARPS;
        }
        sync_threads();
    }
    let mut r = w;
    while r < ROWS {
        if row + r < n {
            let x = if by_columns { tile.load(lane * (ROWS + 1) + r) } else { load(row + r, column + lane) };
            let to = if args.has(ROWS_BY_PIVOT) { work.pivot_rows().load((row + r) as i64) } else { row + r };
            work.at(to, args.begin + column).store(lane as i64, x);
        }
        r += WARPS;
    }
}
