//! LU by a block a matrix, in registers.

use simt::shared::Shared;
use simt::{block, sync_threads, warp};

use crate::lu::{LuArgs, NON_FINITE};
use crate::scalar::{Scalar, ScalarKind};
use crate::shape::{Problem, Shape};
use crate::tile::board::Board;
use crate::tile::eliminate::eliminate;
use crate::tile::staging::Stage;
use crate::tile::tiles::{Tiles, own_rows};
use crate::vote::any_thread;
use crate::wide::Wide;

/// Panels of a matrix of order `n`.
#[inline(always)]
pub(super) const fn panels<const NB: usize>(n: u32) -> u32 {
    n.div_ceil(NB as u32)
}

/// Shape of [`lu_tile`], by up to `W` warps.
#[must_use]
pub fn shape<T: Scalar, const R: usize, const NB: usize, const Q: usize, const W: u32>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    shape_of::<T, R, NB, Q>(problem, panels::<NB>(problem.n).div_ceil(Q as u32), W)
}

/// The shape of blocks of so many warps, of which there may be `most`.
pub(super) fn shape_of<T: Scalar, const R: usize, const NB: usize, const Q: usize>(
    problem: &Problem,
    warps: u32,
    most: u32,
) -> Shape {
    if problem.n > 32 * R as u32 || warps > most {
        return Shape { blocks: problem.batch, threads: 32 * most, shared_bytes: u32::MAX };
    }
    let (board, stage) = (Board::<T, R, NB, Q>::bytes(warps, panels::<NB>(problem.n)), Stage::<T, R, NB>::bytes(warps));
    Shape { blocks: problem.batch, threads: 32 * warps, shared_bytes: if board > stage { board } else { stage } }
}

/// The body of the kernel for orders up to `32 * R`.
#[inline(always)]
pub fn lu_tile<T: Wide, const R: usize, const NB: usize, const Q: usize>(args: LuArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let (warps, panels) = (block::dim() / warp::SIZE, panels::<NB>(n));
    // SAFETY: `shape` asks for these bytes; they are the stage's while panels are loaded and stored, with barriers between.
    let (board, stage) = unsafe { (Board::<T, R, NB, Q>::new(warps, panels), Stage::<T, R, NB>::new(0)) };
    let (a, lu) = (args.a.matrix(b), args.lu.matrix(b));

    let mut tiles = Tiles::<T, R, NB, Q>::zeros();
    stage.load_all(&mut tiles, &a, n);
    sync_threads();
    if warp::index() == 0 {
        board.clear();
    }
    eliminate::<T, R, NB, Q, 0, false>(&mut tiles, &board, n, panels, false, true);
    let mut finite = true;
    for s in 0..Q {
        for r in 0..R {
            for c in 0..NB {
                finite &= tiles.panels[s][r][c].is_finite();
            }
        }
    }
    let is_finite = !any_thread(!finite, board.flags());

    if warp::index() == 0 {
        let mut k = warp::lane();
        while k < n {
            let pivot = if is_finite { board.interchanges().load(k) } else { k };
            args.pivots.store(b as i64 * n as i64 + k as i64, pivot);
            k += warp::SIZE;
        }
        let status = if is_finite { zero_pivot(board.pivots(), n) } else { NON_FINITE };
        if warp::lane() == 0 {
            args.status.store(b as i64, status);
        }
    }
    let mut positions = own_rows::<R>(); // where not all is finite, rows of the padding may have been pivot rows
    for r in 0..R {
        if positions[r] < n && is_finite {
            positions[r] = board.steps(panels - 1).load(positions[r]);
        }
    }
    sync_threads(); // the board becomes the stage
    for s in 0..Q {
        stage.store(&tiles.panels[s], &positions, &lu, tiles.panel(s) * NB as u32, n);
    }
}

/// The first zero among `n` pivots, counted from 1, or 0. By a warp.
#[inline(always)]
pub(super) fn zero_pivot<T: Scalar>(pivots: Shared<T>, n: u32) -> i32 {
    let mut k = warp::lane();
    let mut first = 0;
    while first < n {
        let zeros = warp::ballot(warp::ALL, k < n && pivots.load(if k < n { k } else { 0 }) == T::ZERO);
        if zeros != 0 {
            return (first + zeros.trailing_zeros() + 1) as i32;
        }
        k += warp::SIZE;
        first += warp::SIZE;
    }
    0
}
