//! The search for a pivot by the panel warp.

use simt::warp;

use crate::ahead::panel::number;
use crate::product::Product;
use crate::scalar::Real;

/// Bits of a key that are a magnitude's: those of f64 down to 2^-12 of the number, of f32 to 2^-15.
pub const MAGNITUDE: u32 = 0x7fff_ff00;

/// The pivot of a column.
pub struct Choice<T> {
    /// The number of its row.
    pub row: u32,
    /// Minus its reciprocal, in the lane that has it.
    pub reciprocal: T,
    /// Whether it is neither very small, nor very large, nor none.
    pub is_moderate: bool,
}

/// Chooses one that is within 2^-12 of the largest, and of numbers that close, the one in the last row. `open` are the bits of each row's
/// key that are a magnitude's, none if it may not become a pivot row.
#[inline(always)]
pub fn choose<T: Product, const R: usize>(column: &[T; R], open: &[u32; R], lane: u32) -> Choice<T> {
    let key = |r: usize| (column[r].magnitude_bits() & open[r]) | number(r, lane);
    let (mut own, mut pivot) = (key(0), column[0]);
    for r in 1..R {
        let is_larger = key(r) > own;
        pivot = if is_larger { column[r] } else { pivot };
        own = if is_larger { key(r) } else { own };
    }
    let largest = warp::max_u32(warp::ALL, own);
    Choice {
        row: largest & !MAGNITUDE,
        reciprocal: -pivot.reciprocal(),
        is_moderate: T::Real::MODERATE.contains(&(largest & MAGNITUDE)),
    }
}

/// Chooses the largest by all bits, and of equals the one in the last row: its row's number.
#[inline(always)]
pub fn choose_exactly<T: Product, const R: usize>(column: &[T; R], open: &[u32; R], lane: u32) -> u32 {
    let mut own = (0, 0, 0); // upper and lower bits, and the row's number from 1 on
    for r in 0..R {
        let (upper, lower) = column[r].abs1().to_words();
        let candidate = (upper, lower, number(r, lane) + 1);
        own = if open[r] != 0 && candidate > own { candidate } else { own };
    }
    let upper = warp::max_u32(warp::ALL, own.0);
    let lower = warp::max_u32(warp::ALL, if own.0 == upper { own.1 } else { 0 });
    warp::max_u32(warp::ALL, if (own.0, own.1) == (upper, lower) { own.2 } else { 0 }) - 1
}
