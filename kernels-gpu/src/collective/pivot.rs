//! A warp's exact pivot search, for candidates that a fast search cannot tell apart.
//!
//! Fast searches compare only the upper bits of magnitudes, with one maximum over the warp. Each schedule has its own,
//! suited to how it stores rows; this one breaks the ties that they leave.

use simt::warp;

/// What candidates are compared by: the upper and lower bits of the magnitude, then the rank among equals. All zeros
/// stand for no candidate.
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
    /// The one at the first position, as in LAPACK.
    First,
    /// The one at the last position. Wilkinson's matrix, whose elements grow to 2^n with [`Ties::First`], then does not
    /// grow at all.
    Last,
}

impl Ties {
    /// The rank of the candidate at a position, never 0. The largest wins.
    #[inline(always)]
    #[must_use]
    pub const fn rank(self, position: u32) -> u32 {
        match self {
            Self::First => !position,
            Self::Last => position + 1,
        }
    }
}
