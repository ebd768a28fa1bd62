//! The pivot search of the panel warp.

use simt::warp;

use crate::collective::mma::Mma;
use crate::collective::pivot::{self, Ties};
use numbers::scalar::Real;

/// The bits of a key that hold the magnitude, to 2^-12 of f64 and 2^-15 of f32. The low bits hold the row.
pub const MAGNITUDE_BITS: u32 = 0x7fff_ff00;

/// The pivot of a column.
pub struct Pivot<T> {
    /// Its row.
    pub row: u32,
    /// -1 over the pivot, in the lane that owns the row.
    pub negated_reciprocal: T,
    /// Whether the pivot is neither zero, tiny, huge, nor NaN, so that this reciprocal is safe to use.
    pub is_moderate: bool,
}

/// The number of a lane's row `r` in the panel warp.
#[inline(always)]
pub fn lane_row(r: usize, lane: u32) -> u32 {
    32 * r as u32 + lane
}

/// Finds a pivot within 2^-12 of the largest magnitude; of equal keys, the last row wins. `candidate_masks` are
/// [`MAGNITUDE_BITS`] for candidates, and 0 for all other rows.
#[inline(always)]
pub fn find_pivot<T: Mma, const LANE_ROWS: usize>(
    column: &[T; LANE_ROWS],
    candidate_masks: &[u32; LANE_ROWS],
    lane: u32,
) -> Pivot<T> {
    let key = |r: usize| (column[r].magnitude_bits() & candidate_masks[r]) | lane_row(r, lane);
    let (mut own, mut pivot) = (key(0), column[0]);
    for r in 1..LANE_ROWS {
        let is_larger = key(r) > own;
        pivot = if is_larger { column[r] } else { pivot };
        own = if is_larger { key(r) } else { own };
    }
    let largest = warp::max_u32(warp::ALL, own);
    Pivot {
        row: largest & !MAGNITUDE_BITS,
        negated_reciprocal: -pivot.reciprocal(),
        is_moderate: T::Real::MODERATE.contains(&(largest & MAGNITUDE_BITS)),
    }
}

/// The row of the largest magnitude by all bits, the last one on a tie.
#[inline(always)]
pub fn find_pivot_exact<T: Mma, const LANE_ROWS: usize>(
    column: &[T; LANE_ROWS],
    candidate_masks: &[u32; LANE_ROWS],
    lane: u32,
) -> u32 {
    let mut own = (0, 0, 0);
    for r in 0..LANE_ROWS {
        let (upper, lower) = column[r].abs1().to_words();
        let key = (upper, lower, Ties::Last.rank(lane_row(r, lane)));
        own = if candidate_masks[r] != 0 && key > own { key } else { own };
    }
    let (_, _, rank) = pivot::largest(own);
    rank - 1
}
