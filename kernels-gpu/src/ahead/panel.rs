//! What the panel warp does.

use simt::hint::opaque;
use simt::shared::Shared;
use simt::warp;

use crate::ahead::NB;
use crate::ahead::board::Board;
use crate::ahead::choose::{Choice, MAGNITUDE, choose, choose_exactly};
use crate::product::Product;
use crate::scalar::{Real, Scalar};
use crate::wide::Wide;

/// A lane's rows of a panel.
pub struct Rows<T, const R: usize> {
    /// Row `32 * r + lane`. Columns move up by one with each that is eliminated, and that comes last.
    x: [[T; NB]; R],
    /// The bits of its key that are a magnitude's; none for rows that may not become pivot rows.
    open: [u32; R],
    lane: u32,
    /// The pivot row of the panel's column whose number this lane has.
    pivot_row: u32,
    /// Whether all pivots were finite.
    pub finite: bool,
    /// The first zero pivot, counted from 1, or 0.
    zero: u32,
}

/// The number of row `r` of a lane.
#[inline(always)]
pub fn number(r: usize, lane: u32) -> u32 {
    32 * r as u32 + lane
}

impl<T: Product, const R: usize> Rows<T, R> {
    /// The rows of a matrix of order `n`, before its first panel.
    #[inline(always)]
    pub fn new(n: u32) -> Self {
        let lane = opaque(warp::lane());
        let mut open = [0; R];
        for r in 0..R {
            open[r] = if number(r, lane) < n { MAGNITUDE } else { 0 };
        }
        Self { x: [[T::ZERO; NB]; R], open, lane, pivot_row: 0, finite: true, zero: 0 }
    }

    /// The number of row `r`.
    #[inline(always)]
    fn number(&self, r: usize) -> u32 {
        number(r, self.lane)
    }

    /// Column `c`.
    #[inline(always)]
    fn column(&self, c: usize) -> [T; R] {
        let mut column = [T::ZERO; R];
        for r in 0..R {
            column[r] = self.x[r][c];
        }
        column
    }

    /// Takes the panel that is handed over.
    #[inline(always)]
    pub fn take<const B: usize, const Q: usize>(&mut self, board: &Board<T, B, Q>) {
        for r in 0..R {
            if self.number(r) < Board::<T, B, Q>::ROWS {
                self.x[r] = load_row(|part| board.handed(part, self.number(r)));
            }
        }
    }

    /// Shows row `number` to all lanes, as that of step `k`.
    #[inline(always)]
    fn show<const B: usize, const Q: usize>(&self, board: &Board<T, B, Q>, k: u32, number: u32) {
        for r in 0..R {
            if self.number(r) == number {
                for part in 0..T::PARTS {
                    T::Real::store_row(board.candidate(k, part), &self.x[r].map(|x| x.to_parts()[part]), 0);
                }
            }
        }
    }

    /// Publishes panel `p`, of which `done` columns were eliminated.
    #[inline(always)]
    fn publish<const B: usize, const Q: usize>(&self, board: &Board<T, B, Q>, p: u32, done: u32) {
        for r in 0..R {
            if self.number(r) < Board::<T, B, Q>::ROWS {
                for c in 0..NB {
                    let parts = self.x[r][c].to_parts();
                    for part in 0..T::PARTS {
                        let column = board.factored(p, part, (c as u32 + done) % NB as u32);
                        column.store(Board::<T, B, Q>::place(self.number(r)), parts[part]);
                    }
                }
            }
        }
    }

    /// Factors panel `p` of a matrix of order `n`, which it has taken, and publishes it: it is there after a barrier.
    #[inline(always)]
    pub fn factor<const B: usize, const Q: usize>(&mut self, board: &Board<T, B, Q>, p: u32, n: u32) {
        let first = p * NB as u32;
        let columns = if n - first < NB as u32 { n - first } else { NB as u32 };
        let mut choice = choose(&self.column(0), &self.open, self.lane);
        let mut c = 0;
        while c < opaque(columns) {
            choice = self.eliminate(board, first + c, choice);
            c += 1;
        }
        self.publish(board, p, columns);
        if self.lane < columns {
            board.pivot_rows.store(first + self.lane, self.pivot_row);
            board.set_step(self.pivot_row, first + self.lane);
        }
        if self.lane == 0 {
            board.zero.store(0, self.zero);
        }
    }

    /// Eliminates the first column of the panel, the `k`-th of the matrix, in all rows but the pivot row, which has zero there. In the
    /// end the panel is its part of the inverse less that of the unit matrix, but for its rows' division by their pivots
    /// (in-place Gauss-Jordan). Returns the choice for the next column, made before all others are updated: each hides the
    /// other's latency.
    #[inline(always)]
    fn eliminate<const B: usize, const Q: usize>(
        &mut self,
        board: &Board<T, B, Q>,
        k: u32,
        mut choice: Choice<T>,
    ) -> Choice<T> {
        let mut l = [T::ZERO; R];
        if choice.is_moderate {
            self.show(board, k, choice.row);
            if self.lane == choice.row % warp::SIZE {
                board.reciprocals.store(k, choice.reciprocal);
            }
            warp::sync(warp::ALL);
            let reciprocal = board.reciprocals.load(k);
            for r in 0..R {
                l[r] = T::ZERO.sub_mul(-self.x[r][0], reciprocal);
            }
        } else {
            choice.row = choose_exactly(&self.column(0), &self.open, self.lane);
            self.show(board, k, choice.row);
            warp::sync(warp::ALL);
            let pivot = load_row::<T>(|part| board.candidate(k, part))[0];
            let scale = T::Real::safe_scale(pivot.abs1());
            let is_zero = pivot == T::ZERO;
            let reciprocal = if is_zero { T::ONE } else { -pivot.scale(scale).reciprocal() };
            if self.lane == 0 {
                board.scales.store(k, scale);
                board.reciprocals.store(k, reciprocal);
            }
            for r in 0..R {
                l[r] = if is_zero { T::ZERO } else { self.x[r][0].scale(scale) * reciprocal };
            }
            self.finite &= pivot.is_finite();
            self.zero = if is_zero && self.zero == 0 { k + 1 } else { self.zero };
        }
        self.pivot_row = if self.lane == k % NB as u32 { choice.row } else { self.pivot_row };
        let row: [T; NB] = load_row(|part| board.candidate(k, part));
        let mut next = [T::ZERO; R];
        for r in 0..R {
            let is_pivot = self.number(r) == choice.row;
            self.open[r] = opaque(if is_pivot { 0 } else { self.open[r] });
            l[r] = if is_pivot { T::ZERO } else { l[r] };
            next[r] = self.x[r][1].sub_mul(-l[r], row[1]);
        }
        let choice = choose(&next, &self.open, self.lane);
        for r in 0..R {
            self.x[r][0] = next[r];
            for i in 2..NB {
                self.x[r][i - 1] = self.x[r][i].sub_mul(-l[r], row[i]);
            }
            self.x[r][NB - 1] = l[r];
        }
        choice
    }
}

/// The row of a panel whose parts are there.
#[inline(always)]
fn load_row<T: Product>(part: impl Fn(usize) -> Shared<T::Real>) -> [T; NB] {
    let mut parts = [[T::Real::ZERO; NB]; 2];
    for i in 0..T::PARTS {
        parts[i] = T::Real::load_row(part(i), 0);
    }
    let mut row = [T::ZERO; NB];
    for c in 0..NB {
        row[c] = T::of_parts([parts[0][c], parts[1][c]]);
    }
    row
}
