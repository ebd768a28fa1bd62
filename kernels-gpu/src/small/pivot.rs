//! The pivot search of the matrices of a warp, and the division by a pivot.

use simt::warp;

use crate::scalar::{Real, Scalar};
use crate::team::Team;

/// The last bits of a key: the row's tag, by which it is known.
const TAG_BITS: u32 = 63;

/// Which of several rows that tie becomes the pivot row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The one in the first place: LAPACK's. Its tag is the largest.
    First,
    /// The last row: with it Wilkinson's matrix, whose elements grow to 2^n with the first, stays as it is.
    Last,
}

/// A lane's `R` rows in the pivot search: `L` rows lie between one and the next.
///
/// The key of a candidate is its magnitude, of which the last bits give way to its tag: keys differ, so that one maximum
/// finds the pivot row. What is no candidate has the key 0, which no candidate has.
#[derive(Clone, Copy, Debug)]
pub struct Rows<const R: usize> {
    mask: [u32; R],
    tag: [u32; R],
    /// The step in which each was the pivot row.
    pub step: [u32; R],
    /// The place of each until then, if rows moved, where the first of those that tie is chosen.
    pub from: [u32; R],
}

impl<const R: usize> Rows<R> {
    /// This lane's rows, of a matrix of order `n`.
    #[inline(always)]
    #[must_use]
    pub fn new<const L: usize>(team: &Team<L>, n: u32, ties: Ties) -> Self {
        let mut rows = Self { mask: [0; R], tag: [0; R], step: [0; R], from: [0; R] };
        for r in 0..R {
            let row = team.nth_row(r);
            if row < n {
                rows.mask[r] = !TAG_BITS;
                rows.tag[r] = if ties == Ties::First { TAG_BITS - row } else { row + 1 };
            }
        }
        rows
    }

    /// Whether row `r` has not been the pivot row yet.
    #[inline(always)]
    #[must_use]
    pub fn is_candidate(&self, r: usize) -> bool {
        self.tag[r] != 0
    }

    /// Makes the row of `tag` the pivot row of step `step`; says of each row whether it is that.
    #[inline(always)]
    pub fn choose(&mut self, tag: u32, step: u32) -> [bool; R] {
        let mut own = [false; R];
        for r in 0..R {
            own[r] = self.tag[r] == tag;
            if own[r] {
                (self.mask[r], self.tag[r], self.step[r], self.from[r]) = (0, 0, step, TAG_BITS - tag);
            }
        }
        own
    }

    /// As [`choose`](Self::choose), and the row in the place of row `step` takes that of the pivot row: [`Ties::First`].
    #[inline(always)]
    pub fn interchange(&mut self, tag: u32, step: u32) -> [bool; R] {
        let own = self.choose(tag, step);
        for r in 0..R {
            self.tag[r] = if self.tag[r] == TAG_BITS - step { tag } else { self.tag[r] };
        }
        own
    }

    /// The keys of the rows, whose numbers in the current column are `x`.
    #[inline(always)]
    fn keys<T: Scalar>(&self, x: [T; R]) -> [u32; R] {
        let mut keys = [0; R];
        for r in 0..R {
            keys[r] = (x[r].abs1().to_words().0 & self.mask[r]) | self.tag[r];
        }
        keys
    }
}

/// The largest of the team's keys, `R` a lane.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn largest<const R: usize, const L: usize>(team: &Team<L>, keys: [u32; R]) -> u32 {
    let mut own = keys[0];
    for r in 1..R {
        own = if keys[r] > own { keys[r] } else { own };
    }
    team.max(own)
}

/// The tag of a candidate whose magnitude is within 2^-10 of the largest; `x` are this lane's numbers.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn large<T: Scalar, const R: usize, const L: usize>(team: &Team<L>, rows: &Rows<R>, x: [T; R]) -> u32 {
    largest(team, rows.keys(x)) & TAG_BITS
}

/// The tag of the candidate with the largest magnitude; of several, that of the first one, as in LAPACK.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn first_largest<T: Scalar, const R: usize, const L: usize>(team: &Team<L>, rows: &Rows<R>, x: [T; R]) -> u32 {
    let keys = rows.keys(x);
    let key = largest(team, keys);
    let mut several = false;
    for r in 0..R {
        several |= keys[r] >= key & !TAG_BITS && keys[r] != key;
    }
    // Rare, and for all teams of the warp where one needs it.
    if !warp::any(warp::ALL, several) {
        return key & TAG_BITS;
    }

    // Where magnitudes are 0, what is no candidate has the same key but for the tag.
    let mut tied = [0; R]; // the tags of those that tie
    for r in 0..R {
        tied[r] = if keys[r] >= key & !TAG_BITS { rows.tag[r] } else { 0 };
    }
    for word in 0..2 {
        let mut words = [0; R];
        for r in 0..R {
            let (high, low) = x[r].abs1().to_words();
            words[r] = if tied[r] == 0 { 0 } else { [high, low][word] };
        }
        let largest = largest(team, words);
        for r in 0..R {
            tied[r] = if words[r] == largest { tied[r] } else { 0 };
        }
    }
    largest(team, tied)
}

/// `x` divided by the pivot, unless that is 0; `status` is then the number of the step, if it was 0.
#[inline(always)]
#[must_use]
pub fn divide<T: Scalar, const R: usize>(mut x: [T; R], pivot: T, step: u32, status: &mut i32) -> [T; R] {
    if pivot.is_moderate() {
        let reciprocal = pivot.reciprocal();
        for r in 0..R {
            x[r] = x[r] * reciprocal;
        }
    } else if pivot == T::ZERO {
        *status = if *status == 0 { step as i32 + 1 } else { *status };
    } else {
        let divisor = pivot.divisor();
        for r in 0..R {
            x[r] = x[r].divide(divisor);
        }
    }
    x
}
