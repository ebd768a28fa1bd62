//! The pivot search of the matrices of a warp, and the division by a pivot.

use simt::warp;

use crate::small::number::Number;
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
    /// The rows of this lane, of a matrix of order `n`.
    #[inline(always)]
    #[must_use]
    pub fn all<const L: usize, const P: usize>(team: &Team<L>, n: u32) -> [Self; P] {
        let mut rows = [Self { mask: 0, tag: 0, step: 0, from: 0 }; P];
        for p in 0..P {
            if team.nth_row(p) < n {
                rows[p].mask = !TAG_BITS;
                rows[p].tag = TAG_BITS - team.nth_row(p);
            }
        }
        rows
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
    fn key<T: Number>(&self, x: T) -> u32 {
        (x.words().0 & self.mask) | self.tag
    }
}

/// The tag of a candidate whose magnitude in column `c` is within 2^-10 of the largest.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn large<T: Number, const N: usize, const L: usize, const P: usize>(
    team: &Team<L>,
    rows: &[Row; P],
    x: &[[T; N]; P],
    c: usize,
) -> u32 {
    largest_key(team, rows, x, c) & TAG_BITS
}

/// The tag of the candidate with the largest magnitude in column `c`; of several, that of the first one, as in LAPACK.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn first_largest<T: Number, const N: usize, const L: usize, const P: usize>(
    team: &Team<L>,
    rows: &[Row; P],
    x: &[[T; N]; P],
    c: usize,
) -> u32 {
    let largest = largest_key(team, rows, x, c);
    let mut several = false;
    for p in 0..P {
        let key = rows[p].key(x[p][c]);
        several |= key >= largest & !TAG_BITS && key != largest;
    }
    // Rare, and for all teams of the warp where one needs it.
    if !warp::any(warp::ALL, several) {
        return largest & TAG_BITS;
    }

    let mut tied = [false; P];
    for p in 0..P {
        // Where magnitudes are 0, what is no candidate has the same key but for the tag.
        tied[p] = rows[p].is_candidate() && rows[p].key(x[p][c]) >= largest & !TAG_BITS;
    }
    let high = largest_of(team, &tied, |p| x[p][c].words().0);
    for p in 0..P {
        tied[p] &= x[p][c].words().0 == high;
    }
    let low = largest_of(team, &tied, |p| x[p][c].words().1);
    for p in 0..P {
        tied[p] &= x[p][c].words().1 == low;
    }
    largest_of(team, &tied, |p| rows[p].tag)
}

#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn largest_key<T: Number, const N: usize, const L: usize, const P: usize>(
    team: &Team<L>,
    rows: &[Row; P],
    x: &[[T; N]; P],
    c: usize,
) -> u32 {
    largest_of(team, &[true; P], |p| rows[p].key(x[p][c]))
}

/// The largest word of the team's rows that count.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn largest_of<const L: usize, const P: usize>(team: &Team<L>, counts: &[bool; P], word: impl Fn(usize) -> u32) -> u32 {
    let mut largest = 0;
    for p in 0..P {
        largest = if counts[p] && word(p) > largest { word(p) } else { largest };
    }
    team.max(largest)
}

/// Divides a column by its pivot, unless that is 0; `status` is then the number of the step, if it was 0.
#[inline(always)]
pub fn divide<T: Number, const P: usize>(x: &mut [T; P], pivot: T, step: u32, status: &mut i32) {
    if pivot.is_moderate() {
        let reciprocal = pivot.reciprocal();
        for p in 0..P {
            x[p] = x[p] * reciprocal;
        }
    } else if pivot == T::ZERO {
        *status = if *status == 0 { step as i32 + 1 } else { *status };
    } else {
        let divisor = pivot.divisor();
        for p in 0..P {
            x[p] = x[p].divide(divisor);
        }
    }
}
