//! LU by a block a matrix, one slab after the other.

use simt::shared::Shared;
use simt::{block, shared, sync_threads, warp};

use crate::collective::permutation::position;
use crate::collective::vote::any_thread;
use crate::memory::matrix::GlobalMatrix;
use crate::memory::permute_columns::scatter_columns;
use crate::numbers::mma::Mma;
use crate::numbers::scalar::ScalarKind;
use crate::operation::{GetrfArgs, NON_FINITE};
use crate::schedule::blocked::NB;
use crate::schedule::blocked::storage::SharedStorage;
use crate::schedule::blocked::sweep::sweep;
use crate::shape::{Problem, Shape};

/// Rows that a warp brings to order at once: 32 bytes of a column.
const fn lines<T>() -> u32 {
    32 / size_of::<T>() as u32
}

/// Shape of the kernels of slabs.
#[must_use]
pub fn shape<T: Mma, const R: usize, const S: usize, const W: usize>(problem: &Problem, _: ScalarKind) -> Shape {
    let n = problem.n;
    let (warps, panels) = (n.div_ceil(32 * R as u32), n.div_ceil(NB as u32));
    if warps > W as u32 {
        return Shape { blocks: problem.batch, cluster: 1, threads: 32 * W as u32, shared_bytes: u32::MAX };
    }
    let board = SharedStorage::<T, R, S, W>::bytes(warps, panels);
    let room = SharedStorage::<T, R, S, W>::kept(warps, panels) + warps * lines::<T>() * n * size_of::<T>() as u32;
    Shape {
        blocks: problem.batch,
        cluster: 1,
        threads: 32 * warps,
        shared_bytes: if board > room { board } else { room },
    }
}

/// The body of the kernel for orders up to `32 * R * W`.
#[inline(always)]
pub fn getrf<T: Mma, const R: usize, const S: usize, const W: usize>(args: GetrfArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for its bytes.
    let board = unsafe { SharedStorage::<T, R, S, W>::new(n) };
    let lu = args.lu.matrix(b);
    board.clear(n);
    sync_threads();
    let (finite, zero) = sweep::<T, R, S, W, false>(&args.a.matrix(b), &lu, &board, n);

    let is_finite = !any_thread(!finite, board.flags);
    let mut k = warp::index() * warp::SIZE + warp::lane();
    while k < n {
        // LAPACK's interchange: where the pivot row was.
        let pivot = if is_finite { position(board.pivot_rows.load(k), k, board.pivot_rows) } else { k };
        args.pivots.store(b as i64 * n as i64 + k as i64, pivot);
        k += block::dim();
    }
    if warp::index() == 0 && warp::lane() == 0 {
        args.status.store(b as i64, if is_finite { zero as i32 } else { NON_FINITE });
    }
    if is_finite {
        order_columns(&lu.transposed(), board.steps, &board, n);
    }
}

/// Brings column j of a matrix to column `to[j]`. The board's numbers are lost; a barrier must come before.
#[inline(always)]
pub(super) fn order_columns<T: Mma, const R: usize, const S: usize, const W: usize>(
    matrix: &GlobalMatrix<T>,
    to: Shared<u32>,
    board: &SharedStorage<T, R, S, W>,
    n: u32,
) {
    // SAFETY: `shape` asks for these bytes; steps and pivot rows are before them.
    let room = unsafe { shared::array::<T>(board.room) }.offset(warp::index() * lines::<T>() * n);
    match lines::<T>() {
        2 => scatter_columns::<T, 2>(matrix, to, room, n),
        4 => scatter_columns::<T, 4>(matrix, to, room, n),
        _ => scatter_columns::<T, 8>(matrix, to, room, n),
    }
}
