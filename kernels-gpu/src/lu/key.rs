//! How candidates for a pivot are compared.

use crate::scalar::{Real, Scalar};

/// The magnitude by which a candidate is compared; NaN counts as 0, and what is no candidate as less.
#[inline(always)]
#[must_use]
pub fn pivot_key<T: Scalar>(x: T, candidate: bool) -> T::Real {
    let magnitude = x.abs1();
    if !candidate {
        T::Real::from_f64(-1.0)
    } else if magnitude >= T::Real::ZERO {
        magnitude
    } else {
        T::Real::ZERO
    }
}
