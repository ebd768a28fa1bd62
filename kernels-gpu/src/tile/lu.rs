//! LU of a matrix that a block holds in registers.

use simt::hint::opaque;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use crate::lu::{LuArgs, NON_FINITE};
use crate::scalar::{Scalar, ScalarKind};
use crate::shape::{Problem, Shape};
use crate::tile::board::Board;
use crate::tile::eliminate::eliminate;
use crate::tile::positions::Positions;
use crate::tile::staging::Stage;
use crate::tile::tiles::Tiles;
use crate::tile::wide::Wide;
use crate::vote::any_thread;

/// Panels of a matrix of order `n`.
#[inline(always)]
pub(super) const fn panels<const NB: usize>(n: u32) -> u32 {
    n.div_ceil(NB as u32)
}

/// Shape of [`lu_tile`].
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
    let warps = block::dim() / warp::SIZE;
    let panels = panels::<NB>(n);
    let lane = warp::lane();
    // SAFETY: `shape` asks for these bytes; they are the stage's while panels are loaded and stored, with barriers between.
    let (board, stage) = unsafe { (Board::<T, R, NB, Q>::new(warps, panels), Stage::<T, R, NB>::new()) };

    let a = args.a.matrix(b);
    let mut tiles = Tiles::<T, R, NB, Q>::new(panels);
    let mut first = warp::index() * NB as u32;
    for _ in 0..opaque(Q as u32) {
        tiles.push(stage.load(&a, first, n, n));
        first += warps * NB as u32;
    }
    sync_threads();
    if warp::index() == 0 {
        board.clear();
    }
    eliminate::<T, R, NB, Q, 0, false>(&mut tiles, &board, n, panels);

    sync_threads();
    let mut k = thread::index();
    while k < n {
        args.pivots.store(b as i64 * n as i64 + k as i64, board.interchanges().load(k));
        k += block::dim();
    }
    let positions = Positions::<R>::load(board.positions(panels + 1)).0;
    let mut finite = true;
    for s in 0..Q {
        for r in 0..R {
            for c in 0..NB {
                finite &= tiles.panels[s][r][c].is_finite();
            }
        }
    }
    let non_finite = any_thread(!finite, board.flags());
    if warp::index() == 0 {
        let status = if non_finite { NON_FINITE } else { zero_pivot(board.pivots(), n) };
        if lane == 0 {
            args.status.store(b as i64, status);
        }
    }
    sync_threads(); // the board becomes the stage
    let lu = args.lu.matrix(b);
    let mut s = 0;
    while s < opaque(Q as u32) {
        if tiles.is_factored(s as usize) {
            stage.store(&tiles.panels[0], &positions, &lu, tiles.factored_panel(s as usize) * NB as u32, n);
        }
        tiles.push(tiles.panels[0]);
        s += 1;
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
