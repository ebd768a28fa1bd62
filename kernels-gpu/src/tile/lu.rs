//! LU by a block a matrix, in registers.

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
use crate::tile::tiles::{Tiles, own_rows};
use crate::vote::any_thread;
use crate::wide::Wide;

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
#[inline(always)]
pub fn lu_tile<T: Wide, const R: usize, const NB: usize, const Q: usize, const PARTS: bool>(args: LuArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let (board, stage) = memory::<T, R, NB, Q, PARTS>(n);
    let lu = args.lu.matrix(b);
    let last = factor_parts::<T, R, NB, Q, PARTS>(&args.a.matrix(b), &lu, &board, &stage, n);

    if warp::index() == 0 {
        let mut k = warp::lane();
        while k < n {
            let pivot = if last.is_finite { board.interchanges().load(k) } else { k };
            args.pivots.store(b as i64 * n as i64 + k as i64, pivot);
            k += warp::SIZE;
        }
        let status = last.status(&board, n);
        if warp::lane() == 0 {
            args.status.store(b as i64, status);
        }
    }
    last.put_in_order(&board, &stage, &lu, n);
}

/// The board and the stage of a matrix of order `n`.
#[inline(always)]
pub(super) fn memory<T: Wide, const R: usize, const NB: usize, const Q: usize, const PARTS: bool>(
    n: u32,
) -> (Board<T, R, NB, Q>, Stage<T, R, NB>) {
    let (warps, panels) = (block::dim() / warp::SIZE, panels::<NB>(n));
    // SAFETY: `shape` asks for these bytes. Without parts the stage has those of the board, with barriers between their uses.
    unsafe {
        let offset = if PARTS { Board::<T, R, NB, Q>::bytes(warps, panels) } else { 0 };
        (Board::<T, R, NB, Q>::new(warps, panels), Stage::<T, R, NB>::new(offset))
    }
}

/// The last part of a matrix's panels, all eliminated. Where `PARTS`, all of them were put away.
struct LastPart<T, const R: usize, const NB: usize, const Q: usize, const PARTS: bool> {
    tiles: Tiles<T, R, NB, Q>,
    /// Whether all numbers are.
    is_finite: bool,
}

/// Factors a matrix of order `n`, part after part of its panels.
///
/// Panels that are done are put away with their rows where they were, as all rows keep to their lanes.
#[inline(always)]
fn factor_parts<T: Wide, const R: usize, const NB: usize, const Q: usize, const PARTS: bool>(
    a: &GlobalMatrix<T>,
    lu: &GlobalMatrix<T>,
    board: &Board<T, R, NB, Q>,
    stage: &Stage<T, R, NB>,
    n: u32,
) -> LastPart<T, R, NB, Q, PARTS> {
    let size = Q as u32 * (block::dim() / warp::SIZE);
    let panels = panels::<NB>(n);
    let mut finite = true;
    let mut first = 0;
    loop {
        let mut tiles = Tiles::<T, R, NB, Q>::new(first);
        stage.load_all(&mut tiles, a, n);
        sync_threads();
        if first == 0 && warp::index() == 0 {
            board.clear();
        }
        let end = if PARTS && first + size < panels { first + size } else { panels };
        if PARTS {
            replay::<T, R, NB, Q, false>(&mut tiles, board, lu, n, first..end, 0..first);
        }
        eliminate::<T, R, NB, Q, 0, false>(&mut tiles, board, n, (first, end), false, true);
        for s in 0..Q {
            for r in 0..R {
                for c in 0..NB {
                    finite &= tiles.panels[s][r][c].is_finite();
                }
            }
        }
        if PARTS {
            put_away(&tiles, stage, &own_rows(), lu, n);
            sync_threads();
        }
        if end == panels {
            return LastPart { tiles, is_finite: !any_thread(!finite, board.flags()) };
        }
        first = end;
    }
}

impl<T: Wide, const R: usize, const NB: usize, const Q: usize, const PARTS: bool> LastPart<T, R, NB, Q, PARTS> {
    /// The status of the factorization. By a warp.
    #[inline(always)]
    fn status(&self, board: &Board<T, R, NB, Q>, n: u32) -> i32 {
        if self.is_finite { zero_pivot(board.pivots(), n) } else { NON_FINITE }
    }

    /// Brings the rows of all panels to their final positions.
    #[inline(always)]
    fn put_in_order(&self, board: &Board<T, R, NB, Q>, stage: &Stage<T, R, NB>, lu: &GlobalMatrix<T>, n: u32) {
        let panels = panels::<NB>(n);
        let mut positions = own_rows::<R>(); // where not all is finite, rows of the padding may have been pivot rows
        for r in 0..R {
            if positions[r] < n && self.is_finite {
                positions[r] = board.steps(panels - 1).load(positions[r]);
            }
        }
        sync_threads(); // the board may become the stage
        if !PARTS {
            put_away(&self.tiles, stage, &positions, lu, n);
            return;
        }
        let mut p = warp::index();
        while p < panels {
            let panel = stage.load(lu, p * NB as u32, n);
            stage.store(&panel, &positions, lu, p * NB as u32, n);
            p += block::dim() / warp::SIZE;
        }
    }
}

/// Stores this warp's panels, rows at `positions`.
#[inline(always)]
pub(super) fn put_away<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    tiles: &Tiles<T, R, NB, Q>,
    stage: &Stage<T, R, NB>,
    positions: &[u32; R],
    lu: &GlobalMatrix<T>,
    n: u32,
) {
    for s in 0..Q {
        stage.store(&tiles.panels[s], positions, lu, tiles.panel(s) * NB as u32, n);
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
