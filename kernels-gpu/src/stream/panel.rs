//! A panel factored by a warp: each lane has whole rows of it.

use simt::hint::opaque;
use simt::warp;

use crate::product::Product;
use crate::scalar::Real;
use crate::stream::NB;
use crate::stream::board::{Board, WORDS};
use crate::stream::choose::{Choice, choose, choose_exactly};

/// The row of a panel that is row `r` of this lane.
#[inline(always)]
pub fn slot(r: usize) -> u32 {
    32 * r as u32 + warp::lane()
}

/// A lane's rows of a panel, and of `K` right-hand sides.
struct Rows<T, const R: usize, const K: usize> {
    /// Row [`slot`]`(r)`. Columns move up by one with each that is eliminated; what follows them is of no use.
    x: [[T; NB]; R],
    /// The bits of its key that are a magnitude's; none for rows that may not become pivot rows.
    open: [u32; R],
    /// The right-hand side's numbers in these rows.
    sides: [[T; K]; R],
}

/// Factors panel `p` of a matrix of order `n`, whose rows are in the board, where L replaces it, and does the same to `K` right-hand sides, one
/// at most. `zero` becomes the first zero pivot, counted from 1, unless there was one.
#[inline(always)]
pub fn factor<T: Product, const R: usize, const K: usize>(board: &Board<T>, p: u32, n: u32, zero: &mut u32) {
    let left = n - p * NB as u32;
    let columns = if left < NB as u32 { left } else { NB as u32 };
    let mut rows = Rows { x: [[T::ZERO; NB]; R], open: [0; R], sides: [[T::ZERO; K]; R] };
    for r in 0..R {
        if slot(r) < board.height(p) {
            rows.x[r] = board.panel(p).load_row(slot(r));
            for k in 0..K {
                rows.sides[r][k] = board.side(p).load(slot(r));
            }
        }
        rows.open[r] = if slot(r) < left { u32::MAX / 2 } else { 0 };
    }
    if K > 0 {
        warp::sync(warp::ALL); // the right-hand side is read
    }
    let mut choice = choose(&rows.column(0), &rows.open);
    let mut c = 0;
    while c < opaque(columns.min(NB as u32 / 2)) {
        choice = rows.eliminate::<NB>(board, (p, c), choice, zero);
        c += 1;
    }
    while c < opaque(columns) {
        choice = rows.eliminate::<{ NB / 2 }>(board, (p, c), choice, zero);
        c += 1;
    }
    for r in 0..WORDS {
        let open = if r < R { warp::ballot(warp::ALL, rows.open[r] != 0 || slot(r) >= left) } else { u32::MAX };
        if warp::lane() == 0 {
            board.open(p).store(r as u32, open);
        }
    }
    let pivots = board.slots(p).load();
    for r in 0..R {
        for k in 0..K {
            if rows.open[r] != 0 {
                board.side(p).store(pivots.position(slot(r), NB as u32), rows.sides[r][k]);
            }
        }
    }
}

impl<T: Product, const R: usize, const K: usize> Rows<T, R, K> {
    /// Column `c`.
    #[inline(always)]
    fn column(&self, c: usize) -> [T; R] {
        let mut column = [T::ZERO; R];
        for r in 0..R {
            column[r] = self.x[r][c];
        }
        column
    }

    /// Shows this lane's row, if it is chosen, to all lanes, as that of column `c` of panel `p`.
    #[inline(always)]
    fn show<const LEFT: usize>(&self, board: &Board<T>, (p, c): (u32, u32), choice: &Choice<T>) {
        for r in 0..R {
            if choice.own == Some(r) {
                let mut row = [T::ZERO; LEFT];
                row.copy_from_slice(&self.x[r][..LEFT]);
                T::store_row(board.pivot(p, c), &row, 0);
                board.slots(p).store(c, slot(r));
                for k in 0..K {
                    board.side(p).store(c, self.sides[r][k]);
                }
            }
        }
        if choice.own.is_some() {
            board.pivot(p, c).store(NB as u32, choice.reciprocal);
        }
        warp::sync(warp::ALL);
    }

    /// Eliminates column `c` of panel `p`, which is the first of `LEFT` here at most. Returns the choice for the next column, made before all others
    /// are updated: each hides the other's latency. Rows that were pivot rows go along; nothing of them is used.
    #[inline(always)]
    fn eliminate<const LEFT: usize>(
        &mut self,
        board: &Board<T>,
        (p, c): (u32, u32),
        mut choice: Choice<T>,
        zero: &mut u32,
    ) -> Choice<T> {
        let mut l = [T::ZERO; R];
        if choice.is_plain {
            self.show::<LEFT>(board, (p, c), &choice);
            let reciprocal = board.pivot(p, c).load(NB as u32);
            for r in 0..R {
                l[r] = self.x[r][0] * reciprocal;
            }
        } else {
            choice.own = choose_exactly(&self.column(0), &self.open, c, board.slots(p));
            self.show::<LEFT>(board, (p, c), &choice);
            let pivot = board.pivot(p, c).load(0);
            let scale = T::Real::safe_scale(pivot.abs1());
            let (reciprocal, is_zero) = (pivot.scale(scale).reciprocal(), pivot == T::ZERO);
            for r in 0..R {
                l[r] = if is_zero { T::ZERO } else { self.x[r][0].scale(scale) * reciprocal };
            }
            *zero = if is_zero && *zero == 0 { p * NB as u32 + c + 1 } else { *zero };
        }
        let row: [T; LEFT] = T::load_row(board.pivot(p, c), 0);
        let mut next = [T::ZERO; R];
        for r in 0..R {
            self.open[r] = opaque(if choice.own == Some(r) { 0 } else { self.open[r] });
            next[r] = self.x[r][1].sub_mul(l[r], row[1]);
        }
        let choice = choose(&next, &self.open);
        for k in 0..K {
            let known = board.side(p).load(c);
            for r in 0..R {
                self.sides[r][k] = self.sides[r][k].sub_mul(l[r], known);
            }
        }
        for r in 0..R {
            if slot(r) < board.height(p) {
                board.panel(p).store(slot(r), c, l[r]);
            }
            self.x[r][0] = next[r];
            for i in 2..LEFT {
                self.x[r][i - 1] = self.x[r][i].sub_mul(l[r], row[i]);
            }
        }
        choice
    }
}
