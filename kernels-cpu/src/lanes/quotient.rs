//! Many quotients by one divisor, with the bits of divisions in less time.
//!
//! For the reciprocal r of b, rounded to nearest, and q = a r, the remainder a - b q is exact, and q plus r times it is
//! the rounded quotient, each with one rounding (Markstein; Brisebarre, Muller and Raina, "Accelerating correctly
//! rounded floating-point division when the divisor is known in advance", 2004). That holds far from overflow and
//! underflow, and where no number is zero.

use numbers::scalar::{Real, Scalar};

use super::vector::Vector;
use super::vector::constant;

/// A divisor. Quotients by zero are those of a division.
#[derive(Clone, Copy)]
pub(crate) struct Reciprocal<V> {
    divisor: V,
    reciprocal: V,
    /// Whether quotients may come from the reciprocal.
    is_moderate: bool,
}

impl<V: Vector> Reciprocal<V> {
    /// Prepares divisions by `divisor`.
    #[inline(always)]
    pub(super) fn new(divisor: V) -> Self {
        let reciprocal = constant(divisor, V::Real::ONE).div(divisor);
        Self { divisor, reciprocal, is_moderate: V::HAS_FMA && is_moderate(divisor) }
    }

    /// `x / divisor`.
    #[inline(always)]
    pub(super) fn divide(self, x: V) -> V {
        if self.is_moderate && is_moderate(x) {
            let quotient = x.mul(self.reciprocal);
            x.sub_mul(quotient, self.divisor).mul_add(self.reciprocal, quotient)
        } else {
            x.div(self.divisor)
        }
    }
}

/// Whether the magnitudes of all lanes are within 2^60 of one: quotients and remainders of any two such numbers are
/// normal.
#[inline(always)]
fn is_moderate<V: Vector>(x: V) -> bool {
    let large = V::Real::from_f64((1_u64 << 60) as f64);
    let (large, small) = (constant(x, large), constant(x, V::Real::ONE / large));
    V::bits(V::both(small.less(x.abs()), x.abs().less(large))) == V::ALL
}
