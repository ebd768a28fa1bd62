//! Hermitian matrices to the workspace and back, by tiles of 32 x 32 on and above the diagonal; and what is said of
//! those that failed.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use crate::kernels::block_bordering::BlockArgs;
use crate::kernels::block_bordering::args::upper_tile;
use crate::kernels::bordering::real;
use kernels_gpu::collective::vote::any_thread;
use kernels_gpu::schedule::multi_block::COLUMNS;
use kernels_gpu::shape::{Problem, Shape};
use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::{Scalar, ScalarKind};
use numbers::status::NON_FINITE;

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Warps of a block.
const WARPS: u32 = THREADS / warp::SIZE;
/// From a row of the tile to the next.
const LENGTH: u32 = COLUMNS + 1;

/// What a block keeps in shared memory.
struct SharedStorage<T> {
    tile: Shared<T>,    // shape (COLUMNS, LENGTH)
    flags: Shared<u32>, // of a vote: shape (32)
}

#[inline(always)]
fn shared_storage<T: Scalar>(layout: &mut Layout) -> SharedStorage<T> {
    SharedStorage { tile: layout.array(COLUMNS * LENGTH), flags: layout.array(32) }
}

/// The launch of each of the kernels here, a block a matrix.
#[must_use]
pub fn shape<T: Scalar>(problem: &Problem, _: ScalarKind) -> Shape {
    let shared_bytes = Layout::bytes(shared_storage::<T>);
    Shape { blocks: problem.batch, threads: THREADS, shared_bytes, cluster: 1 }
}

/// The matrix of this block of threads, its tile of those on and above the diagonal, and the tile's first row and
/// column.
#[inline(always)]
fn own_tile<T: Scalar>(args: &BlockArgs<T>) -> (u64, u32, (u32, u32)) {
    let (b, index) = args.share(args.step.copies());
    let (row_tile, column_tile) = upper_tile(index);
    (b, index, (row_tile * COLUMNS, column_tile * COLUMNS))
}

/// Calls `f` for row and column of each element of a tile; lanes run along the index that is close in memory.
#[inline(always)]
fn each_element<T: Scalar>(m: &GlobalMatrix<T>, mut f: impl FnMut(u32, u32)) {
    let by_columns = m.rows_are_close();
    let mut line = warp::index();
    while line < COLUMNS {
        if by_columns {
            f(warp::lane(), line);
        } else {
            f(line, warp::lane());
        }
        line += WARPS;
    }
}

/// The upper triangle to the workspace, and zeros to the end of the last block of columns.
#[inline(always)]
pub fn pack<T: Scalar>(args: BlockArgs<T>) {
    // SAFETY: `shape` asks for this layout's bytes; a barrier separates writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T>) };
    let (b, _, (row, column)) = own_tile(&args);
    let (a, x, n) = (args.a.matrix(b), args.x(b), args.step.n);
    each_element(&a, |i, j| {
        let is_there = row + i <= column + j && column + j < n;
        shared.tile.store(i * LENGTH + j, if is_there { a.load(row + i, column + j) } else { T::ZERO });
    });
    sync_threads();
    let mut i = warp::index();
    while i < COLUMNS {
        if row + i < n {
            x.at(row + i, column).store(warp::lane() as i64, shared.tile.load(i * LENGTH + warp::lane()));
        }
        i += WARPS;
    }
}

/// All of the inverse from the upper triangle of the workspace, and whether it is finite.
#[inline(always)]
pub fn unpack<T: Scalar>(args: BlockArgs<T>) {
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T>) };
    let (b, index, (row, column)) = own_tile(&args);
    let (inverse, x, n) = (args.inverse.matrix(b), args.x(b), args.step.n);
    let mut is_finite = true;
    let mut i = warp::index();
    while i < COLUMNS {
        if row + i < n && column + warp::lane() < n {
            let number = x.at(row + i, column).load(warp::lane() as i64);
            is_finite &= number.is_finite() || row + i > column + warp::lane();
            shared.tile.store(i * LENGTH + warp::lane(), number);
        }
        i += WARPS;
    }
    let is_bad = any_thread(!is_finite, shared.flags); // a barrier, too
    if thread::index() == 0 {
        args.flags(b).store(index as i64, is_bad as u32);
    }
    let upper = |i: u32, j: u32| shared.tile.load(i * LENGTH + j);
    each_element(&inverse, |i, j| {
        let (r, c) = (row + i, column + j);
        if r < n && c < n && r <= c {
            inverse.store(r, c, if r == c { real(upper(i, j)) } else { upper(i, j) });
        }
    });
    each_element(&inverse, |i, j| {
        let (r, c) = (column + i, row + j);
        if r < n && r > c {
            inverse.store(r, c, upper(j, i).conj());
        }
    });
}

/// The final status: that of the last step, or [`NON_FINITE`] where that is 0 and the inverse is not finite.
#[inline(always)]
pub fn status<T: Scalar>(args: BlockArgs<T>) {
    // SAFETY: `shape` asks for this layout's bytes; a barrier separates writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T>) };
    let b = args.first + block::index() as u64;
    let (flags, before) = (args.flags(b), args.status.load(b as i64));
    let mut is_bad = false;
    let mut tile = thread::index();
    while tile < args.step.copies() {
        is_bad |= flags.load(tile as i64) != 0;
        tile += THREADS;
    }
    let is_bad = any_thread(is_bad, shared.flags);
    if thread::index() == 0 && before == 0 && is_bad {
        args.status.store(b as i64, NON_FINITE);
    }
}

/// NaN to the inverses of matrices whose status is not 0.
#[inline(always)]
pub fn fill<T: Scalar>(args: BlockArgs<T>) {
    let (b, _, (row, column)) = own_tile(&args);
    let (inverse, n) = (args.inverse.matrix(b), args.step.n);
    if args.status.load(b as i64) == 0 {
        return;
    }
    each_element(&inverse, |i, j| {
        if row + i < n && column + j < n {
            inverse.store(row + i, column + j, T::NAN);
        }
    });
    if row != column {
        each_element(&inverse, |i, j| {
            if column + i < n && row + j < n {
                inverse.store(column + i, row + j, T::NAN);
            }
        });
    }
}
