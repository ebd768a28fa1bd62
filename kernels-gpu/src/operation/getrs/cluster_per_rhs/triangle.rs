//! The substitution within a strip.
//!
//! Eight rows at a time: each lane gets the eight right-hand sides and solves for all eight, which takes one exchange
//! among the lanes instead of eight, and no longer otherwise. The triangles of these eight, and reciprocals of the
//! diagonal, are made ready before the strip's turn comes.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::warp;

use crate::memory::vector::Vectorized;
use crate::operation::getrs::cluster_per_rhs::exchange::{GROUP, GROUPS};
use crate::operation::getrs::cluster_per_rhs::factors::Rows;
use crate::operation::getrs::cluster_per_rhs::strips::STRIP;
use crate::operation::getrs::cluster_per_rhs::sweep::Sweep;
use numbers::scalar::Scalar;

/// Numbers of a triangle of eight rows, as a square.
const SQUARE: u32 = (GROUP * GROUP) as u32;

/// A warp's memory for the diagonal blocks of a strip.
#[derive(Clone, Copy)]
pub struct Triangles<T: Scalar> {
    /// The triangles of eight rows, column after column: shape (GROUPS, GROUP, GROUP).
    triangles: Shared<T>,
    /// Reciprocals of the scaled diagonal: shape (STRIP).
    reciprocals: Shared<T>,
    /// What right-hand sides are scaled by: shape (STRIP).
    scales: Shared<T::Real>,
}

/// What the division by the diagonal takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Diagonal {
    /// Nothing: it is all ones.
    Unit,
    /// A product with the reciprocal.
    Moderate,
    /// Scaling before, as some reciprocals would overflow or underflow.
    Scaled,
}

impl<T: Vectorized> Triangles<T> {
    /// The memory of `warps` warps.
    #[inline(always)]
    pub fn array(layout: &mut Layout, warps: u32) -> Self {
        Self {
            triangles: layout.array(warps * GROUPS * SQUARE),
            reciprocals: layout.array(warps * STRIP),
            scales: layout.array(warps * STRIP),
        }
    }

    /// That of this warp.
    #[inline(always)]
    #[must_use]
    pub fn of_this_warp(self) -> Self {
        Self {
            triangles: self.triangles.offset(warp::index() * GROUPS * SQUARE),
            reciprocals: self.reciprocals.offset(warp::index() * STRIP),
            scales: self.scales.offset(warp::index() * STRIP),
        }
    }

    /// Makes a strip's triangles ready, from its first turn on; the diagonal of rows that there are not is one.
    #[inline(always)]
    pub fn prepare(&self, rows: &impl Rows<T>, sweep: &Sweep, first_turn: u32) -> Diagonal {
        let turn = sweep.lane(warp::lane());
        let (group, i) = (turn / GROUP as u32, turn % GROUP as u32);
        let own: [T; GROUP] = rows.own(first_turn + group * GROUP as u32);
        let triangle = self.triangles.offset(group * SQUARE);
        let mut pivot = T::ONE;
        for q in 0..GROUP {
            let x = if sweep.is_conjugated { own[q].conj() } else { own[q] };
            triangle.store((q * GROUP) as u32 + i, x);
            pivot = if i == q as u32 && sweep.row(first_turn + turn) < sweep.n { x } else { pivot };
        }
        let (scale, reciprocal) = pivot.scaled_reciprocal();
        self.reciprocals.store(turn, reciprocal);
        self.scales.store(turn, scale);
        let is_moderate = warp::all(warp::ALL, scale == T::Real::ONE);
        warp::sync(warp::ALL);
        match (sweep.is_unit, is_moderate) {
            (true, _) => Diagonal::Unit,
            (_, true) => Diagonal::Moderate,
            _ => Diagonal::Scaled,
        }
    }

    /// Solves for group `group` of the strip, of whose rows the lanes have the right-hand sides `y`.
    #[inline(always)]
    #[must_use]
    pub fn solve(&self, diagonal: Diagonal, sweep: &Sweep, group: u32, y: T) -> [T; GROUP] {
        let mut x = [T::ZERO; GROUP];
        for i in 0..GROUP {
            x[i] = warp::shuffle(warp::ALL, y, sweep.lane(group * GROUP as u32 + i as u32));
        }
        match diagonal {
            Diagonal::Unit => self.substitute(group, &mut x, |_, x| x),
            Diagonal::Moderate => {
                let reciprocals: [T; GROUP] = T::load_row(self.reciprocals.offset(group * GROUP as u32), 0);
                self.substitute(group, &mut x, |i, x| x * reciprocals[i]);
            }
            Diagonal::Scaled => {
                let at = group * GROUP as u32;
                let (scales, reciprocals) = (self.scales.offset(at), self.reciprocals.offset(at));
                self.substitute(group, &mut x, |i, x| x.scale(scales.load(i as u32)) * reciprocals.load(i as u32));
            }
        }
        x
    }

    /// Solves with a triangle of eight rows, dividing by its diagonal with `divide`.
    #[inline(always)]
    fn substitute(&self, group: u32, x: &mut [T; GROUP], divide: impl Fn(usize, T) -> T) {
        let triangle = self.triangles.offset(group * SQUARE);
        for j in 0..GROUP {
            x[j] = divide(j, x[j]);
            let column: [T; GROUP] = T::load_row(triangle.offset((j * GROUP) as u32), j + 1);
            for i in j + 1..GROUP {
                x[i] = x[i].sub_mul(column[i], x[j]);
            }
        }
    }
}
