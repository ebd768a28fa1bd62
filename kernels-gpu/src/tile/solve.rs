//! Solution with a matrix that a block holds in registers: LU, and substitution in the same launch.

use simt::{block, sync_threads, warp};

use crate::lu::NON_FINITE;
use crate::matrix::View;
use crate::scalar::{Scalar, ScalarKind};
use crate::shape::{Problem, Shape};
use crate::solve::FactorSolveArgs;
use crate::tile::backward::substitute_back;
use crate::tile::board::{Board, OPEN};
use crate::tile::eliminate::eliminate;
use crate::tile::shape::{panels, shape_of, zero_pivot};
use crate::tile::staging::Stage;
use crate::tile::tiles::Tiles;
use crate::vote::any_thread_of_two;
use crate::wide::Wide;

/// Shape of [`factor_solve_tile`]: a warp for each right-hand side, at least.
#[must_use]
pub fn shape<T: Scalar, const R: usize, const NB: usize, const Q: usize, const W: u32>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    let warps = panels::<NB>(problem.n).div_ceil(Q as u32);
    shape_of::<T, R, NB, Q>(problem, if problem.rhs > warps { problem.rhs } else { warps }, W)
}

/// The body of the kernel for orders up to `32 * R`. Warp w has right-hand side w, and what becomes of it.
#[inline(always)]
pub fn factor_solve_tile<T: Wide, const R: usize, const NB: usize, const Q: usize>(args: FactorSolveArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let warps = block::dim() / warp::SIZE;
    let panels = panels::<NB>(n);
    let lane = warp::lane();
    // SAFETY: `shape` asks for these bytes; they are the stage's while panels are loaded, with a barrier after.
    let (board, stage) = unsafe { (Board::<T, R, NB, Q>::new(warps, panels), Stage::<T, R, NB>::new(0)) };

    let a = args.a.matrix(b);
    let mut tiles = Tiles::<T, R, NB, Q, 1>::zeros();
    stage.load_all(&mut tiles, &a, n);
    tiles.has_side = warp::index() < args.rhs;
    if tiles.has_side {
        let sides = args.b.matrix(b);
        for r in 0..R {
            let row = lane + 32 * r as u32;
            tiles.side[0][r] = if row < n { sides.load(row, warp::index()) } else { T::ZERO };
        }
    }
    sync_threads();
    if warp::index() == 0 {
        board.clear();
    }
    eliminate::<T, R, NB, Q, 1, false>(&mut tiles, &board, n, panels, false);

    sync_threads();
    let mut steps = [0; R];
    let mut finite = true;
    for r in 0..R {
        steps[r] = board.steps(panels + 1).load(lane + 32 * r as u32); // as the last panel left them
        for s in 0..Q {
            for c in 0..NB {
                finite &= tiles.panels[s][r][c].is_finite();
            }
        }
    }
    substitute_back(&mut tiles, &board, &steps, panels);
    let mut finite_side = true;
    if tiles.has_side {
        for r in 0..R {
            finite_side &= tiles.side[0][r].is_finite();
        }
    }

    let (bad_factors, bad_solution) = any_thread_of_two((!finite, !finite_side), board.flags());
    let zero = zero_pivot(board.pivots(), n);
    let status = if bad_factors || zero == 0 && bad_solution { NON_FINITE } else { zero };
    if warp::index() == 0 && lane == 0 {
        args.status.store(b as i64, status);
    }
    if tiles.has_side {
        let solutions = args.x.matrix(b);
        for r in 0..R {
            // With a bad status, rows may have been taken from beyond the matrix.
            let row = if status != 0 || steps[r] == OPEN { lane + 32 * r as u32 } else { steps[r] };
            if row < n {
                solutions.store(row, warp::index(), if status != 0 { T::NAN } else { tiles.side[0][r] });
            }
        }
    }
}
