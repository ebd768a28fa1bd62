//! A product of many numbers that can neither overflow nor underflow.

use num_complex::Complex;

use crate::scalar::c64;

/// A product as a mantissa, whose larger part is in [1, 2) unless it is 0 or not finite, and a power of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogProduct {
    /// The mantissa; its imaginary part stays exactly 0 in a product of real numbers.
    pub mantissa: c64,
    /// The power of two that it is to be multiplied by.
    pub exponent: i64,
}

impl LogProduct {
    /// The empty product.
    pub const ONE: Self = Self { mantissa: Complex::new(1.0, 0.0), exponent: 0 };

    /// The product and one more factor.
    #[inline(always)]
    #[must_use]
    pub fn times(self, z: c64) -> Self {
        self.combine(Self { mantissa: z, exponent: 0 }.normalized())
    }

    /// The product of two products.
    #[inline(always)]
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        let (a, b) = (self.mantissa, other.mantissa);
        let mantissa = Complex::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
        Self { mantissa, exponent: self.exponent.wrapping_add(other.exponent) }.normalized()
    }

    /// The negated product.
    #[inline(always)]
    #[must_use]
    pub fn negate(self) -> Self {
        // Negating the imaginary part would make a real product's 0 a -0.
        let im = if self.mantissa.im == 0.0 { self.mantissa.im } else { -self.mantissa.im };
        Self { mantissa: Complex::new(-self.mantissa.re, im), ..self }
    }

    /// The product over its magnitude: the sign of a real product; 0 for 0.
    #[inline(always)]
    #[must_use]
    pub fn phase(self) -> c64 {
        let Complex { re, im } = self.mantissa;
        if im == 0.0 {
            // Exactly 1, -1 or 0; NaN for NaN.
            return Complex::new(
                if re > 0.0 {
                    1.0
                } else if re < 0.0 {
                    -1.0
                } else {
                    re
                },
                im,
            );
        }
        let magnitude = self.magnitude();
        Complex::new(re / magnitude, im / magnitude)
    }

    /// The natural logarithm of the magnitude; minus infinity for 0.
    #[inline(always)]
    #[must_use]
    pub fn log_abs(self) -> f64 {
        libm::log(self.magnitude()) + self.exponent as f64 * core::f64::consts::LN_2
    }

    /// Magnitude of the mantissa.
    #[inline(always)]
    fn magnitude(self) -> f64 {
        let Complex { re, im } = self.mantissa;
        if im == 0.0 { re.abs() } else { simt::math::Fused::sqrt(re * re + im * im) }
    }

    /// The same product with the larger part of its mantissa in [1, 2).
    #[inline(always)]
    fn normalized(self) -> Self {
        let Complex { re, im } = self.mantissa;
        let larger = if re.abs() > im.abs() { re.abs() } else { im.abs() };
        if !(larger > 0.0 && larger < f64::INFINITY) {
            return self;
        }
        // Subnormal numbers first become normal ones.
        let (lift, lifted) = if larger < f64::MIN_POSITIVE { (two_to(64), 64) } else { (1.0, 0) };
        let exponent = ((larger * lift).to_bits() >> 52) as i64 - 1023;
        // Two steps, as 2^-exponent itself may be out of range.
        let half = exponent / 2;
        let (first, second) = (two_to(-half), two_to(half - exponent));
        Self {
            mantissa: Complex::new(re * lift * first * second, im * lift * first * second),
            exponent: self.exponent.wrapping_add(exponent - lifted),
        }
    }
}

/// 2^e for e in the normal range.
#[inline(always)]
fn two_to(e: i64) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(factors: &[c64]) -> LogProduct {
        factors.iter().fold(LogProduct::ONE, |p, &z| p.times(z))
    }

    #[test]
    fn survives_extreme_factors() {
        let tiny = Complex::new(f64::from_bits(1), 0.0);
        let huge = Complex::new(f64::MAX, 0.0);
        let p = product(&[tiny; 1000]);
        assert!((p.log_abs() / (1000.0 * f64::from_bits(1).ln()) - 1.0).abs() < 1e-15);
        let p = product(&[huge, tiny, huge, -tiny]);
        assert_eq!(p.phase(), Complex::new(-1.0, 0.0));
        let expected = 2.0 * (f64::MAX.ln() + f64::from_bits(1).ln());
        assert!((p.log_abs() - expected).abs() < 1e-12);
    }

    #[test]
    fn zero_and_nan_stay() {
        let zero = product(&[Complex::new(2.0, 0.0), Complex::new(0.0, 0.0), Complex::new(3.0, 0.0)]);
        assert_eq!((zero.phase().re, zero.log_abs()), (0.0, f64::NEG_INFINITY));
        let nan = product(&[Complex::new(f64::NAN, 0.0), Complex::new(3.0, 0.0)]);
        assert!(nan.phase().re.is_nan() && nan.log_abs().is_nan());
    }

    #[test]
    fn complex_phases_multiply() {
        let p = product(&[Complex::new(0.0, 3.0); 4]);
        assert!((p.phase() - Complex::new(1.0, 0.0)).norm() < 1e-15);
        assert!((p.log_abs() - 4.0 * 3.0_f64.ln()).abs() < 1e-14);
        assert!((p.negate().phase() + Complex::new(1.0, 0.0)).norm() < 1e-15);
    }
}
