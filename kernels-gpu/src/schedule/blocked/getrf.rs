//! LU: the kernel, and the shape of a launch.

use numbers::status::NON_FINITE;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use crate::collective::mma::Mma;
use crate::collective::permutation::position;
use crate::collective::vote::any_thread;
use crate::memory::permute_columns::scatter_columns;
use crate::operation::GetrfArgs;
use crate::schedule::blocked::storage::{SharedStorage, ordered_rows};
use crate::schedule::blocked::sweep::eliminate;
use crate::shape::{Problem, Shape};
use numbers::matrix::GlobalMatrix;
use numbers::scalar::ScalarKind;

/// The shape of a launch, of LU and of the inverse.
#[must_use]
pub fn shape<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    let n = problem.n;
    let warps = n.div_ceil(32 * LANE_ROWS as u32);
    if warps > WARPS as u32 {
        return Shape { blocks: problem.batch, cluster: 1, threads: 32 * WARPS as u32, shared_bytes: u32::MAX };
    }
    let shared_bytes = SharedStorage::<T, LANE_ROWS, PANELS, WARPS>::bytes(warps, n);
    Shape { blocks: problem.batch, cluster: 1, threads: 32 * warps, shared_bytes }
}

/// The body of the kernel for orders up to `32 * LANE_ROWS * WARPS`.
#[inline(always)]
pub fn getrf<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize>(args: GetrfArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for its bytes; barriers separate what one warp writes from what others read.
    let shared = unsafe { SharedStorage::<T, LANE_ROWS, PANELS, WARPS>::new(n) };
    let lu = args.lu.matrix(b);
    shared.initialize(n);
    sync_threads();
    let (finite, zero_pivot) = eliminate::<T, LANE_ROWS, PANELS, WARPS, false>(&args.a.matrix(b), &lu, &shared, n);

    let is_finite = !any_thread(!finite, shared.flags);
    let mut k = thread::index();
    while k < n {
        // LAPACK counts by positions: where the interchanges before step k had put the pivot row.
        let pivot = if is_finite { position(shared.pivot_rows.load(k), k, shared.pivot_rows) } else { k };
        args.pivots.store(b as i64 * n as i64 + k as i64, pivot);
        k += block::dim();
    }
    if thread::index() == 0 {
        args.status.store(b as i64, if is_finite { zero_pivot as i32 } else { NON_FINITE });
    }
    if is_finite {
        order_columns(&lu.transposed(), shared.pivot_steps, &shared, n);
    }
}

/// Moves column j of a matrix to column `to[j]`. A barrier must come before; overwrites all arrays from `triangles` on.
#[inline(always)]
pub(super) fn order_columns<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize>(
    matrix: &GlobalMatrix<T>,
    to: Shared<u32>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    n: u32,
) {
    let buffer = shared.row_buffers.offset(warp::index() * ordered_rows::<T>() * n);
    match ordered_rows::<T>() {
        2 => scatter_columns::<T, 2>((matrix, matrix), to, buffer, (n, n)),
        4 => scatter_columns::<T, 4>((matrix, matrix), to, buffer, (n, n)),
        _ => scatter_columns::<T, 8>((matrix, matrix), to, buffer, (n, n)),
    }
}
