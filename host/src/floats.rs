//! What f64 lacks: exponents, and a maximum that keeps NaN.

/// `x * 2^exponent`, in steps that leave the range only if the result does.
pub(crate) fn times_power(x: f64, exponent: i32) -> f64 {
    let third = exponent / 3;
    x * 2.0_f64.powi(third) * 2.0_f64.powi(third) * 2.0_f64.powi(exponent - 2 * third)
}

/// The exponent e of a positive, finite x, `2^e <= x < 2^(e + 1)`.
pub(crate) fn exponent(x: f64) -> i32 {
    let up = if x < f64::MIN_POSITIVE { 64 } else { 0 };
    (times_power(x, up).to_bits() >> 52) as i32 - 1023 - up
}

/// The larger, or NaN if one is.
///
/// ```
/// use warplu::verify::ratios::worst;
/// assert_eq!(worst(1.0, 2.0), 2.0);
/// assert!(worst(f64::NAN, 2.0).is_nan());
/// ```
#[must_use]
pub fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_of_the_whole_range() {
        for e in -1074..=1023 {
            let power = times_power(1.0, e);
            assert_eq!(exponent(power), e);
            assert!(e == -1074 || exponent(power.next_down()) == e - 1);
        }
    }

    #[test]
    fn nan_is_worst() {
        assert!(worst(f64::NAN, 1.0).is_nan() && worst(1.0, f64::NAN).is_nan());
        assert_eq!((worst(1.0, 2.0), worst(2.0, 1.0)), (2.0, 2.0));
    }
}
