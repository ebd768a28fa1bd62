//! The running product of a determinant, which neither overflows nor underflows.

use crate::scalar::c64;

/// Bits of a double's exponent and fraction.
const MAGNITUDE: u64 = u64::MAX >> 1;
/// The bits of infinity; those of a NaN are larger.
const INFINITE: u64 = f64::INFINITY.to_bits();
/// log 2 in two parts: the first has 33 bits, so that its product with an exponent is exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);

/// A product of numbers, `mantissa * 2^exponent`.
///
/// The larger part of the mantissa has a magnitude in [1, 2), unless the product is zero. A factor that is not finite makes
/// both parts NaN. Products of real numbers have imaginary part 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogProduct {
    /// The number without its exponent.
    pub mantissa: c64,
    /// The power of two that the mantissa stands with.
    pub exponent: i64,
}

impl LogProduct {
    /// The empty product.
    pub const ONE: Self = Self { mantissa: c64::new(1.0, 0.0), exponent: 0 };

    /// The product with one more factor.
    #[inline(always)]
    #[must_use]
    pub fn times(self, z: c64) -> Self {
        self.combine(Self::normal(z, 0))
    }

    /// The product of two products.
    #[inline(always)]
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        let (a, b) = (self.mantissa, other.mantissa);
        let product = c64::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
        Self::normal(product, self.exponent.wrapping_add(other.exponent))
    }

    /// The product with the other sign.
    #[inline(always)]
    #[must_use]
    pub fn negate(self) -> Self {
        Self { mantissa: c64::new(-self.mantissa.re, -self.mantissa.im), exponent: self.exponent }
    }

    /// The product over its magnitude, exactly 1 or -1 for real numbers; 0 for zero.
    #[inline(always)]
    #[must_use]
    pub fn phase(self) -> c64 {
        let magnitude = self.magnitude();
        let divisor = if magnitude == 0.0 { 1.0 } else { magnitude };
        c64::new(self.mantissa.re / divisor, self.mantissa.im / divisor)
    }

    /// The natural logarithm of the magnitude; minus infinity for zero.
    #[inline(always)]
    #[must_use]
    pub fn log_abs(self) -> f64 {
        let magnitude = self.magnitude();
        // Between sqrt(1/2) and sqrt(2), so that the logarithm of a number near 1 is not a difference.
        let above = magnitude > core::f64::consts::SQRT_2;
        let (magnitude, carry) = if above { (magnitude * 0.5, 1) } else { (magnitude, 0) };
        let exponent = self.exponent.wrapping_add(carry) as f64;
        exponent * LN_2_HIGH + (exponent * LN_2_LOW + libm::log(magnitude))
    }

    /// Magnitude of the mantissa. The root of a square is exact, so it is exact for real numbers.
    #[inline(always)]
    fn magnitude(self) -> f64 {
        libm::sqrt(self.mantissa.re * self.mantissa.re + self.mantissa.im * self.mantissa.im)
    }

    /// `z * 2^exponent` with the larger part of the mantissa in [1, 2).
    #[inline(always)]
    fn normal(z: c64, exponent: i64) -> Self {
        // Magnitudes compare like their bits, and a NaN is the largest of all.
        let (re, im) = (z.re.to_bits() & MAGNITUDE, z.im.to_bits() & MAGNITUDE);
        let bits = if re > im { re } else { im };
        let biased = (bits >> 52) as i64;
        // A subnormal number's exponent follows from its highest bit.
        let biased = if biased == 0 { 12_i64.wrapping_sub(i64::from(bits.leading_zeros())) } else { biased };
        let shift = 1023_i64.wrapping_sub(biased);
        // The power of two in two factors: one alone may be out of range.
        let half = shift >> 1;
        let (first, second) = (power_of_two(half), power_of_two(shift.wrapping_sub(half)));
        let mantissa = c64::new(z.re * first * second, z.im * first * second);
        let mantissa = if bits < INFINITE { mantissa } else { c64::new(f64::NAN, f64::NAN) };
        Self { mantissa, exponent: exponent.wrapping_sub(shift) }
    }
}

