//! The four arithmetic types: f32, f64, c32 and c64.

use core::ops::{Add, Mul, Neg, Sub};

use half::{bf16, f16};
use num_complex::Complex;
use simt::Pod;
use simt::math::Fused;

/// Complex of two f32 (NumPy's complex64).
#[allow(non_camel_case_types)]
pub type c32 = Complex<f32>;
/// Complex of two f64 (NumPy's complex128).
#[allow(non_camel_case_types)]
pub type c64 = Complex<f64>;

/// The real numbers under a [`Scalar`]: f32 and f64.
pub trait Real: Scalar<Real = Self> + Fused + PartialOrd + core::ops::Div<Output = Self> {
    /// A factor that, applied twice, brings a number of magnitude `m` to where its square and its reciprocal are normal
    /// numbers. A power of two, 1 for all but extreme `m`.
    ///
    /// A dividend may be multiplied by it once: what that pushes out of the range has a quotient out of the range.
    #[must_use]
    fn safe_scale(m: Self) -> Self;
    /// Upper and lower bits, which order numbers that are not negative as their values do; f32 has no lower ones.
    #[must_use]
    fn to_words(self) -> (u32, u32);
    /// With these bits of its words flipped.
    #[must_use]
    fn flip(self, bits: u32) -> Self;
    /// Upper bits of numbers with squares, and reciprocals of these, far from overflow and underflow.
    const MODERATE: core::ops::Range<u32>;
    /// As f64.
    #[must_use]
    fn to_f64(self) -> f64;
    /// From f64, rounded.
    #[must_use]
    fn from_f64(x: f64) -> Self;

    /// The square root, of which `reciprocal` is nearly the reciprocal.
    #[inline(always)]
    #[must_use]
    fn root(self, reciprocal: Self) -> Self {
        let near = self * reciprocal;
        let rest = Fused::mul_add(-near, near, self);
        Fused::mul_add(rest * Self::from_f64(0.5), reciprocal, near)
    }
}

/// A number that the kernels compute with.
pub trait Scalar:
    Pod + core::fmt::Debug + PartialEq + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// The type of its parts.
    type Real: Real;
    /// A divisor prepared for many dividends.
    type Divisor: Copy;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Not a number, in every part.
    const NAN: Self;
    /// Its kind.
    const KIND: ScalarKind;

    /// `|re| + |im|`, the magnitude that LAPACK's pivot search compares (`IxAMAX`).
    #[must_use]
    fn abs1(self) -> Self::Real;
    /// Whether its reciprocal, and products with that, stay within the range; else one must divide.
    #[inline(always)]
    #[must_use]
    fn is_moderate(self) -> bool {
        Self::Real::MODERATE.contains(&self.abs1().to_words().0)
    }
    /// Complex conjugate.
    #[must_use]
    fn conj(self) -> Self;
    /// The real part.
    #[must_use]
    fn real(self) -> Self::Real;
    /// A real number.
    #[must_use]
    fn from_real(x: Self::Real) -> Self;
    /// `self - a * b` with fused multiply-adds.
    #[must_use]
    fn sub_mul(self, a: Self, b: Self) -> Self;
    /// `self * a`, for real `a`.
    #[must_use]
    fn scale(self, a: Self::Real) -> Self;
    /// Whether all parts are finite.
    #[must_use]
    fn is_finite(self) -> bool;
    /// Prepares a division by `self`.
    #[must_use]
    fn divisor(self) -> Self::Divisor;
    /// `self / d`. A subnormal divisor is as good as any: real numbers are divided, not multiplied by a reciprocal.
    #[must_use]
    fn divide(self, d: Self::Divisor) -> Self;
    /// `1 / self`, for a [moderate](Real::MODERATE) magnitude.
    #[must_use]
    fn reciprocal(self) -> Self;
    /// A power of two `s` and `1 / (s self)`: `x.scale(s) * reciprocal` is `x / self` for divisors of any magnitude.
    #[inline(always)]
    #[must_use]
    fn scaled_reciprocal(self) -> (Self::Real, Self) {
        let scale = Self::Real::safe_scale(self.abs1());
        (scale, self.scale(scale).scale(scale).reciprocal().scale(scale))
    }
    /// As a pair of f64.
    #[must_use]
    fn to_c64(self) -> c64;
    /// From a pair of f64, rounded; real types drop the imaginary part.
    #[must_use]
    fn from_c64(z: c64) -> Self;
}

