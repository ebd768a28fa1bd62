//! The pivot search of a warp by all bits, where a fast search finds candidates that look alike.
//!
//! The fast searches compare upper bits only, by one maximum over the warp; each schedule has its own, made for the way it keeps its
//! rows. This one decides what they leave open.

use simt::warp;

/// What one candidate is compared by: upper and lower bits of its magnitude, then its rank among equals. All zeros: no candidate.
pub type Key = (u32, u32, u32);

/// The largest key of a warp.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn largest(own: Key) -> Key {
    let upper = warp::max_u32(warp::ALL, own.0);
    let lower = warp::max_u32(warp::ALL, if own.0 == upper { own.1 } else { 0 });
    let rank = warp::max_u32(warp::ALL, if (own.0, own.1) == (upper, lower) { own.2 } else { 0 });
    (upper, lower, rank)
}

/// Which of several equal candidates becomes the pivot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The one at the first position, as LAPACK has it.
    First,
    /// The one at the last position: with it Wilkinson's matrix, whose elements grow to 2^n with the first, stays as it is.
    Last,
}

impl Ties {
    /// The rank of a candidate at a position: larger ones win, and none is 0.
    #[inline(always)]
    #[must_use]
    pub const fn rank(self, position: u32) -> u32 {
        match self {
            Self::First => !position,
            Self::Last => position + 1,
        }
    }
}
