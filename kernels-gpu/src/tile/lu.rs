//! LU by a block a matrix, in registers.

use simt::hint::opaque;
use simt::shared::Shared;
use simt::{block, sync_threads, warp};

use crate::lu::{LuArgs, NON_FINITE};
use crate::matrix::GlobalMatrix;
use crate::scalar::{Scalar, ScalarKind};
use crate::shape::{Problem, Shape};
use crate::tile::board::Board;
use crate::tile::eliminate::eliminate;
use crate::tile::replay::replay;
use crate::tile::staging::Stage;
use crate::tile::tiles::Tiles;
use crate::tile::wide::Wide;
use crate::vote::any_thread;

/// Panels of a matrix of order `n`.
#[inline(always)]
pub(super) const fn panels<const NB: usize>(n: u32) -> u32 {
    n.div_ceil(NB as u32)
}

/// Shape of [`lu_tile`], by up to `W` warps. Where these cannot hold the whole matrix, `PARTS` says that they may hold one
/// part of its panels after the other.
#[must_use]
pub fn shape<T: Scalar, const R: usize, const NB: usize, const Q: usize, const W: u32, const PARTS: bool>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    let whole = panels::<NB>(problem.n).div_ceil(Q as u32);
    if !PARTS {
        return shape_of::<T, R, NB, Q>(problem, whole, W);
    }
    let warps = if whole < W { whole } else { W };
    let shape = shape_of::<T, R, NB, Q>(problem, warps, W);
    let both = Board::<T, R, NB, Q>::bytes(warps, panels::<NB>(problem.n)) + Stage::<T, R, NB>::bytes(warps);
    Shape { shared_bytes: if shape.shared_bytes < both { both } else { shape.shared_bytes }, ..shape }
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
///
/// Parts of the panels that are done are put away with their rows where they were, as all rows keep to their lanes. They
/// go to their final positions at the end, when these are known.
#[inline(always)]
pub fn lu_tile<T: Wide, const R: usize, const NB: usize, const Q: usize, const PARTS: bool>(args: LuArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let warps = block::dim() / warp::SIZE;
    let panels = panels::<NB>(n);
    let lane = warp::lane();
    let (a, lu) = (args.a.matrix(b), args.lu.matrix(b));
    // SAFETY: `shape` asks for these bytes. Without parts the stage has those of the board, with barriers between their uses.
    let (board, stage) = unsafe {
        let offset = if PARTS { Board::<T, R, NB, Q>::bytes(warps, panels) } else { 0 };
        (Board::<T, R, NB, Q>::new(warps, panels), Stage::<T, R, NB>::new(offset))
    };

    let mut rows = [0; R]; // this lane's
    for r in 0..R {
        rows[r] = lane + 32 * r as u32;
    }
    let mut finite = true;
    let mut first = 0; // panel that the block holds
    let mut tiles;
    loop {
        tiles = Tiles::<T, R, NB, Q>::new(first);
        let mut column = (first + warp::index()) * NB as u32;
        for _ in 0..opaque(Q as u32) {
            tiles.push(stage.load(&a, column, n, n));
            column += warps * NB as u32;
        }
        sync_threads();
        if first == 0 && warp::index() == 0 {
            board.clear();
        }
        let end = if PARTS && first + Q as u32 * warps < panels { first + Q as u32 * warps } else { panels };
        if PARTS {
            replay(&mut tiles, &board, &lu, n, first..end);
        }
        eliminate::<T, R, NB, Q, 0, false>(&mut tiles, &board, n, (first, end));
        for s in 0..Q {
            for r in 0..R {
                for c in 0..NB {
                    finite &= tiles.panels[s][r][c].is_finite();
                }
            }
        }
        if end == panels {
            break;
        }
        put_away(&mut tiles, &stage, &rows, &lu, n);
        sync_threads();
        first = end;
    }

    let non_finite = any_thread(!finite, board.flags());
    let mut positions = rows; // where rows go; where not all is finite, rows of the padding may have been pivot rows
    for r in 0..R {
        if rows[r] < n && !non_finite {
            positions[r] = board.steps(panels - 1).load(rows[r]);
        }
    }
    if warp::index() == 0 {
        let mut k = lane;
        while k < n {
            let pivot = if non_finite { k } else { board.interchanges().load(k) };
            args.pivots.store(b as i64 * n as i64 + k as i64, pivot);
            k += warp::SIZE;
        }
        let status = if non_finite { NON_FINITE } else { zero_pivot(board.pivots(), n) };
        if lane == 0 {
            args.status.store(b as i64, status);
        }
    }
    sync_threads(); // the board may become the stage
    put_away(&mut tiles, &stage, &positions, &lu, n);
    if PARTS {
        let mut p = warp::index();
        while p < first {
            let panel = stage.load(&lu, p * NB as u32, n, n);
            stage.store(&panel, &positions, &lu, p * NB as u32, n);
            p += warps;
        }
    }
}

/// Stores this warp's panels, rows at `positions`.
#[inline(always)]
fn put_away<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    tiles: &mut Tiles<T, R, NB, Q>,
    stage: &Stage<T, R, NB>,
    positions: &[u32; R],
    lu: &GlobalMatrix<T>,
    n: u32,
) {
    for _ in 0..opaque(Q as u32) {
        stage.store(&tiles.panels[0], positions, lu, tiles.panel(0) * NB as u32, n);
        tiles.turn();
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