/// Names the scalar types at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// 32-bit real.
    F32,
    /// 64-bit real.
    F64,
    /// Two f32.
    C32,
    /// Two f64.
    C64,
}

impl ScalarKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::F32, Self::F64, Self::C32, Self::C64];

    /// `"f32"`, `"f64"`, `"c32"`, `"c64"`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::C32 => "c32",
            Self::C64 => "c64",
        }
    }

    /// Bytes of one number.
    #[must_use]
    pub const fn size(self) -> u32 {
        match self {
            Self::F32 => 4,
            Self::F64 | Self::C32 => 8,
            Self::C64 => 16,
        }
    }
}

macro_rules! real {
    ($t:ident, $kind:ident, $words:expr, $of_words:expr, $moderate:expr, $safe:expr, $down:expr, $up:expr) => {
        impl Real for $t {
            const MODERATE: core::ops::Range<u32> = $moderate;
            #[inline(always)]
            fn to_words(self) -> (u32, u32) {
                $words(self.to_bits())
            }
            #[inline(always)]
            fn flip(self, bits: u32) -> Self {
                let (upper, lower) = self.to_words();
                $of_words(upper ^ bits, lower ^ bits)
            }
            #[inline(always)]
            fn safe_scale(m: Self) -> Self {
                // Safe when m is between 1 / $safe and $safe.
                if m > $safe {
                    $down
                } else if m < 1.0 / $safe {
                    $up
                } else {
                    1.0
                }
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
        }

        impl Scalar for $t {
            type Real = $t;
            type Divisor = $t;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const NAN: Self = $t::NAN;
            const KIND: ScalarKind = ScalarKind::$kind;

            #[inline(always)]
            fn abs1(self) -> $t {
                self.abs()
            }
            #[inline(always)]
            fn conj(self) -> Self {
                self
            }
            #[inline(always)]
            fn real(self) -> $t {
                self
            }
            #[inline(always)]
            fn from_real(x: $t) -> Self {
                x
            }
            #[inline(always)]
            fn sub_mul(self, a: Self, b: Self) -> Self {
                Fused::mul_add(-a, b, self)
            }
            #[inline(always)]
            fn scale(self, a: $t) -> Self {
                self * a
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.abs() < $t::INFINITY
            }
            #[inline(always)]
            fn divisor(self) -> $t {
                self
            }
            #[inline(always)]
            fn divide(self, d: $t) -> Self {
                self / d
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                Fused::reciprocal(self)
            }
            #[inline(always)]
            fn to_c64(self) -> c64 {
                c64::new(self as f64, 0.0)
            }
            #[inline(always)]
            fn from_c64(z: c64) -> Self {
                z.re as $t
            }
        }

        impl Scalar for Complex<$t> {
            type Real = $t;
            type Divisor = ComplexDivisor<$t>;
            const ZERO: Self = Complex::new(0.0, 0.0);
            const ONE: Self = Complex::new(1.0, 0.0);
            const NAN: Self = Complex::new($t::NAN, $t::NAN);
            const KIND: ScalarKind = complex_kind(ScalarKind::$kind);

            #[inline(always)]
            fn abs1(self) -> $t {
                self.re.abs() + self.im.abs()
            }
            #[inline(always)]
            fn conj(self) -> Self {
                Complex::new(self.re, -self.im)
            }
            #[inline(always)]
            fn real(self) -> $t {
                self.re
            }
            #[inline(always)]
            fn from_real(x: $t) -> Self {
                Complex::new(x, 0.0)
            }
            #[inline(always)]
            fn sub_mul(self, a: Self, b: Self) -> Self {
                Complex::new(
                    Fused::mul_add(a.im, b.im, Fused::mul_add(-a.re, b.re, self.re)),
                    Fused::mul_add(-a.im, b.re, Fused::mul_add(-a.re, b.im, self.im)),
                )
            }
            #[inline(always)]
            fn scale(self, a: $t) -> Self {
                Complex::new(self.re * a, self.im * a)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.re.is_finite() && self.im.is_finite()
            }
            #[inline(always)]
            fn divisor(self) -> ComplexDivisor<$t> {
                let (re, im) = (self.re.abs(), self.im.abs());
                let scale = $t::safe_scale(if re > im { re } else { im });
                let d = self.scale(scale).scale(scale);
                let norm = Fused::mul_add(d.re, d.re, d.im * d.im);
                ComplexDivisor { scale, reciprocal: Complex::new(d.re / norm, -d.im / norm).scale(scale) }
            }
            #[inline(always)]
            fn divide(self, d: ComplexDivisor<$t>) -> Self {
                let (re, im) = (self.re * d.scale, self.im * d.scale);
                Complex::new(
                    Fused::mul_add(re, d.reciprocal.re, -(im * d.reciprocal.im)),
                    Fused::mul_add(re, d.reciprocal.im, im * d.reciprocal.re),
                )
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                let norm = Fused::reciprocal(Fused::mul_add(self.re, self.re, self.im * self.im));
                Complex::new(self.re * norm, -(self.im * norm))
            }
            #[inline(always)]
            fn to_c64(self) -> c64 {
                c64::new(self.re as f64, self.im as f64)
            }
            #[inline(always)]
            fn from_c64(z: c64) -> Self {
                Complex::new(z.re as $t, z.im as $t)
            }
        }
    };
}
/// Words of the bits of an f32.
#[inline(always)]
const fn words32(bits: u32) -> (u32, u32) {
    (bits, 0)
}

/// Words of the bits of an f64.
#[inline(always)]
const fn words64(bits: u64) -> (u32, u32) {
    ((bits >> 32) as u32, bits as u32)
}

// Moderate: 2^-60 to 2^60; safe: 2^60; scales 2^-34 and 2^44. A dividend that 2^-34 makes subnormal is below 2^-92: its
// quotient by a number above 2^60 is zero. One that 2^44 makes infinite is above 2^84, and so is its quotient.
real!(
    f32,
    F32,
    words32,
    |upper, _| f32::from_bits(upper),
    (127 - 60) << 23..(127 + 60) << 23,
    f32::from_bits((127 + 60) << 23),
    f32::from_bits((127 - 34) << 23),
    f32::from_bits((127 + 44) << 23)
);
// Moderate: 2^-500 to 2^500; safe: 2^500; scales 2^-270 and 2^288, chosen alike.
real!(
    f64,
    F64,
    words64,
    |upper, lower| f64::from_bits((upper as u64) << 32 | lower as u64),
    (1023 - 500) << 20..(1023 + 500) << 20,
    f64::from_bits((1023 + 500) << 52),
    f64::from_bits((1023 - 270) << 52),
    f64::from_bits((1023 + 288) << 52)
);

const fn complex_kind(part: ScalarKind) -> ScalarKind {
    match part {
        ScalarKind::F32 => ScalarKind::C32,
        _ => ScalarKind::C64,
    }
}

/// A complex divisor: the dividend is scaled by a power of two, then multiplied by the reciprocal of the divisor scaled
/// alike. No intermediate number leaves the range where the quotient does not, whatever the magnitudes of both.
#[derive(Clone, Copy, Debug)]
pub struct ComplexDivisor<R> {
    scale: R,
    reciprocal: Complex<R>,
}

/// A 16-bit format that matrices are stored in; the arithmetic is f32.
pub trait Storage: Pod {
    /// To f32, exactly.
    #[must_use]
    fn widen(self) -> f32;
    /// From f32, to nearest even.
    #[must_use]
    fn narrow(x: f32) -> Self;
}

macro_rules! storage {
    ($t:ident) => {
        impl Storage for $t {
            #[inline(always)]
            fn widen(self) -> f32 {
                self.to_f32()
            }
            #[inline(always)]
            fn narrow(x: f32) -> Self {
                $t::from_f32(x)
            }
        }
    };
}
storage!(f16);
storage!(bf16);
