//! Forward or back substitution: in which order rows are solved for.

use simt::warp;

use crate::operation::getrs::cluster_per_rhs::exchange::GROUP;
use crate::operation::getrs::cluster_per_rhs::strips::STRIP;

/// The number of the sweep with the lower triangle, from the first row to the last.
pub const FORWARD: u32 = 0;
/// The number of that with the upper one, from the last row to the first.
pub const BACKWARD: u32 = 1;

/// One of the two substitutions. The rows of all strips take turns, those beyond the matrix too; each has the turn of
/// its column.
#[derive(Clone, Copy)]
pub struct Sweep {
    /// [`FORWARD`] or [`BACKWARD`].
    pub number: u32,
    /// Order of the matrix.
    pub n: u32,
    /// Whether the diagonal is all ones, whatever the factors have there.
    pub is_unit: bool,
    /// Whether the factors are to be conjugated.
    pub is_conjugated: bool,
}

impl Sweep {
    /// Whether it begins at the last row.
    #[inline(always)]
    #[must_use]
    pub fn is_backward(&self) -> bool {
        self.number == BACKWARD
    }

    /// One past the last turn.
    #[inline(always)]
    #[must_use]
    pub fn turns(&self) -> u32 {
        self.n.div_ceil(STRIP) * STRIP
    }

    /// The row, or column, whose turn it is; at `n` and beyond there is none.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, turn: u32) -> u32 {
        if self.is_backward() { self.turns() - 1 - turn } else { turn }
    }

    /// The first turn of a strip.
    #[inline(always)]
    #[must_use]
    pub fn first_turn(&self, strip: u32) -> u32 {
        if self.is_backward() { self.turns() - STRIP * (strip + 1) } else { STRIP * strip }
    }

    /// The lane of a strip that comes at its `i`-th turn; and the turn of lane `i`.
    #[inline(always)]
    #[must_use]
    pub fn lane(&self, i: u32) -> u32 {
        if self.is_backward() { i ^ (warp::SIZE - 1) } else { i }
    }

    /// The group of rows that the turn is in. Groups are counted from the first row.
    #[inline(always)]
    #[must_use]
    pub fn group(&self, turn: u32) -> u32 {
        self.row(turn) / GROUP as u32
    }
}
