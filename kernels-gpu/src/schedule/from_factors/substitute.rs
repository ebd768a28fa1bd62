//! Substitution with a block on the diagonal.
//!
//! The four lanes that hold a row of a tile have two columns each. They take turns: one solves for its two, and the
//! others subtract these times the multipliers in their own columns.

use simt::shared::Shared;
use simt::warp;

use crate::collective::divisors::Divisors;
use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::from_factors::NB;

/// Lanes that share a row.
const LANES: usize = 4;

/// A lane's part of a block on the diagonal.
pub(super) struct Diagonal<T: Mma, const IS_UPPER: bool, const IS_UNIT: bool> {
    /// The lane's columns, one after the other: shape (2, NB).
    columns: Shared<T>,
    /// Between these: what the second one's right-hand side has of the first one's solution.
    own: T,
    /// For these.
    reciprocals: [T; 2],
    scales: [T::Real; 2],
}

impl<T: Mma, const IS_UPPER: bool, const IS_UNIT: bool> Diagonal<T, IS_UPPER, IS_UNIT> {
    /// Loads it. `block` is column after column, of shape (NB, NB); `k` is its panel.
    #[inline(always)]
    pub(super) fn load(block: Shared<T>, divisors: &Divisors<T>, k: u32) -> Self {
        let column = fragment::column();
        let columns = block.offset(column * NB);
        let own = columns.load(if IS_UPPER { NB + column } else { column + 1 });
        let (mut reciprocals, mut scales) = ([T::ONE; 2], [T::ONE.abs1(); 2]);
        if !IS_UNIT {
            for c in 0..2 {
                reciprocals[c] = divisors.reciprocals.load(k * NB + column + c as u32);
                scales[c] = divisors.scales.load(k * NB + column + c as u32);
            }
        }
        Self { columns, own, reciprocals, scales }
    }

    /// The multipliers in this lane's columns, of the rows that another lane of the four solves, by row and column;
    /// zeros where that is itself, or comes later.
    #[inline(always)]
    fn multipliers(&self, other: u32) -> [[T; 2]; 2] {
        let lane = warp::lane() % LANES as u32;
        let is_before = if IS_UPPER { other < lane } else { other > lane };
        let mut multipliers = [[T::ZERO; 2]; 2];
        for c in 0..2 {
            let pair = T::load_pair(self.columns.offset(c * NB + 2 * other));
            for r in 0..2 {
                multipliers[r][c as usize] = if is_before { pair[r] } else { T::ZERO };
            }
        }
        multipliers
    }

    /// Solves in a tile, whose rows become those of X.
    #[inline(always)]
    pub(super) fn substitute(&self, tile: &mut T::Tile) {
        let mut rest = [0, 1, 2, 3].map(|e| T::get(tile, e));
        for turn in 0..LANES - 1 {
            let lane = if IS_UPPER { turn } else { LANES - 1 - turn };
            let multipliers = self.multipliers(lane as u32);
            let solved = self.solve_own(rest).map(|x| shuffle_from(x, lane as u32));
            for e in 0..4 {
                for c in 0..2 {
                    rest[e] = rest[e].sub_mul(solved[e / 2 * 2 + c], multipliers[c][e % 2]);
                }
            }
        }
        let solved = self.solve_own(rest);
        for e in 0..4 {
            T::set(tile, e, solved[e]);
        }
    }

    /// Solves for this lane's columns, of both of its rows.
    #[inline(always)]
    fn solve_own(&self, rest: [T; 4]) -> [T; 4] {
        let mut x = rest;
        for row in 0..2 {
            let own = if IS_UPPER { [rest[2 * row], rest[2 * row + 1]] } else { [rest[2 * row + 1], rest[2 * row]] };
            let first = self.divide(own[0], if IS_UPPER { 0 } else { 1 });
            let second = self.divide(own[1].sub_mul(first, self.own), if IS_UPPER { 1 } else { 0 });
            x[2 * row] = if IS_UPPER { first } else { second };
            x[2 * row + 1] = if IS_UPPER { second } else { first };
        }
        x
    }

    #[inline(always)]
    fn divide(&self, x: T, c: usize) -> T {
        if IS_UNIT { x } else { x.scale(self.scales[c]) * self.reciprocals[c] }
    }
}

/// The value of one of the four lanes that share a row.
#[inline(always)]
fn shuffle_from<T: Mma>(x: T, lane: u32) -> T {
    warp::shuffle(warp::ALL, x, (warp::lane() & !(LANES as u32 - 1)) + lane)
}
