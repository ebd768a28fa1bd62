//! What a pivot tells of a matrix.

use numbers::scalar::{Real, Scalar};
use numbers::status::NON_FINITE;

use crate::lanes::vector::{Vector, constant};
use numbers::status::not_positive;

/// The status of a matrix whose pivot k, from 0, is the first that is not positive and finite.
pub(super) fn bad_pivot<R: Real>(pivot: R, k: usize) -> i32 {
    if pivot.is_finite() { not_positive(k as u32 + 1) } else { NON_FINITE }
}

/// Whether a pivot is one that a positive definite matrix has.
pub(super) fn is_good<R: Real>(pivot: R) -> bool {
    R::ZERO < pivot && pivot.is_finite()
}

/// The statuses of the lanes, as reals: of lanes that have none yet, pivot k, from 0, decides if it is bad.
#[inline(always)]
pub(super) fn note<V: Vector>(statuses: V, pivot: V, k: usize) -> V {
    let zero = constant(pivot, V::Real::ZERO);
    let finite = pivot.mul(zero).equal(zero);
    let good = V::both(finite, zero.less(pivot));
    let not_positive = V::Real::from_f64(f64::from(not_positive(k as u32 + 1)));
    let not_finite = V::Real::from_f64(f64::from(NON_FINITE));
    let code = V::select(finite, constant(pivot, not_positive), constant(pivot, not_finite));
    let bad = V::select(statuses.equal(zero), code, statuses);
    V::select(good, statuses, bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bad_pivot_decides() {
        assert!(is_good(f64::MIN_POSITIVE / 2.0) && is_good(f32::MAX));
        for (pivot, code) in [(0.0, -4), (-1.0, -4), (f64::NAN, -1), (f64::INFINITY, -1), (f64::NEG_INFINITY, -1)] {
            assert!(!is_good(pivot));
            assert_eq!(bad_pivot(pivot, 2), code);
        }
    }
}
