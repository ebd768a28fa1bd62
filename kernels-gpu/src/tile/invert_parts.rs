//! Inverse of a matrix that is too large to be held in registers: a part of its panels is held after the other.
//!
//! Gauss-Jordan elimination in two sweeps. In the first, each part is given the panels before it, is eliminated, and put away:
//! what a panel is then is what all others need of it. In the second, each is given the panels after it.

use simt::{block, sync_threads, warp};

use crate::fill::fill;
use crate::inverse::InvertArgs;
use crate::lu::NON_FINITE;
use crate::matrix::GlobalMatrix;
use crate::scalar::{Scalar, ScalarKind};
use crate::scatter::scatter_columns;
use crate::shape::{Problem, Shape};
use crate::tile::board::Board;
use crate::tile::eliminate::eliminate;
use crate::tile::invert::divide;
use crate::tile::lu::{memory, panels, put_away, shape as lu_shape, zero_pivot};
use crate::tile::replay::replay;
use crate::tile::staging::Stage;
use crate::tile::tiles::{Tiles, own_rows};
use crate::vote::any_thread;
use crate::wide::Wide;

/// Shape of [`invert_parts`], by up to `W` warps.
#[must_use]
pub fn shape<T: Scalar, const R: usize, const NB: usize, const Q: usize, const W: u32>(
    problem: &Problem,
    kind: ScalarKind,
) -> Shape {
    lu_shape::<T, R, NB, Q, W, true>(problem, kind)
}

/// The body of the kernel for orders up to `32 * R`.
#[inline(always)]
pub fn invert_parts<T: Wide, const R: usize, const NB: usize, const Q: usize>(args: InvertArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let (board, stage) = memory::<T, R, NB, Q, true>(n);
    let inverse = args.inverse.matrix(b);

    let mut status = first_sweep(&args.a.matrix(b), &inverse, &board, &stage, n);
    if status == 0 && !second_sweep(&inverse, &board, &stage, n) {
        status = NON_FINITE;
    }
    if status == 0 {
        // A panel's room is that of as many rows.
        scatter_columns::<T, NB>(&inverse, board.pivot_rows(), stage.room(), n);
    } else {
        fill(&inverse, T::NAN, n);
    }
    if warp::index() == 0 && warp::lane() == 0 {
        args.status.store(b as i64, status);
    }
}

/// The panels of a matrix of order `n`, each eliminated, as others need them; and the status.
#[inline(always)]
fn first_sweep<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    a: &GlobalMatrix<T>,
    inverse: &GlobalMatrix<T>,
    board: &Board<T, R, NB, Q>,
    stage: &Stage<T, R, NB>,
    n: u32,
) -> i32 {
    let panels = panels::<NB>(n);
    let size = Q as u32 * (block::dim() / warp::SIZE);
    let mut finite = true;
    let mut first = 0;
    while first < panels {
        let mut tiles = Tiles::<T, R, NB, Q>::new(first);
        stage.load_all(&mut tiles, a, n);
        if first == 0 && warp::index() == 0 {
            board.clear();
        }
        sync_threads(); // all see the parts before
        let end = if first + size < panels { first + size } else { panels };
        replay::<T, R, NB, Q, true>(&mut tiles, board, inverse, n, first..end, 0..first);
        eliminate::<T, R, NB, Q, 0, true>(&mut tiles, board, n, (first, end), false, false);
        for s in 0..Q {
            for r in 0..R {
                for c in 0..NB {
                    finite &= tiles.panels[s][r][c].is_finite();
                }
            }
        }
        put_away(&tiles, stage, &own_rows(), inverse, n);
        first = end;
    }
    // All see all panels.
    if any_thread(!finite, board.flags()) { NON_FINITE } else { zero_pivot(board.pivots(), n) }
}

/// The inverse, but for its columns' order, from the panels of the first sweep. Whether all of it is finite.
#[inline(always)]
fn second_sweep<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    inverse: &GlobalMatrix<T>,
    board: &Board<T, R, NB, Q>,
    stage: &Stage<T, R, NB>,
    n: u32,
) -> bool {
    let panels = panels::<NB>(n);
    let size = Q as u32 * (block::dim() / warp::SIZE);
    let mut steps = own_rows::<R>();
    for r in 0..R {
        if steps[r] < n {
            steps[r] = board.steps(panels + 1).load(steps[r]); // as the last panel left them
        }
    }
    let mut finite = true;
    let mut first = 0;
    while first < panels {
        let mut tiles = Tiles::<T, R, NB, Q>::new(first);
        stage.load_all(&mut tiles, inverse, n);
        let end = if first + size < panels { first + size } else { panels };
        replay::<T, R, NB, Q, true>(&mut tiles, board, inverse, n, first..end, first + 1..panels);
        finite &= divide(&mut tiles, &steps, board.pivots(), n);
        sync_threads(); // nobody needs these panels as they were
        put_away(&tiles, stage, &steps, inverse, n);
        first = end;
    }
    !any_thread(!finite, board.flags())
}
