//! A warp's way through its strips.

use simt::hint::opaque;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::warp;

use crate::memory::vector::Vectorized;
use crate::operation::getrs::cluster_per_rhs::exchange::{Exchange, GROUP, GROUPS};
use crate::operation::getrs::cluster_per_rhs::factors::{Rows, System};
use crate::operation::getrs::cluster_per_rhs::strips::{STRIP, Strips};
use crate::operation::getrs::cluster_per_rhs::sweep::{BACKWARD, FORWARD, Sweep};
use crate::operation::getrs::cluster_per_rhs::triangle::Triangles;

/// The largest order at which each sum is one, in the order of turns: up to it, a warp a right-hand side must have the
/// same bits.
const ONE_SUM: u32 = 512;

/// From a column of a staged tile to the next: so that neither its rows nor its columns fall into the same banks.
const TILE_COLUMN: u32 = STRIP + 1;

/// What a block keeps in shared memory.
#[derive(Clone, Copy)]
pub struct SharedStorage<T: Vectorized> {
    x: Shared<T>,            // the solution: shape (strips, STRIP)
    arrived: Shared<u64>,    // the mbarriers of its groups: shape (2, strips, GROUPS)
    triangles: Triangles<T>, // of the warps
    staged: Shared<T>,       // the warps' tiles on their way from columns to rows: shape (WARPS, WIDTH, TILE_COLUMN)
    /// Of a vote: shape (32).
    pub flags: Shared<u32>,
}

/// The memory of a block of `WARPS` warps, for a matrix of order `n`.
#[inline(always)]
pub fn shared_storage<T: Vectorized, const WIDTH: usize, const WARPS: usize>(
    layout: &mut Layout,
    n: u32,
) -> SharedStorage<T> {
    let (strips, warps) = (n.div_ceil(STRIP), WARPS as u32);
    SharedStorage {
        x: layout.array(strips * STRIP),
        arrived: layout.array(2 * strips * GROUPS),
        triangles: Triangles::array(layout, warps),
        staged: layout.array(warps * WIDTH as u32 * TILE_COLUMN),
        flags: layout.array(32),
    }
}

/// The substitutions of a solution.
#[derive(Clone, Copy)]
pub struct Sweeps {
    /// The first, [`FORWARD`] or [`BACKWARD`].
    pub first: u32,
    /// The last, which may be the same.
    pub last: u32,
    /// Whether the lower triangle has the diagonal that is all ones; else the upper one has.
    pub lower_is_unit: bool,
    /// Whether the factors are to be conjugated.
    pub is_conjugated: bool,
}

/// What a warp solves with; `WIDTH` columns of its strip are on their way at a time.
#[derive(Clone, Copy)]
pub struct Solver<T: Vectorized, const WIDTH: usize> {
    /// The solution.
    pub exchange: Exchange<T>,
    strips: Strips,
    triangles: Triangles<T>,
    staged: Shared<T>,
    n: u32,
}

impl<T: Vectorized, const WIDTH: usize> Solver<T, WIDTH> {
    /// That of a warp, for a matrix of order `n`.
    #[inline(always)]
    #[must_use]
    pub fn new(shared: &SharedStorage<T>, n: u32) -> Self {
        let strips = Strips::new(n);
        Self {
            exchange: Exchange::new(shared.x, shared.arrived, strips),
            strips,
            triangles: shared.triangles.of_this_warp(),
            staged: shared.staged.offset(warp::index() * WIDTH as u32 * TILE_COLUMN),
            n,
        }
    }

    /// Solves the system, and returns whether the solution is finite. By all warps of the cluster. Lanes read along
    /// rows of the factors (`BY_ROWS`), or along columns.
    ///
    /// For that it looks at the first row only, which is solved for last: an element that is not finite makes all that
    /// are solved for after it so, as these are what remains after a multiple of it was subtracted. Without a back
    /// substitution it does not look.
    #[inline(always)]
    pub fn solve<S: System<T>, const BY_ROWS: bool>(&self, system: &S, sweeps: &Sweeps) -> bool {
        let sweep = |number: u32| Sweep {
            number,
            n: self.n,
            is_unit: sweeps.lower_is_unit == (number == FORWARD),
            is_conjugated: sweeps.is_conjugated,
        };
        let mut number = opaque(sweeps.first); // else LLVM has two loops
        while number <= sweeps.last {
            let sweep = sweep(number);
            self.strips.each(sweep.is_backward(), |strip| {
                let rows = system.rows(&sweep, strip);
                let first_turn = sweep.first_turn(strip);
                let x = self.strip::<_, BY_ROWS>(&rows, &sweep, first_turn, || {
                    if number == sweeps.first { system.load(strip) } else { self.solved(strip) }
                });
                if number == sweeps.last {
                    system.store(strip, x);
                }
            });
            number += 1;
        }
        sweeps.last == FORWARD || self.exchange.last(&sweep(BACKWARD)).is_finite()
    }

