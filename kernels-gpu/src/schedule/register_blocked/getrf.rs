//! LU: the kernel, and the shape of a launch.
//!
//! Rows stay where they are until the end. Then the pivot row of step k is row k of the factors, and goes there on its
//! way to device memory.

use numbers::status::NON_FINITE;
use simt::layout::Layout;
use simt::{block, sync_threads, thread, warp};

use crate::collective::permutation::position;
use crate::collective::vote::any_thread;
use crate::memory::transpose_buffer::{TransposeBuffer, lane_rows};
use crate::memory::vector::Vectorized;
use crate::operation::GetrfArgs;
use crate::schedule::register_blocked::eliminate::eliminate;
use crate::schedule::register_blocked::storage::{self, CANDIDATE, SharedStorage, panels, shared_storage};
use crate::schedule::register_blocked::tiles::Tiles;
use crate::shape::{Problem, Shape};
use numbers::scalar::{Scalar, ScalarKind};

/// The shape of a launch of at most `WARPS` warps, of LU and of the inverse.
#[must_use]
pub fn shape<T: Scalar, const LANE_ROWS: usize, const NB: usize, const PANELS: usize, const WARPS: u32>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    storage::shape::<T, LANE_ROWS, NB, PANELS>(problem, panels::<NB>(problem.n).div_ceil(PANELS as u32), WARPS)
}

/// The body of the kernel for orders up to `32 * LANE_ROWS`.
#[inline(always)]
pub fn getrf<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(args: GetrfArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let warps = block::dim() / warp::SIZE;
    let panels = panels::<NB>(n);
    let lane = warp::lane();
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads, and the use of both parts.
    let (shared, buffers) =
        unsafe { Layout::place(|layout| shared_storage::<T, LANE_ROWS, NB, PANELS>(layout, warps, panels)) };
    let buffer = TransposeBuffer::of_this_warp(buffers);

    let mut tiles = Tiles::<T, LANE_ROWS, NB, PANELS>::zeros();
    tiles.load(&buffer, &args.a.matrix(b), n);
    sync_threads();
    if warp::index() == 0 {
        shared.initialize();
    }
    eliminate::<T, LANE_ROWS, NB, PANELS, 0, false>(&mut tiles, &shared, n, panels);

    sync_threads();
    let mut finite = true;
    for s in 0..PANELS {
        for r in 0..LANE_ROWS {
            for c in 0..NB {
                finite &= tiles.panels[s][r][c].is_finite();
            }
        }
    }
    let is_finite = !any_thread(!finite, shared.flags());
    store_pivots(&args, b, is_finite, &shared);
    let pivot_steps = shared.pivot_steps(panels + 1).offset(lane); // the last panel's
    let mut to_row = lane_rows(); // where this lane's rows go
    for r in 0..LANE_ROWS {
        let step = pivot_steps.load(32 * r as u32);
        // If something is not finite, pivot rows may have been padding, and stay.
        to_row[r] = if is_finite && step != CANDIDATE { step } else { to_row[r] };
    }
    let lu = args.lu.matrix(b); // not earlier: its address would take registers
    sync_threads(); // the buffers overwrite the shared storage
    for s in 0..PANELS {
        let p = tiles.panel(s);
        if p < panels {
            buffer.store_columns(&tiles.panels[s], &to_row, &lu, |c| p * NB as u32 + c, n);
        }
    }
}

/// Stores the pivots and the status. By a block.
#[inline(always)]
fn store_pivots<T: Scalar, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(
    args: &GetrfArgs<T>,
    b: u64,
    is_finite: bool,
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
) {
    let n = args.n;
    let mut k = thread::index();
    while k < n {
        // LAPACK counts by positions: where the interchanges before step k had put the pivot row.
        let order = shared.pivot_order();
        let pivot = if is_finite { position(order.load(k), k, order) } else { k };
        args.pivots.store(b as i64 * n as i64 + k as i64, pivot);
        k += block::dim();
    }
    let zero_pivot = shared.first_zero_pivot(n);
    if thread::index() == 0 {
        args.status.store(b as i64, if is_finite { zero_pivot } else { NON_FINITE });
    }
}
