//! How far a right-hand side is, and whether to go on.

use simt::math::Fused;

use crate::scalar::{Real, Scalar, ScalarKind};

/// The state of right-hand sides of a matrix with elements that overflow in single precision, or that overflow
/// themselves.
pub const OVERFLOW: i32 = -1002;
/// The state of right-hand sides of a matrix whose factors cannot be used.
pub const SINGULAR: i32 = -1003;
/// The state of a right-hand side whose residual does not become small enough.
pub const STALLED: i32 = -1031;

/// The state of a right-hand side that is done after so many corrections.
#[inline(always)]
#[must_use]
pub const fn done_after(steps: i32) -> i32 {
    -1 - steps
}

/// Whether a state is one of a right-hand side that is done, well or not.
#[inline(always)]
#[must_use]
pub const fn is_done(state: i32) -> bool {
    state < 0
}

/// The corrections of a right-hand side that is well done; none for others.
#[must_use]
pub const fn steps_of(state: i32) -> Option<u32> {
    if state < 0 && state > OVERFLOW { Some((-1 - state) as u32) } else { None }
}

/// What LAPACK takes for the component-wise error before the first step (`LSTRES`).
pub const FIRST_ERROR: f64 = 3.0;

/// The numbers that decide, of a type.
#[derive(Clone, Copy, Debug)]
pub struct Threshold<R> {
    /// Rounding unit (LAPACK's `EPS`).
    pub unit: R,
    /// (n + 1) u.
    pub rounding: R,
    /// What is added to numbers near underflow (`SAFE1`).
    pub least: R,
    /// What numbers are near underflow (`SAFE2`).
    pub small: R,
    /// What the largest |r| may be, over the largest |x| times the infinity-norm of A: LAPACK's `sqrt(n) EPS`, less a
    /// twentieth, as residuals have rounding errors of their own. Magnitudes are |re| + |im| here, and those of LAPACK's
    /// norm are moduli, which are smaller by a factor of up to sqrt(2).
    pub norm_wise: R,
}

impl<R: Real> Threshold<R> {
    /// For order `n`.
    #[inline(always)]
    #[must_use]
    pub fn new<T: Scalar<Real = R>>(n: u32) -> Self {
        let (unit, least) = match R::KIND {
            ScalarKind::F32 | ScalarKind::C32 => (f32::EPSILON as f64 / 2.0, f32::MIN_POSITIVE as f64),
            ScalarKind::F64 | ScalarKind::C64 => (f64::EPSILON / 2.0, f64::MIN_POSITIVE),
        };
        let of_modulus = match T::KIND {
            ScalarKind::F32 | ScalarKind::F64 => 1.0,
            ScalarKind::C32 | ScalarKind::C64 => core::f64::consts::FRAC_1_SQRT_2,
        };
        let terms = n as f64 + 1.0;
        Self {
            unit: R::from_f64(unit),
            rounding: R::from_f64(terms * unit),
            least: R::from_f64(terms * least),
            small: R::from_f64(terms * least / unit),
            norm_wise: R::from_f64(0.95 * of_modulus * unit) * Fused::sqrt(R::from_f64(n as f64)),
        }
    }

    /// The component-wise backward error of a row. Of one whose terms are all 0 it is 0, where LAPACK's is 1.
    #[inline(always)]
    #[must_use]
    pub fn row_error(&self, residual: R, magnitude: R) -> R {
        if magnitude > self.small {
            residual / magnitude
        } else if magnitude == R::from_f64(0.0) {
            residual
        } else {
            (residual + self.least) / (magnitude + self.least)
        }
    }

    /// What the error of a row's residual, and the residual itself, are at most.
    #[inline(always)]
    #[must_use]
    pub fn row_bound(&self, residual: R, magnitude: R) -> R {
        let bound = residual + self.rounding * magnitude;
        if magnitude > self.small { bound } else { bound + self.least }
    }

    /// Whether another correction promises a smaller component-wise error.
    #[inline(always)]
    #[must_use]
    pub fn wants_more(&self, error: R, before: R) -> bool {
        error > self.unit && error + error <= before
    }

    /// The state after `steps` corrections of a solution by factors of less precision: the largest |r| is `left`, the
    /// largest |x| is `x_size` and the norm of the matrix `norm`; the component-wise backward error is `error`, and was
    /// `before` before the last of them.
    ///
    /// LAPACK looks at norms only, which say nothing of small unknowns that large elements multiply.
    #[inline(always)]
    #[must_use]
    pub fn decide(&self, (left, x_size, norm): (R, R, R), (error, before): (R, R), (steps, most): (i32, u32)) -> i32 {
        let limit = x_size * (norm * self.norm_wise);
        if left <= limit && limit.is_finite() && error <= self.rounding {
            done_after(steps)
        } else if !(left.is_finite() && x_size.is_finite()) {
            OVERFLOW
        } else if steps as u32 >= most || steps > 0 && error >= before {
            STALLED
        } else {
            steps + 1
        }
    }
}
