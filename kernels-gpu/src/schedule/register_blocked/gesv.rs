//! The solve kernel: LU with forward substitution, then back substitution. Warp w holds right-hand side w.

use simt::layout::Layout;
use simt::{block, sync_threads, warp};

use crate::collective::vote::any_bits;
use crate::memory::transpose_buffer::TransposeBuffer;
use crate::memory::vector::Vectorized;
use crate::operation::GesvArgs;
use crate::schedule::register_blocked::eliminate::eliminate;
use crate::schedule::register_blocked::storage::{self, CANDIDATE, panels, shared_storage};
use crate::schedule::register_blocked::substitute::substitute_back;
use crate::schedule::register_blocked::tiles::Tiles;
use crate::shape::{Problem, Shape};
use numbers::matrix::View;
use numbers::scalar::{Scalar, ScalarKind};
use numbers::status::{NON_FINITE, side_not_finite};

/// The bit of a vote that says that factors are bad; those before it say that of right-hand sides, a warp each.
const FACTORS: u32 = 31;

/// The launch shape of [`gesv`], with at most `WARPS` warps: at least one for each right-hand side.
#[must_use]
pub fn shape<T: Scalar, const LANE_ROWS: usize, const NB: usize, const PANELS: usize, const WARPS: u32>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    let warps = panels::<NB>(problem.n).div_ceil(PANELS as u32);
    storage::shape::<T, LANE_ROWS, NB, PANELS>(problem, if problem.rhs > warps { problem.rhs } else { warps }, WARPS)
}

/// The body of the kernel for orders up to `32 * LANE_ROWS`.
#[inline(always)]
pub fn gesv<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(args: GesvArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let warps = block::dim() / warp::SIZE;
    let panels = panels::<NB>(n);
    let lane = warp::lane();
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads, and the use of both parts.
    let (shared, buffers) =
        unsafe { Layout::place(|layout| shared_storage::<T, LANE_ROWS, NB, PANELS>(layout, warps, panels)) };

    let a = args.a.matrix(b);
    let mut tiles = Tiles::<T, LANE_ROWS, NB, PANELS, 1>::zeros();
    tiles.load(&TransposeBuffer::of_this_warp(buffers), &a, n);
    tiles.has_rhs = warp::index() < args.rhs;
    if tiles.has_rhs {
        let rhs = args.b.matrix(b);
        for r in 0..LANE_ROWS {
            let row = lane + 32 * r as u32;
            tiles.rhs[0][r] = if row < n { rhs.load(row, warp::index()) } else { T::ZERO };
        }
    }
    sync_threads();
    if warp::index() == 0 {
        shared.initialize();
    }
    eliminate::<T, LANE_ROWS, NB, PANELS, 1, false>(&mut tiles, &shared, n, panels);

    sync_threads();
    let mut pivot_steps = [0; LANE_ROWS];
    let mut finite = true;
    for r in 0..LANE_ROWS {
        pivot_steps[r] = shared.pivot_steps(panels + 1).load(lane + 32 * r as u32); // the last panel's
        for s in 0..PANELS {
            for c in 0..NB {
                finite &= tiles.panels[s][r][c].is_finite();
            }
        }
    }
    substitute_back(&mut tiles, &shared, &pivot_steps, panels);
    let mut finite_rhs = true;
    if tiles.has_rhs {
        for r in 0..LANE_ROWS {
            finite_rhs &= tiles.rhs[0][r].is_finite();
        }
    }

    let is_bad = warp::any(warp::ALL, !finite_rhs);
    let of_warp = (warp::any(warp::ALL, !finite) as u32) << FACTORS | (is_bad as u32) << warp::index();
    let bad = any_bits(of_warp, shared.flags());
    let zero = shared.first_zero_pivot(n);
    let of_factors = if bad >> FACTORS != 0 { NON_FINITE } else { zero };
    let status = if of_factors == 0 && bad != 0 { side_not_finite(bad.trailing_zeros()) } else { of_factors };
    if warp::index() == 0 && lane == 0 {
        args.status.store(b as i64, status);
    }
    if tiles.has_rhs {
        let solutions = args.x.matrix(b);
        for r in 0..LANE_ROWS {
            // Pivot rows of bad factors may have been padding.
            let failed = of_factors != 0;
            let row = if failed || pivot_steps[r] == CANDIDATE { lane + 32 * r as u32 } else { pivot_steps[r] };
            if row < n {
                solutions.store(row, warp::index(), if failed || is_bad { T::NAN } else { tiles.rhs[0][r] });
            }
        }
    }
}