/// 2^e for an e that makes a normal number.
#[inline(always)]
fn power_of_two(e: i64) -> f64 {
    f64::from_bits((1023_i64.wrapping_add(e) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: c64 = c64::new(0.0, 0.0);

    fn product(factors: &[c64]) -> LogProduct {
        factors.iter().fold(LogProduct::ONE, |product, &z| product.times(z))
    }

    fn norm(z: c64) -> f64 {
        z.re.hypot(z.im)
    }

    fn real(x: f64) -> LogProduct {
        product(&[c64::new(x, 0.0)])
    }

    #[test]
    fn normalises_every_exponent_exactly() {
        for e in -1074..=1023 {
            let x = 2.0_f64.powi(e / 2) * 2.0_f64.powi(e - e / 2);
            for (z, phase) in [
                (c64::new(x, 0.0), c64::new(1.0, 0.0)),
                (c64::new(-x, 0.0), c64::new(-1.0, 0.0)),
                (c64::new(0.0, x), c64::new(0.0, 1.0)),
                (c64::new(0.0, -x), c64::new(0.0, -1.0)),
            ] {
                let p = product(&[z]);
                assert_eq!((p.mantissa, p.exponent), (phase, i64::from(e)));
                assert_eq!(p.phase(), phase);
                let log = f64::from(e) * std::f64::consts::LN_2;
                assert!((p.log_abs() - log).abs() <= log.abs() * f64::EPSILON, "2^{e}");
            }
        }
    }

    #[test]
    fn the_larger_part_stays_in_range() {
        let factors =
            [c64::new(3.0, 1e-310), c64::new(-5e-324, 1e-323), c64::new(1.7e308, -1.7e308), c64::new(0.1, 9.0)];
        let mut p = LogProduct::ONE;
        for z in factors.into_iter().cycle().take(1000) {
            p = p.times(z);
            let larger = p.mantissa.re.abs().max(p.mantissa.im.abs());
            assert!((1.0..2.0).contains(&larger));
            assert!((norm(p.phase()) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn real_products_have_an_exact_sign() {
        let mut p = LogProduct::ONE;
        let mut sign = 1.0;
        let mut x = 0.37;
        for _ in 0..2000 {
            x = -x * 1.618_f64;
            x = if x.abs() > 1e250 { x * 1e-300 } else { x };
            (p, sign) = (p.times(c64::new(x, 0.0)), if x < 0.0 { -sign } else { sign });
            assert_eq!((p.phase().re, p.phase().im), (sign, 0.0));
            assert_eq!(p.negate().phase().re, -sign);
        }
    }

    #[test]
    fn logarithms_near_one_keep_their_digits() {
        for x in [1.0 - f64::EPSILON / 2.0, 1.0 + f64::EPSILON, 1.0 - 1e-9, 0.75, 1.3, 1.5] {
            let log = f64::ln(x);
            assert!((real(x).log_abs() - log).abs() <= 2.0 * f64::EPSILON * log.abs(), "{x}");
        }
        assert_eq!(LogProduct::ONE.log_abs(), 0.0);
        // A square of magnitude sqrt(2) * 2^-1074 is 2^-2147.
        let z = c64::new(5e-324, 5e-324);
        assert!((product(&[z, z]).log_abs() + 2147.0 * std::f64::consts::LN_2).abs() < 1e-12);
    }

    #[test]
    fn zero_and_non_finite_factors() {
        let zero = product(&[c64::new(2.0, 0.0), ZERO, c64::new(1e300, 1.0)]);
        assert_eq!((zero.phase(), zero.log_abs()), (ZERO, f64::NEG_INFINITY));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for z in [c64::new(bad, 0.0), c64::new(0.0, bad), c64::new(bad, bad)] {
                for p in [product(&[z]), product(&[ZERO, z]), product(&[z, ZERO]), real(3.0).combine(product(&[z]))] {
                    assert!(p.phase().re.is_nan() && p.phase().im.is_nan() && p.log_abs().is_nan());
                }
            }
        }
    }

    #[test]
    fn combining_is_multiplying() {
        let (a, b) = (c64::new(1e200, -3e200), c64::new(-2e250, 1e249));
        let both = product(&[a, b]);
        assert_eq!(product(&[a]).combine(product(&[b])), both);
        let log = norm(a).ln() + norm(b).ln();
        assert!((both.log_abs() - log).abs() < 1e-12);
        let phase = (a / norm(a)) * (b / norm(b));
        assert!(norm(both.phase() - phase) < 1e-15);
    }
}