    /// What the forward substitution left for this lane's row of a strip.
    #[inline(always)]
    fn solved(&self, strip: u32) -> T {
        let row = strip * STRIP + warp::lane();
        if row < self.n { self.exchange.after_forward(row) } else { T::ZERO }
    }

    /// Makes all of the solution NaN.
    #[inline(always)]
    pub fn store_nan(&self, system: &impl System<T>) {
        self.strips.each(false, |strip| system.store(strip, T::NAN));
    }

    /// Solves for the rows of a strip. Returns this lane's.
    #[inline(always)]
    fn strip<R: Rows<T>, const BY_ROWS: bool>(
        &self,
        rows: &R,
        sweep: &Sweep,
        first_turn: u32,
        side: impl FnOnce() -> T,
    ) -> T {
        const { assert!(STRIP.is_multiple_of(WIDTH as u32) && WIDTH.is_multiple_of(GROUP), "whole groups and tiles") };
        // The elements that are on their way: of this lane's row, or of a column.
        let mut next: [T; WIDTH] = if BY_ROWS { along_columns(rows, 0) } else { rows.own(0) };
        let diagonal = self.triangles.prepare(rows, sweep, first_turn);
        let receivers = self.exchange.receivers(sweep, sweep.row(first_turn) / STRIP);
        let mut y = side();
        let end = first_turn + STRIP;
        let mut tile = 0;
        while tile < end {
            let after = tile + WIDTH as u32;
            if BY_ROWS {
                self.stage(&next);
                if after < end {
                    next = along_columns(rows, after);
                }
            }
            // Of large systems a tile's products are added up apart: to be added one by one to a sum of many, as much would
            // be rounded off each of them as off all together.
            let is_apart = self.n > ONE_SUM && tile < first_turn;
            let mut rest = if is_apart { T::ZERO } else { y };
            for g in 0..WIDTH / GROUP {
                let turn = tile + (g * GROUP) as u32;
                let x = if turn < first_turn {
                    self.exchange.wait(sweep, turn)
                } else {
                    let x = self.triangles.solve(diagonal, sweep, (turn - first_turn) / GROUP as u32, rest);
                    self.exchange.store(sweep, turn, &x);
                    x
                };
                for i in 0..GROUP {
                    let c = g * GROUP + i;
                    let a = if BY_ROWS { self.staged.load(c as u32 * TILE_COLUMN + warp::lane()) } else { next[c] };
                    rest = rest.sub_mul(if sweep.is_conjugated { a.conj() } else { a }, x[i]);
                }
                if turn >= first_turn {
                    self.exchange.send(sweep, turn, receivers);
                }
                if !BY_ROWS && after < end {
                    let part: [T; GROUP] = rows.own(after + (g * GROUP) as u32);
                    for i in 0..GROUP {
                        next[g * GROUP + i] = part[i];
                    }
                }
            }
            y = if is_apart { y + rest } else { rest };
            tile = after;
        }
        warp::sync(warp::ALL);
        self.exchange.own(sweep, first_turn + sweep.lane(warp::lane()))
    }

    /// Puts a tile of which lanes have parts of columns where they find their rows.
    #[inline(always)]
    fn stage(&self, tile: &[T; WIDTH]) {
        let (column, first) = lane_in_tile::<WIDTH>();
        warp::sync(warp::ALL); // all lanes are done with the tile before
        for i in 0..WIDTH {
            self.staged.store(column * TILE_COLUMN + first + i as u32, tile[i]);
        }
        warp::sync(warp::ALL);
    }
}

/// The column of a tile that this lane loads a part of, and the first row of that: shape (WIDTH).
#[inline(always)]
fn lane_in_tile<const WIDTH: usize>() -> (u32, u32) {
    let (lane, width) = (warp::lane(), WIDTH as u32);
    (lane % width, lane / width * width)
}

/// This lane's part of the tile that begins at `turn`.
#[inline(always)]
fn along_columns<T, const WIDTH: usize>(rows: &impl Rows<T>, turn: u32) -> [T; WIDTH] {
    let (column, first) = lane_in_tile::<WIDTH>();
    rows.column(turn + column, first)
}
