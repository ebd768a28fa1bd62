//! Who owns what: a lane's part of the panels of its warp.

use simt::{block, warp};

use crate::scalar::Scalar;

/// A lane's part of a panel: rows `lane + 32 r`, shape (R, NB).
pub type Panel<T, const R: usize, const NB: usize> = [[T; NB]; R];

/// A warp's panels: every W-th.
///
/// A warp may hold a right-hand side, too: `S` is 1 where warps do, else 0.
pub struct Tiles<T, const R: usize, const NB: usize, const Q: usize, const S: usize = 0> {
    /// Shape (Q, R, NB).
    pub panels: [Panel<T, R, NB>; Q],
    /// The same rows of a right-hand side: shape (S, R).
    pub side: [[T; R]; S],
    /// Whether this warp holds one.
    pub has_side: bool,
    /// How often the panels have moved up by a slot. The one in slot 0 goes to the last.
    turns: u32,
}

impl<T: Scalar, const R: usize, const NB: usize, const Q: usize, const S: usize> Tiles<T, R, NB, Q, S> {
    /// All zeros.
    #[inline(always)]
    #[must_use]
    pub fn zeros() -> Self {
        Self { panels: [[[T::ZERO; NB]; R]; Q], side: [[T::ZERO; R]; S], has_side: false, turns: 0 }
    }

    /// Which panel of the matrix is in slot `s`; it may be one beyond the last.
    #[inline(always)]
    pub fn panel(&self, s: usize) -> u32 {
        let own = s as u32 + self.turns;
        let own = if own < Q as u32 { own } else { own - Q as u32 };
        own * (block::dim() / warp::SIZE) + warp::index()
    }

    /// Moves the panels up by a slot.
    #[inline(always)]
    pub fn turn(&mut self) {
        let first = self.panels[0];
        for s in 1..Q {
            self.panels[s - 1] = self.panels[s];
        }
        self.panels[Q - 1] = first;
        self.turns += 1;
    }
}

/// This lane's rows.
#[inline(always)]
pub fn own_rows<const R: usize>() -> [u32; R] {
    let mut rows = [0; R];
    for r in 0..R {
        rows[r] = warp::lane() + 32 * r as u32;
    }
    rows
}
