//! How doubles are stored.

/// The smallest normal number: below it are the subnormal ones.
pub(super) const NORMAL: f64 = f64::MIN_POSITIVE;
/// What makes subnormal numbers normal, and its exponent.
pub(super) const LIFT: (f64, f64) = ((1_u64 << 54) as f64, 54.0);
/// What is added to exponents in the bits of doubles.
pub(super) const BIAS: f64 = 1023.0;
