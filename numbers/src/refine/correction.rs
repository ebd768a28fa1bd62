//! The types in which corrections are computed.

use crate::scalar::{Real, Scalar, ScalarKind, c32, c64};

/// A type in which corrections to solutions in `T` are computed: `T` itself, or that of single precision.
pub trait Correction<T: Scalar>: Scalar {
    /// To `T`, exactly.
    #[must_use]
    fn to_wide(self) -> T;
    /// From `T`, rounded; infinite where it overflows.
    #[must_use]
    fn of_wide(x: T) -> Self;
}

impl<T: Scalar> Correction<T> for T {
    #[inline(always)]
    fn to_wide(self) -> T {
        self
    }
    #[inline(always)]
    fn of_wide(x: T) -> Self {
        x
    }
}

impl Correction<f64> for f32 {
    #[inline(always)]
    fn to_wide(self) -> f64 {
        self as f64
    }
    #[inline(always)]
    fn of_wide(x: f64) -> Self {
        x as f32
    }
}

impl Correction<c64> for c32 {
    #[inline(always)]
    fn to_wide(self) -> c64 {
        c64::new(self.re as f64, self.im as f64)
    }
    #[inline(always)]
    fn of_wide(x: c64) -> Self {
        c32::new(x.re as f32, x.im as f32)
    }
}

/// Powers of two between the sizes of residuals and of right-hand sides of corrections.
#[derive(Clone, Copy, Debug)]
pub struct Scales<R> {
    /// What a residual is multiplied by.
    pub down: R,
    /// What a correction is multiplied by.
    pub up: R,
}

/// 2^60, 2^500 and 2^900: bounds on scales.
const MODERATE_SINGLE: f64 = f64::from_bits((1023 + 60) << 52);
const MODERATE_DOUBLE: f64 = f64::from_bits((1023 + 500) << 52);
const FAR: f64 = f64::from_bits((1023 + 900) << 52);

impl<R: Real> Scales<R> {
    /// For a residual of size `size`, so that right-hand sides are about as large as the matrix, which has the norm
    /// `norm`: then corrections in `L` are not below 1, nor much above the matrix's condition.
    #[inline(always)]
    #[must_use]
    pub fn new<L: Scalar>(size: R, norm: R) -> Self {
        let most = match L::KIND {
            ScalarKind::F32 | ScalarKind::C32 => MODERATE_SINGLE,
            ScalarKind::F64 | ScalarKind::C64 => MODERATE_DOUBLE,
        };
        let (size, norm) = (power(size, if size_of::<R>() == 8 { FAR } else { most }), power(norm, most));
        // Quotients of powers of two, which are exact.
        Self { down: R::from_f64(norm / size), up: R::from_f64(size / norm) }
    }
}

/// The power of two of a number's exponent, but neither above `most` nor below its reciprocal.
#[inline(always)]
fn power<R: Real>(x: R, most: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    let power = f64::from_bits(x.to_f64().to_bits() & EXPONENT);
    if power > most {
        most
    } else if power < 1.0 / most {
        1.0 / most
    } else {
        power
    }
}
