//! [`LogProduct`](numbers::det_product::LogProduct) lane by lane, by the same operations, none of which is
//! fused: a product of numbers that neither overflows nor underflows, and its logarithm.

use std::f64::consts::SQRT_2;

use numbers::det_product::DetParts;
use numbers::scalar::{Scalar, c64};

use super::vector::{Doubles, MAX_LANES, constant};
use crate::det::write_parts;

/// log 2 in two parts: the first has 33 bits, so that its product with an exponent is exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
/// From here on, just below the root of two, `libm::log` takes the logarithm of half of a number.
const HALVED: f64 = f64::from_bits(0x3ff6_a09e_0000_0000);
/// The coefficients of `libm::log`, for the even and the odd powers of a square.
const EVEN: [u64; 3] = [0x3fd9_9999_9997_fa04, 0x3fcc_71c5_1d8e_78af, 0x3fc3_9a09_d078_c69f];
const ODD: [u64; 4] = [0x3fe5_5555_5555_5593, 0x3fd2_4924_9422_9359, 0x3fc7_4664_96cb_03de, 0x3fc2_f112_df3e_5244];

/// A product of real or complex numbers in every lane, `mantissa * 2^exponent`; the larger part of the mantissa has a
/// magnitude in [1, 2). Lanes with a factor that is zero or not finite have no meaning.
#[derive(Clone, Copy)]
pub(super) struct LogProducts<V> {
    re: V,
    /// None for real numbers.
    im: Option<V>,
    exponent: V,
}

impl<V: Doubles> LogProducts<V> {
    /// `z * 2^exponent`.
    #[inline(always)]
    #[expect(clippy::manual_map, reason = "a closure may stay a function, which is not compiled for the instructions")]
    pub(super) fn new(re: V, im: Option<V>, exponent: V) -> Self {
        let larger = match im {
            None => re.abs(),
            Some(im) => re.abs().max(im.abs()),
        };
        let own = larger.exponent();
        let shift = minus(constant(own, 0.0), own);
        // The power of two in two factors: one alone may be out of range.
        let half = round(shift.mul(constant(shift, 0.5)));
        let (first, second) = (half.power_of_two(), minus(shift, half).power_of_two());
        let im = match im {
            None => None,
            Some(im) => Some(im.mul(first).mul(second)),
        };
        Self { re: re.mul(first).mul(second), im, exponent: exponent.add(own) }
    }

    /// The products of two products.
    #[inline(always)]
    pub(super) fn combine(self, other: Self) -> Self {
        let exponent = self.exponent.add(other.exponent);
        let (a, b) = (self.re, other.re);
        match (self.im, other.im) {
            (Some(c), Some(d)) => Self::new(minus(a.mul(b), c.mul(d)), Some(a.mul(d).add(c.mul(b))), exponent),
            _ => Self::new(a.mul(b), None, exponent),
        }
    }

    /// The products themselves, infinite where they are too large; real and imaginary parts.
    #[inline(always)]
    pub(super) fn value(self) -> (V, V) {
        // From here on, and down from its opposite, both factors' product is out of range.
        let far = constant(self.exponent, 2044.0);
        let exponent = V::select(far.less(self.exponent), far, self.exponent);
        let far = constant(self.exponent, -2044.0);
        let exponent = far.max(exponent);
        let half = round(exponent.mul(constant(exponent, 0.5)));
        let (first, second) = (half.power_of_two(), minus(exponent, half).power_of_two());
        let im = match self.im {
            None => constant(first, 0.0),
            Some(im) => im.mul(first).mul(second),
        };
        (self.re.mul(first).mul(second), im)
    }

