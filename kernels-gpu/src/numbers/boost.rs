//! Small pivots replaced by larger ones, where rows are not interchanged.

use crate::numbers::scalar::{Real, Scalar};

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
