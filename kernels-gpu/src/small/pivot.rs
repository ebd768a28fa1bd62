//! The pivot search of the matrices of a warp, and the division by a pivot.

use simt::warp;

use crate::scalar::{Real, Scalar};
use crate::team::Team;

/// The last bits of a key: the tag of the row in the first place. That of a row further back is as much smaller.
const TAG_BITS: u32 = 63;

/// A row in the pivot search.
///
/// The key of a candidate is its magnitude, of which the last bits give way to its tag: keys differ, so that one maximum
/// finds the pivot row. What is no candidate has the key 0, which no candidate has.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    mask: u32,
    tag: u32,
    /// The step in which it was the pivot row.
    pub step: u32,
    /// Its place until then, if rows moved.
    pub from: u32,
}

impl Row {
    /// This lane's row, of a matrix of order `n`.
    #[inline(always)]
    #[must_use]
    pub fn new<const L: usize>(team: &Team<L>, n: u32) -> Self {
        let (mask, tag) = if team.row < n { (!TAG_BITS, TAG_BITS - team.row) } else { (0, 0) };
        Self { mask, tag, step: 0, from: 0 }
    }

    /// Whether it has not been the pivot row yet.
    #[inline(always)]
    #[must_use]
    pub fn is_candidate(&self) -> bool {
        self.tag != 0
    }

    /// Whether it becomes the pivot row of step `step`, that of `tag`. If it is in the place of row `step`, it makes way.
    #[inline(always)]
    pub fn choose(&mut self, tag: u32, step: u32) -> bool {
        let chosen = self.tag == tag;
        self.tag = if self.tag == TAG_BITS - step { tag } else { self.tag };
        if chosen {
            *self = Self { mask: 0, tag: 0, step, from: TAG_BITS - tag };
        }
        chosen
    }

    #[inline(always)]
    fn key<T: Scalar>(&self, x: T) -> u32 {
        (x.abs1().to_words().0 & self.mask) | self.tag
    }
}

/// The tag of a candidate whose magnitude is within 2^-10 of the largest; `x` is this row's number.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn large<T: Scalar, const L: usize>(team: &Team<L>, row: &Row, x: T) -> u32 {
    team.max(row.key(x)) & TAG_BITS
}

/// The tag of the candidate with the largest magnitude; of several, that of the first one, as in LAPACK.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn first_largest<T: Scalar, const L: usize>(team: &Team<L>, row: &Row, x: T) -> u32 {
    let key = row.key(x);
    let largest = team.max(key);
    let several = key >= largest & !TAG_BITS && key != largest;
    // Rare, and for all teams of the warp where one needs it.
    if !warp::any(warp::ALL, several) {
        return largest & TAG_BITS;
    }

    let (high, low) = x.abs1().to_words();
    // Where magnitudes are 0, what is no candidate has the same key but for the tag.
    let tied = row.is_candidate() && key >= largest & !TAG_BITS;
    let largest_high = team.max(if tied { high } else { 0 });
    let tied = tied && high == largest_high;
    let largest_low = team.max(if tied { low } else { 0 });
    let tied = tied && low == largest_low;
    team.max(if tied { row.tag } else { 0 })
}

/// `x` divided by the pivot, unless that is 0; `status` is then the number of the step, if it was 0.
#[inline(always)]
#[must_use]
pub fn divide<T: Scalar>(x: T, pivot: T, step: u32, status: &mut i32) -> T {
    if pivot.is_moderate() {
        x * pivot.reciprocal()
    } else if pivot == T::ZERO {
        *status = if *status == 0 { step as i32 + 1 } else { *status };
        x
    } else {
        x.divide(pivot.divisor())
    }
}
