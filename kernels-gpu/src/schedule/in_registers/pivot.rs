//! The pivot search of a thread group, and the division by a pivot.
//!
//! A candidate's key is the magnitude of its element (the upper 32 bits) with the last 6 bits replaced by the row's
//! tag. So all keys differ, and one maximum finds the row. Only if another candidate agrees with it in all other bits,
//! [`first_largest`] compares once more, exactly.

use simt::warp;

use crate::collective::pivot::Ties;
use crate::collective::thread_group::ThreadGroup;
use numbers::scalar::{Real, Scalar};

/// The bits of a key that hold the row's tag.
const TAG_BITS: u32 = 63;

/// A lane's rows in the pivot search.
#[derive(Clone, Copy, Debug)]
pub struct LaneRows<const LANE_ROWS: usize> {
    /// The bits of a magnitude that are compared: none where the row is not a candidate.
    mask: [u32; LANE_ROWS],
    /// The rank of its position among rows that tie; 0 where the row is not a candidate, and its key is 0.
    tag: [u32; LANE_ROWS],
    /// The step in which each was the pivot row.
    pub pivot_step: [u32; LANE_ROWS],
    /// LAPACK's pivot of that step: the row's position then. With [`Ties::First`] and interchanges only.
    pub ipiv: [u32; LANE_ROWS],
}

impl<const LANE_ROWS: usize> LaneRows<LANE_ROWS> {
    /// This lane's rows, of a matrix of order `n`.
    #[inline(always)]
    #[must_use]
    pub fn new<const LANES: usize>(group: &ThreadGroup<LANES>, n: u32, ties: Ties) -> Self {
        let mut rows =
            Self { mask: [0; LANE_ROWS], tag: [0; LANE_ROWS], pivot_step: [0; LANE_ROWS], ipiv: [0; LANE_ROWS] };
        for r in 0..LANE_ROWS {
            let row = group.nth_row(r);
            if row < n {
                rows.mask[r] = !TAG_BITS;
                rows.tag[r] = ties.rank(row) & TAG_BITS;
            }
        }
        rows
    }

    /// Whether this lane's row `r` may still become a pivot row.
    #[inline(always)]
    #[must_use]
    pub fn is_candidate(&self, r: usize) -> bool {
        self.tag[r] != 0
    }

    /// Makes the row with this tag the pivot row of a step. Returns which of this lane's rows it is.
    #[inline(always)]
    pub fn select(&mut self, tag: u32, step: u32) -> [bool; LANE_ROWS] {
        let mut is_pivot = [false; LANE_ROWS];
        for r in 0..LANE_ROWS {
            is_pivot[r] = self.tag[r] == tag;
            if is_pivot[r] {
                (self.mask[r], self.tag[r], self.pivot_step[r], self.ipiv[r]) = (0, 0, step, TAG_BITS - tag);
            }
        }
        is_pivot
    }

    /// As [`select`](Self::select); and the row at position `step` moves to the pivot row's. For [`Ties::First`].
    #[inline(always)]
    pub fn select_and_interchange(&mut self, tag: u32, step: u32) -> [bool; LANE_ROWS] {
        let is_pivot = self.select(tag, step);
        for r in 0..LANE_ROWS {
            self.tag[r] = if self.tag[r] == TAG_BITS - step { tag } else { self.tag[r] };
        }
        is_pivot
    }

    /// The keys of the rows, whose elements of the current column are `x`.
    #[inline(always)]
    fn keys<T: Scalar>(&self, x: [T; LANE_ROWS]) -> [u32; LANE_ROWS] {
        let mut keys = [0; LANE_ROWS];
        for r in 0..LANE_ROWS {
            keys[r] = (x[r].abs1().to_words().0 & self.mask[r]) | self.tag[r];
        }
        keys
    }
}

/// The largest key of the group.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn largest<const LANE_ROWS: usize, const LANES: usize>(group: &ThreadGroup<LANES>, keys: [u32; LANE_ROWS]) -> u32 {
    let mut own = keys[0];
    for r in 1..LANE_ROWS {
        own = if keys[r] > own { keys[r] } else { own };
    }
    group.max(own)
}

/// The tag of a candidate whose magnitude is the largest but for the last bits; `x` is the current column.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn nearly_largest<T: Scalar, const LANE_ROWS: usize, const LANES: usize>(
    group: &ThreadGroup<LANES>,
    rows: &LaneRows<LANE_ROWS>,
    x: [T; LANE_ROWS],
) -> u32 {
    largest(group, rows.keys(x)) & TAG_BITS
}

/// The tag of the candidate with the largest magnitude, the first on a tie, as in LAPACK; `x` is the current column.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn first_largest<T: Scalar, const LANE_ROWS: usize, const LANES: usize>(
    group: &ThreadGroup<LANES>,
    rows: &LaneRows<LANE_ROWS>,
    x: [T; LANE_ROWS],
) -> u32 {
    let keys = rows.keys(x);
    let key = largest(group, keys);
    let mut is_unsure = false;
    for r in 0..LANE_ROWS {
        is_unsure |= keys[r] >= key & !TAG_BITS && keys[r] != key;
    }
    // What follows is rare; all groups of a warp take part if one needs it.
    if !warp::any(warp::ALL, is_unsure) {
        return key & TAG_BITS;
    }

    // If all magnitudes are 0, rows that are no candidates are among those that tie, with tag 0.
    let mut tied = [0; LANE_ROWS]; // tags of the rows that tie
    for r in 0..LANE_ROWS {
        tied[r] = if keys[r] >= key & !TAG_BITS { rows.tag[r] } else { 0 };
    }
    for word in 0..2 {
        let mut words = [0; LANE_ROWS];
        for r in 0..LANE_ROWS {
            let (high, low) = x[r].abs1().to_words();
            words[r] = if tied[r] == 0 { 0 } else { [high, low][word] };
        }
        let largest = largest(group, words);
        for r in 0..LANE_ROWS {
            tied[r] = if words[r] == largest { tied[r] } else { 0 };
        }
    }
    largest(group, tied)
}

/// Divides `x` by the pivot, unless that is 0; then `status` becomes the step, counted from 1, if it was 0.
#[inline(always)]
#[must_use]
pub fn divide<T: Scalar, const LANE_ROWS: usize>(
    mut x: [T; LANE_ROWS],
    pivot: T,
    step: u32,
    status: &mut i32,
) -> [T; LANE_ROWS] {
    if pivot.is_moderate() {
        let reciprocal = pivot.reciprocal();
        for r in 0..LANE_ROWS {
            x[r] = x[r] * reciprocal;
        }
    } else if pivot == T::ZERO {
        *status = if *status == 0 { step as i32 + 1 } else { *status };
    } else {
        let divisor = pivot.divisor();
        for r in 0..LANE_ROWS {
            x[r] = x[r].divide(divisor);
        }
    }
    x
}
