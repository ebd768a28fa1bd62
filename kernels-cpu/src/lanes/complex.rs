//! Complex numbers: a vector of real parts and one of imaginary parts.

use num_complex::Complex;
use numbers::scalar::{Real, Scalar};

use super::number::Number;
use super::quotient::Reciprocal;
use super::vector::constant;
use super::vector::{MAX_LANES, Vector};

/// A complex number a lane.
#[derive(Clone, Copy)]
pub(crate) struct ComplexVector<V> {
    re: V,
    im: V,
}

/// Divisors as [`ComplexDivisor`](numbers::scalar::ComplexDivisor): dividends are scaled by a power of
/// two, then multiplied by the reciprocal of the divisor scaled alike.
pub(crate) struct Divisor<V: Vector> {
    scale: V,
    /// The reciprocal's real part.
    re: V,
    /// The reciprocal's imaginary part, negated.
    minus_im: V,
    /// Where the divisor is zero.
    zero: V::Mask,
}

impl<V: Vector> Clone for Divisor<V> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<V: Vector> Copy for Divisor<V> {}

impl<V: Vector> Number for ComplexVector<V>
where
    Complex<V::Real>: Scalar<Real = V::Real>,
{
    type Scalar = Complex<V::Real>;
    type Real = V::Real;
    type Vector = V;
    type Divisor = Divisor<V>;
    type Reciprocal = Divisor<V>;
    const PARTS: usize = 2;

    #[inline(always)]
    unsafe fn splat(x: Complex<V::Real>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self { re: V::splat(x.re), im: V::splat(x.im) } }
    }
    #[inline(always)]
    unsafe fn load(from: *const V::Real) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self { re: V::load(from), im: V::load(from.add(V::LANES)) } }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut V::Real) {
        // SAFETY: the caller's promise.
        unsafe {
            self.re.store(to);
            self.im.store(to.add(V::LANES));
        }
    }
    #[inline(always)]
    fn magnitude(self) -> V {
        self.re.abs().add(self.im.abs())
    }
    #[inline(always)]
    fn sub_mul(self, a: Self, b: Self) -> Self {
        Self {
            re: a.im.mul_add(b.im, self.re.sub_mul(a.re, b.re)),
            im: self.im.sub_mul(a.re, b.im).sub_mul(a.im, b.re),
        }
    }
    #[inline(always)]
    fn conj(self) -> Self {
        Self { re: self.re, im: self.im.mul(constant(self.im, -V::Real::ONE)) }
    }
    #[inline(always)]
    fn real(self) -> V {
        self.re
    }
    #[inline(always)]
    fn from_real(x: V) -> Self {
        Self { re: x, im: constant(x, V::Real::ZERO) }
    }
    #[inline(always)]
    fn divide_real(self, d: Reciprocal<V>) -> Self {
        Self { re: d.divide(self.re), im: d.divide(self.im) }
    }
    #[inline(always)]
    fn is_zero(self) -> V::Mask {
        V::both(self.re.is_zero(), self.im.is_zero())
    }
    #[inline(always)]
    fn select(mask: V::Mask, yes: Self, no: Self) -> Self {
        Self { re: V::select(mask, yes.re, no.re), im: V::select(mask, yes.im, no.im) }
    }
    #[inline(always)]
    fn divisor(self) -> Divisor<V> {
        let scale = safe_scale(self.re.abs().max(self.im.abs()));
        let (re, im) = (self.re.mul(scale).mul(scale), self.im.mul(scale).mul(scale));
        let norm = re.mul_add(re, im.mul(im));
        let (re, minus_im) = (re.div(norm).mul(scale), im.div(norm).mul(scale));
        Divisor { scale, re, minus_im, zero: self.is_zero() }
    }
    #[inline(always)]
    fn divide(self, d: Divisor<V>) -> Self {
        let (re, im) = (self.re.mul(d.scale), self.im.mul(d.scale));
        let quotient = Self { re: re.mul_add(d.re, im.mul(d.minus_im)), im: im.mul(d.re).sub_mul(re, d.minus_im) };
        Self::select(d.zero, self, quotient)
    }
    #[inline(always)]
    fn reciprocal(self) -> Divisor<V> {
        self.divisor()
    }
    #[inline(always)]
    fn divide_by(self, d: Divisor<V>) -> Self {
        self.divide(d)
    }
    #[inline(always)]
    fn divide_consecutive(x: V, d: Divisor<V>) -> V {
        let x = x.mul(d.scale);
        x.mul_add(d.re, x.swap_pairs().mul(negate_odd(d.minus_im)))
    }
    #[inline(always)]
    fn probe(self, sum: V) -> V {
        self.im.probe(self.re.probe(sum))
    }
}

/// The number with its sign changed in odd lanes, where imaginary parts are.
#[inline(always)]
fn negate_odd<V: Vector>(x: V) -> V {
    let signs = [[V::Real::ONE, -V::Real::ONE]; MAX_LANES / 2];
    // SAFETY: there is such a vector, so the CPU has its instructions.
    x.mul(unsafe { V::load(signs.as_ptr().cast()) })
}

/// [`Real::safe_scale`], lane by lane.
#[inline(always)]
fn safe_scale<V: Vector>(m: V) -> V {
    let safe = safe_limit::<V::Real>();
    let down = V::Real::safe_scale(V::Real::from_f64(f64::INFINITY));
    let up = V::Real::safe_scale(V::Real::ZERO);
    let one = constant(m, V::Real::ONE);
    let scale = V::select(constant(m, safe).less(m), constant(m, down), one);
    V::select(m.less(constant(m, V::Real::ONE / safe)), constant(m, up), scale)
}

/// The magnitude above which [`Real::safe_scale`] scales down: the end of the moderate ones.
#[inline(always)]
fn safe_limit<R: Real>() -> R {
    let upper = R::MODERATE.end;
    R::from_f64(match size_of::<R>() {
        4 => f64::from(f32::from_bits(upper)),
        _ => f64::from_bits(u64::from(upper) << 32),
    })
}
