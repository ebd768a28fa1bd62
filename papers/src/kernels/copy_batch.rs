//! A batch copied to another of any layout: a tile a block, through shared memory, so that both sides are coalesced.

use simt::shared;
use simt::sync_threads;

use crate::kernels::grid::split;
use kernels_gpu::memory::copy::copy;
use kernels_gpu::operation::convert::ConvertArgs;
use kernels_gpu::shape::{Problem, Shape, quotient};
use numbers::matrix::{Part, SharedMatrix};
use numbers::scalar::{Scalar, ScalarKind};

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Rows and columns of a tile.
const TILE: u32 = 32;

/// Arguments of the copy kernel. Both may be the same memory only if their strides are the same.
pub type CopyArgs<T> = ConvertArgs<T, T>;

/// Shape of the copy of `problem.n` rows and `problem.rhs` columns.
#[must_use]
pub fn shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let tiles = problem.n.div_ceil(TILE) as u64 * problem.rhs.div_ceil(TILE) as u64;
    let blocks = problem.batch.saturating_mul(tiles);
    Shape { blocks, cluster: 1, threads: THREADS, shared_bytes: TILE * (TILE + 1) * kind.size() }
}

/// The body of the kernel.
#[inline(always)]
pub fn copy_batch<T: Scalar>(args: CopyArgs<T>) {
    let (down, across) = (args.rows.div_ceil(TILE), args.cols.div_ceil(TILE));
    let (matrix, tile) = split(down * across);
    let b = args.first + matrix;
    let (from, to) = (args.from.matrix(b), args.to.matrix(b));
    let col = quotient(tile, down);
    let (row, col) = ((tile - col * down) * TILE, col * TILE);
    let rows = if args.rows - row < TILE { args.rows - row } else { TILE };
    let cols = if args.cols - col < TILE { args.cols - col } else { TILE };
    // SAFETY: `shape` asks for these bytes.
    let stage = SharedMatrix { elements: unsafe { shared::array(0) }, leading_dimension: TILE + 1 }; // shape (32, 33)

    copy(&Part { whole: from, row, col }, &stage, rows, cols, from.rows_are_close());
    sync_threads();
    copy(&stage, &Part { whole: to, row, col }, rows, cols, to.rows_are_close());
}
