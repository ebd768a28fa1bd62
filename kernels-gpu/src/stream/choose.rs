//! The search for a pivot by a warp.

use simt::warp;

use crate::product::Product;
use crate::scalar::Real;
use crate::stream::panel::slot;
use crate::stream::slots::Slots;

/// The pivot of a column.
#[derive(Clone, Copy)]
pub struct Choice<T> {
    /// Which of this lane's rows is the pivot row, or none of them.
    pub own: Option<usize>,
    /// Its pivot's reciprocal.
    pub reciprocal: T,
    /// Whether the pivot is neither very small, nor very large, nor none, and no other one's upper bits are the same.
    pub is_plain: bool,
}

/// Chooses the largest by upper bits. `open` are the bits of each row's key that are a magnitude's, none if it may not become a pivot row.
#[inline(always)]
pub fn choose<T: Product, const R: usize>(column: &[T; R], open: &[u32; R]) -> Choice<T> {
    let (mut best, mut pivot, mut row, mut is_tie) = (column[0].magnitude_bits() & open[0], column[0], 0, false);
    for r in 1..R {
        let upper = column[r].magnitude_bits() & open[r];
        let is_larger = upper > best;
        is_tie = upper == best || (is_tie && !is_larger);
        pivot = if is_larger { column[r] } else { pivot };
        row = if is_larger { r } else { row };
        best = if is_larger { upper } else { best };
    }
    // The least bit says that there are equals among this lane's: of equals, such a key comes first.
    let key = 2 * best + is_tie as u32;
    let largest = warp::max_u32(warp::ALL, key);
    let reciprocal = pivot.reciprocal();
    let holders = warp::ballot(warp::ALL, key == largest);
    let is_one = holders & holders.wrapping_sub(1) == 0 && largest & 1 == 0;
    Choice {
        own: if key == largest { Some(row) } else { None },
        reciprocal,
        is_plain: is_one && T::Real::MODERATE.contains(&(largest / 2)),
    }
}

/// Chooses by all bits of the magnitudes in column `c` of a panel, and of equals the one at the first position, as LAPACK does. `slots` are
/// the pivot rows of the columns before. Which of this lane's rows it is, or none of them.
#[inline(always)]
pub fn choose_exactly<T: Product, const R: usize>(
    column: &[T; R],
    open: &[u32; R],
    c: u32,
    slots: Slots,
) -> Option<usize> {
    let pivots = slots.load();
    warp::sync(warp::ALL); // the next one may be noted
    let mut best = (0, 0, 0); // upper and lower bits, and the rank of the position among equals
    let mut row = 0;
    for r in 0..R {
        if open[r] != 0 {
            let (upper, lower) = column[r].abs1().to_words();
            let candidate = (upper, lower, !pivots.position(slot(r), c));
            if candidate > best {
                (best, row) = (candidate, r);
            }
        }
    }
    let upper = warp::max_u32(warp::ALL, best.0);
    let lower = warp::max_u32(warp::ALL, if best.0 == upper { best.1 } else { 0 });
    let rank = if (best.0, best.1) == (upper, lower) { best.2 } else { 0 };
    let first = warp::max_u32(warp::ALL, rank);
    if rank == first && first != 0 { Some(row) } else { None }
}
