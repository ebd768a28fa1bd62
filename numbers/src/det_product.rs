//! The running product of a determinant, which neither overflows nor underflows.

use simt::Pod;
use simt::global::Global;

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
/// The larger part of the mantissa has a magnitude in [1, 2), unless the product is zero. A factor that is not finite
/// makes both parts NaN. Products of real numbers have imaginary part 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogProduct {
    /// The number without its exponent.
    pub mantissa: c64,
    /// The power of two that the mantissa stands with.
    pub exponent: i64,
}

/// Where the determinants of a batch are: shape (batch) each.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DetParts<T: Pod, R: Pod> {
    /// det A: 0 where it is too small for the type or A is singular, infinite where it is too large.
    pub value: Global<T>,
    /// det A / |det A|; 0 where A is singular.
    pub phase: Global<T>,
    /// log |det A|; minus infinity where A is singular.
    pub log_abs: Global<R>,
}

impl<T: Pod, R: Pod> DetParts<T, R> {
    /// Those from matrix b on.
    #[inline(always)]
    #[must_use]
    pub fn from(self, b: i64) -> Self {
        Self { value: self.value.offset(b), phase: self.phase.offset(b), log_abs: self.log_abs.offset(b) }
    }

    /// The same places, as those of other types.
    #[inline(always)]
    #[must_use]
    pub fn cast<U: Pod, S: Pod>(self) -> DetParts<U, S> {
        DetParts { value: self.value.cast(), phase: self.phase.cast(), log_abs: self.log_abs.cast() }
    }
}

impl LogProduct {
    /// The empty product.
    pub const ONE: Self = Self { mantissa: c64::new(1.0, 0.0), exponent: 0 };
    /// The product with a factor zero.
    pub const ZERO: Self = Self { mantissa: c64::new(0.0, 0.0), exponent: 0 };
    /// The product with a factor that is not finite.
    pub const NAN: Self = Self { mantissa: c64::new(f64::NAN, f64::NAN), exponent: 0 };

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

    /// The product itself, rounded once more where it is subnormal; infinite where it is too large.
    #[inline(always)]
    #[must_use]
    pub fn value(self) -> c64 {
        // From here on, and down from its opposite, both factors' product is out of range.
        const FAR: i64 = 2044;
        let exponent = if self.exponent > FAR { FAR } else { self.exponent };
        let exponent = if exponent < -FAR { -FAR } else { exponent };
        let half = exponent >> 1;
        let (first, second) = (power_of_two(half), power_of_two(exponent.wrapping_sub(half)));
        c64::new(self.mantissa.re * first * second, self.mantissa.im * first * second)
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
