//! Vectors of doubles: what logarithms need besides arithmetic.

use super::vector::Vector;

/// Doubles whose exponents can be taken apart.
pub trait Doubles: Vector<Real = f64> {
    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// The whole number e with `2^e <= self < 2^(e + 1)`, for positive numbers, subnormal or not. Of others, anything.
    #[must_use]
    fn exponent(self) -> Self;
    /// `2^self`, for whole numbers from -1022 to 1023. Of others, anything.
    #[must_use]
    fn power_of_two(self) -> Self;
}

/// The smallest normal number: below it are the subnormal ones.
pub(super) const NORMAL: f64 = f64::MIN_POSITIVE;
/// What makes subnormal numbers normal, and its exponent.
pub(super) const LIFT: (f64, f64) = ((1_u64 << 54) as f64, 54.0);
/// What is added to exponents in the bits of doubles.
pub(super) const BIAS: f64 = 1023.0;
