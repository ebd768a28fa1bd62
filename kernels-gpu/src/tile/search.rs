//! The pivot search of one column by one warp.

use simt::shared::Shared;
use simt::warp;

use crate::scalar::{Real, Scalar};

/// What a lane's rows of a column are compared by.
pub struct Candidates<const R: usize> {
    /// The upper bits of the magnitude; 0 for rows that are no candidates.
    upper: [u32; R],
    /// The lower bits.
    lower: [u32; R],
}

/// The pivot of a column.
#[derive(Clone, Copy)]
pub struct Pivot {
    /// The lane that has it.
    pub lane: u32,
    /// In which of its rows, if this is that lane; otherwise some row.
    pub slot: u32,
    /// The upper bits of its magnitude.
    pub upper: u32,
}

impl<const R: usize> Candidates<R> {
    /// Column 0 of rows of which those that `open` marks are candidates: all ones for these, else 0.
    #[inline(always)]
    pub fn new<T: Scalar, const NB: usize>(x: &[[T; NB]; R], open: &[u32; R]) -> Self {
        let (mut upper, mut lower) = ([0; R], [0; R]);
        for r in 0..R {
            let (u, l) = x[r][0].abs1().to_words();
            upper[r] = u & open[r];
            lower[r] = l;
        }
        Self { upper, lower }
    }

    /// The best of this lane by the upper bits, a lower row before a higher one: these bits and the row.
    #[inline(always)]
    pub fn own(&self) -> (u32, u32) {
        let (mut best, mut slot) = (self.upper[0], 0);
        for r in 1..R {
            let better = self.upper[r] > best;
            best = if better { self.upper[r] } else { best };
            slot = if better { r as u32 } else { slot };
        }
        (best, slot)
    }

    /// The largest magnitude of the warp's candidates, the one at the first position on a tie.
    #[inline(always)]
    pub fn elect(&self, (best, slot): (u32, u32), open: &[u32; R], positions: Shared<u32>) -> Pivot {
        let upper = warp::max_u32(warp::ALL, best);
        let mut ties = 0;
        for r in 0..R {
            ties += (self.upper[r] == upper) as u32;
        }
        let holders = warp::ballot(warp::ALL, best == upper);
        let several = warp::ballot(warp::ALL, ties > 1) | (holders & holders.wrapping_sub(1));
        if several == 0 {
            return Pivot { lane: holders.trailing_zeros(), slot, upper };
        }
        // A second look: all bits, then positions.
        let mut lower = 0;
        for r in 0..R {
            if open[r] != 0 && self.upper[r] == upper && self.lower[r] > lower {
                lower = self.lower[r];
            }
        }
        let lower = warp::max_u32(warp::ALL, lower);
        let (mut rank, mut slot) = (0, 0); // the higher the earlier
        for r in 0..R {
            let own = !positions.load(32 * r as u32);
            if open[r] != 0 && self.upper[r] == upper && self.lower[r] == lower && own > rank {
                (rank, slot) = (own, r as u32);
            }
        }
        let first = warp::max_u32(warp::ALL, rank);
        Pivot { lane: warp::ballot(warp::ALL, rank == first).trailing_zeros(), slot, upper }
    }
}
