//! Who owns what: a lane's part of the panels of its warp.

use simt::{block, warp};

use crate::scalar::Scalar;
use crate::shape::quotient;

/// A lane's part of a panel: rows `lane + 32 r`, shape (R, NB).
pub type Panel<T, const R: usize, const NB: usize> = [[T; NB]; R];

/// A warp's panels: every W-th of those that the block holds.
///
/// The panels that are yet to be factored come first, in order; the factored ones come last, in order.
///
/// A warp may hold a right-hand side, too: `S` is 1 where warps do, else 0.
pub struct Tiles<T, const R: usize, const NB: usize, const Q: usize, const S: usize = 0> {
    /// Shape (Q, R, NB).
    pub panels: [Panel<T, R, NB>; Q],
    /// The same rows of a right-hand side: shape (S, R).
    pub side: [[T; R]; S],
    /// Whether this warp holds one.
    pub has_side: bool,
    /// How many the warp has.
    pub owned: u32,
    /// How many of them are factored.
    pub factored: u32,
}

impl<T: Scalar, const R: usize, const NB: usize, const Q: usize, const S: usize> Tiles<T, R, NB, Q, S> {
    /// Tiles of zeros, for a block that holds `panels` panels.
    #[inline(always)]
    pub fn new(panels: u32) -> Self {
        let warps = block::dim() / warp::SIZE;
        let owned = quotient(panels + warps - 1 - warp::index(), warps);
        Self { panels: [[[T::ZERO; NB]; R]; Q], side: [[T::ZERO; R]; S], has_side: false, owned, factored: 0 }
    }

    /// Whether slot `s` holds a panel that is yet to be factored.
    #[inline(always)]
    pub fn is_open(&self, s: usize) -> bool {
        (s as u32) < self.owned - self.factored
    }

    /// Whether slot `s` holds a factored panel.
    #[inline(always)]
    pub fn is_factored(&self, s: usize) -> bool {
        s as u32 + self.factored >= Q as u32
    }

    /// Which of the block's panels is in slot `s`, if it is a factored one.
    #[inline(always)]
    pub fn factored_panel(&self, s: usize) -> u32 {
        (s as u32 + self.factored - Q as u32) * (block::dim() / warp::SIZE) + warp::index()
    }

    /// Puts a panel into the last slot, and moves the others up; the one in slot 0 goes.
    #[inline(always)]
    pub fn push(&mut self, panel: Panel<T, R, NB>) {
        for s in 1..Q {
            self.panels[s - 1] = self.panels[s];
        }
        self.panels[Q - 1] = panel;
    }
}
