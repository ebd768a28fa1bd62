//! Pivots: by what candidates are compared, and small ones replaced by larger ones where rows are not interchanged.

use crate::scalar::{Real, Scalar};

/// The least magnitude of a pivot, `|re| + |im|`, and what takes the place of a smaller one.
#[derive(Clone, Copy, Debug)]
pub struct Boost<R> {
    least: R,
}

impl<R: Real> Boost<R> {
    /// For a matrix whose largest element, by `|re| + |im|`, is `largest`; `threshold` is relative to it. With a threshold
    /// of 0, pivots stay as they are.
    #[inline(always)]
    #[must_use]
    pub fn new(threshold: f64, largest: R) -> Self {
        Self { least: R::from_f64(threshold) * largest }
    }

    /// The pivot, or a real number of the least magnitude with the sign of its real part. NaN stays.
    #[inline(always)]
    #[must_use]
    pub fn apply<T: Scalar<Real = R>>(&self, pivot: T) -> T {
        let least = if pivot.real() < R::ZERO { -self.least } else { self.least };
        if pivot.abs1() < self.least { T::from_real(least) } else { pivot }
    }
}

/// The larger of two magnitudes; NaN counts as none.
#[inline(always)]
#[must_use]
pub fn larger<R: Real>(a: R, b: R) -> R {
    if b > a { b } else { a }
}

/// The magnitude by which candidates are compared. NaN counts as 0; a row that is no candidate has a smaller key.
#[inline(always)]
#[must_use]
pub fn pivot_key<T: Scalar>(x: T, is_candidate: bool) -> T::Real {
    let magnitude = x.abs1();
    if !is_candidate {
        T::Real::from_f64(-1.0)
    } else if magnitude >= T::Real::ZERO {
        magnitude
    } else {
        T::Real::ZERO
    }
}