    /// All that [`Logs::write`] needs.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn logs(self) -> Logs {
        let mut logs = Logs { value: [[0.0; MAX_LANES]; 2], phase: [[0.0; MAX_LANES]; 2], log_abs: [0.0; MAX_LANES] };
        let (value, phase) = (self.value(), self.phase());
        // SAFETY: the caller's promise; the arrays have an element a lane.
        unsafe {
            value.0.store(logs.value[0].as_mut_ptr());
            value.1.store(logs.value[1].as_mut_ptr());
            phase.0.store(logs.phase[0].as_mut_ptr());
            phase.1.store(logs.phase[1].as_mut_ptr());
            self.log_abs().store(logs.log_abs.as_mut_ptr());
        }
        logs
    }

    /// The products over their magnitudes, exactly 1 or -1 for real numbers; real and imaginary parts.
    #[inline(always)]
    pub(super) fn phase(self) -> (V, V) {
        let magnitude = self.magnitude();
        let im = match self.im {
            None => constant(magnitude, 0.0),
            Some(im) => im.div(magnitude),
        };
        (self.re.div(magnitude), im)
    }

    /// The natural logarithms of the magnitudes.
    #[inline(always)]
    pub(super) fn log_abs(self) -> V {
        let magnitude = self.magnitude();
        // Between sqrt(1/2) and sqrt(2), so that the logarithm of a number near 1 is not a difference.
        let above = constant(magnitude, SQRT_2).less(magnitude);
        let carry = V::select(above, constant(magnitude, 1.0), constant(magnitude, 0.0));
        let magnitude = V::select(above, magnitude.mul(constant(magnitude, 0.5)), magnitude);
        let exponent = self.exponent.add(carry);
        let low = exponent.mul(constant(exponent, LN_2_LOW)).add(log(magnitude));
        exponent.mul(constant(exponent, LN_2_HIGH)).add(low)
    }

    #[inline(always)]
    fn magnitude(self) -> V {
        match self.im {
            None => self.re.abs(),
            Some(im) => self.re.mul(self.re).add(im.mul(im)).sqrt(),
        }
    }
}

/// What becomes of the products in all lanes.
pub(super) struct Logs {
    /// Real and imaginary parts.
    value: [[f64; MAX_LANES]; 2],
    phase: [[f64; MAX_LANES]; 2],
    log_abs: [f64; MAX_LANES],
}

impl Logs {
    /// Writes lane w's product, times the sign, as the determinant of matrix b.
    ///
    /// # Safety
    /// As for [`write_parts`].
    #[inline(always)]
    pub(super) unsafe fn write<S: Scalar>(&self, w: usize, sign: f64, det: DetParts<S, S::Real>, b: usize) {
        let of = |parts: &[[f64; MAX_LANES]; 2]| c64::new(sign * parts[0][w], sign * parts[1][w]);
        // SAFETY: the caller's promise.
        unsafe { write_parts(det, b, of(&self.value), of(&self.phase), self.log_abs[w]) };
    }
}

/// `libm::log` for numbers from the root of 1/2 to that of two.
#[inline(always)]
fn log<V: Doubles>(x: V) -> V {
    let (zero, half) = (constant(x, 0.0), constant(x, 0.5));
    let whole = x.less(constant(x, HALVED));
    let high = V::select(whole, zero, constant(x, LN_2_HIGH));
    let low = V::select(whole, zero, constant(x, LN_2_LOW));
    let f = minus(V::select(whole, x, x.mul(half)), constant(x, 1.0));
    let half_square = half.mul(f).mul(f);
    let s = f.div(constant(f, 2.0).add(f));
    let z = s.mul(s);
    let w = z.mul(z);
    let r = z.mul(polynomial(&ODD, w)).add(w.mul(polynomial(&EVEN, w)));
    minus(s.mul(half_square.add(r)).add(low), half_square).add(f).add(high)
}

/// The polynomial of these coefficients, given by their bits, the constant one first.
#[inline(always)]
fn polynomial<V: Doubles, const N: usize>(coefficients: &[u64; N], x: V) -> V {
    let mut sum = constant(x, f64::from_bits(coefficients[N - 1]));
    for k in (0..N - 1).rev() {
        sum = constant(x, f64::from_bits(coefficients[k])).add(x.mul(sum));
    }
    sum
}

/// `a - b`.
#[inline(always)]
fn minus<V: Doubles>(a: V, b: V) -> V {
    a.sub_mul(b, constant(b, 1.0))
}

/// To a whole number, of magnitudes below 2^51.
#[inline(always)]
fn round<V: Doubles>(x: V) -> V {
    /// Above it, doubles are whole.
    const WHOLE: f64 = (3_u64 << 51) as f64;
    minus(x.add(constant(x, WHOLE)), constant(x, WHOLE))
}
