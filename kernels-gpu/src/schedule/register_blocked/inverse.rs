//! The inversion kernel: Gauss-Jordan elimination in place. A launch has the shape of LU's.
//!
//! Pivot rows are divided by their pivots only at the end. Then the pivot row of step k is row k of the inverse; if it
//! is row i of A, column k is column i of the inverse.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, warp};

use crate::collective::vote::any_thread;
use crate::memory::transpose_buffer::TransposeBuffer;
use crate::memory::vector::Vectorized;
use crate::operation::InverseArgs;
use crate::schedule::register_blocked::eliminate::eliminate;
use crate::schedule::register_blocked::storage::{CANDIDATE, panels, shared_storage};
use crate::schedule::register_blocked::tiles::Tiles;
use numbers::scalar::{Real, Scalar};
use numbers::status::NON_FINITE;

/// The body of the kernel for orders up to `32 * LANE_ROWS`.
#[inline(always)]
pub fn inverse<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(args: InverseArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let warps = block::dim() / warp::SIZE;
    let panels = panels::<NB>(n);
    let lane = warp::lane();
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads, and the use of both parts.
    let (shared, buffers) =
        unsafe { Layout::place(|layout| shared_storage::<T, LANE_ROWS, NB, PANELS>(layout, warps, panels)) };
    let buffer = TransposeBuffer::of_this_warp(buffers);
    let (a, inverse) = (args.a.matrix(b), args.inverse.matrix(b));

    let mut tiles = Tiles::<T, LANE_ROWS, NB, PANELS>::zeros();
    tiles.load(&buffer, &a, n);
    sync_threads();
    if warp::index() == 0 {
        shared.initialize();
    }
    eliminate::<T, LANE_ROWS, NB, PANELS, 0, true>(&mut tiles, &shared, n, panels);

    sync_threads();
    let pivot_steps = shared.pivot_steps(panels + 1).offset(lane); // the last panel's
    let mut to_row = [0; LANE_ROWS]; // where this lane's rows go
    for r in 0..LANE_ROWS {
        let step = pivot_steps.load(32 * r as u32);
        to_row[r] = if step == CANDIDATE { lane + 32 * r as u32 } else { step };
    }
    let mut to_column = [0; PANELS]; // where column `lane % NB` of each panel goes
    for s in 0..PANELS {
        if tiles.panel(s) < panels {
            to_column[s] = shared.pivot_order().load(tiles.panel(s) * NB as u32 + lane % NB as u32);
        }
    }
    let finite = divide(&mut tiles, &to_row, shared.pivots(), panels * NB as u32);
    let non_finite = any_thread(!finite, shared.flags());
    let status = if non_finite { NON_FINITE } else { shared.first_zero_pivot(n) };
    if warp::index() == 0 && lane == 0 {
        args.status.store(b as i64, status);
    }
    sync_threads(); // the buffers overwrite the shared storage
    for s in 0..PANELS {
        let p = tiles.panel(s);
        if p < panels {
            if status != 0 {
                // Pivot rows may have been padding, so nothing is permuted.
                tiles.panels[s] = [[T::NAN; NB]; LANE_ROWS];
                for r in 0..LANE_ROWS {
                    to_row[r] = lane + 32 * r as u32;
                }
                to_column[s] = p * NB as u32 + lane % NB as u32;
            }
            let to = |c| warp::shuffle(warp::ALL, to_column[s], c);
            buffer.store_columns(&tiles.panels[s], &to_row, &inverse, to, n);
        }
    }
}

/// Divides this lane's rows by their pivots, if their step is below `end`. Returns whether they are finite.
#[inline(always)]
fn divide<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(
    tiles: &mut Tiles<T, LANE_ROWS, NB, PANELS>,
    pivot_steps: &[u32; LANE_ROWS],
    pivots: Shared<T>,
    end: u32,
) -> bool {
    let (mut finite, mut is_moderate) = (true, true);
    let mut scales = [T::Real::ONE; LANE_ROWS];
    let mut reciprocals = [T::ONE; LANE_ROWS];
    for r in 0..LANE_ROWS {
        let pivot = if pivot_steps[r] < end { pivots.load(pivot_steps[r]) } else { T::ONE };
        let pivot = if pivot == T::ZERO { T::ONE } else { pivot };
        finite &= pivot.is_finite(); // a row divided by infinity is finite
        is_moderate &= T::Real::MODERATE.contains(&pivot.abs1().to_words().0);
        (scales[r], reciprocals[r]) = pivot.scaled_reciprocal();
    }
    if warp::any(warp::ALL, !is_moderate) {
        for s in 0..PANELS {
            for r in 0..LANE_ROWS {
                for c in 0..NB {
                    tiles.panels[s][r][c] = tiles.panels[s][r][c].scale(scales[r]);
                }
            }
        }
    }
    for s in 0..PANELS {
        for r in 0..LANE_ROWS {
            for c in 0..NB {
                tiles.panels[s][r][c] = tiles.panels[s][r][c] * reciprocals[r];
                finite &= tiles.panels[s][r][c].is_finite();
            }
        }
    }
    finite
}
