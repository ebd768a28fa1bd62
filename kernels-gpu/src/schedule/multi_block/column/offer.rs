//! What the blocks of a launch offer to those of the next one: each its largest candidate for the pivot.

use simt::shared::{Shared, Vector};
use simt::{sync_threads, warp};

use crate::collective::pivot::{Key, Ties, largest};
use crate::schedule::multi_block::column::WARPS;

/// Words of an offer in memory.
pub const WORDS: u32 = 4;

/// A candidate: of a lane, a warp, a block.
#[derive(Clone, Copy)]
pub struct Offer {
    /// Its [`words`](crate::schedule::multi_block::pivot::words); the first is 0 if there is no candidate.
    pub words: (u32, u32),
    /// Its position.
    pub position: u32,
    /// Which row of the workspace it is in.
    pub row: u32,
}

impl Offer {
    /// No candidate.
    pub const NONE: Self = Self { words: (0, 0), position: 0, row: 0 };

    /// What tells all candidates apart, and orders them as LAPACK does.
    #[inline(always)]
    fn key(self) -> Key {
        (self.words.0, self.words.1, Ties::First.rank(self.position))
    }

    /// The larger of two.
    #[inline(always)]
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if other.key() > self.key() { other } else { self }
    }

    /// The largest of this warp's lanes.
    #[inline(always)]
    fn of_warp(self) -> Self {
        let best = largest(self.key());
        let holder = warp::ballot(warp::ALL, self.key() == best).trailing_zeros();
        let of_holder = |x| warp::shuffle(warp::ALL, x, holder);
        Self { words: (best.0, best.1), position: of_holder(self.position), row: of_holder(self.row) }
    }

    /// The largest of this block's threads, all of which call. `slots` are written once: shape (WARPS, WORDS).
    #[inline(always)]
    #[must_use]
    pub fn of_block(self, slots: Shared<u32>) -> Self {
        let (own, slots) = (self.of_warp(), slots.vectors::<{ WORDS as usize }>());
        if warp::lane() == 0 {
            slots.store(warp::index(), own.to_vector());
        }
        sync_threads();
        let of_lane = if warp::lane() < WARPS { Self::of_vector(slots.load(warp::lane())) } else { Self::NONE };
        of_lane.of_warp()
    }

    /// As it is in memory.
    #[inline(always)]
    #[must_use]
    pub fn to_vector(self) -> Vector<u32, { WORDS as usize }> {
        Vector([self.words.0, self.words.1, self.position, self.row])
    }

    /// From memory.
    #[inline(always)]
    #[must_use]
    pub fn of_vector(Vector([upper, lower, position, row]): Vector<u32, { WORDS as usize }>) -> Self {
        Self { words: (upper, lower), position, row }
    }
}
