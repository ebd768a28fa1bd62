//! Numbers that the algorithms compute with: vectors of real or of complex scalars.

use numbers::scalar::{Real, Scalar};

use super::quotient::Reciprocal;
use super::vector::{Vector, constant};

/// The largest number of columns that are worked on together.
pub(super) const MAX_COLUMNS: usize = 4;

/// A scalar a lane.
pub(crate) trait Number: Copy {
    /// The type of a lane.
    type Scalar: Scalar<Real = Self::Real>;
    /// The type of a lane's parts.
    type Real: Real;
    /// The vector of one part of each lane.
    type Vector: Vector<Real = Self::Real>;
    /// A divisor prepared for many dividends.
    type Divisor: Copy;
    /// A divisor prepared for so many dividends that a reciprocal pays.
    type Reciprocal: Copy;
    /// Parts of a scalar.
    const PARTS: usize;
    /// Reals in a number, as it lies in memory: shape (parts, lanes).
    const SIZE: usize = Self::PARTS * Self::Vector::LANES;
    /// Columns that are worked on together, so that a panel's factors for them stay in registers.
    const COLUMNS: usize = match Self::Vector::REGISTERS / Self::PARTS {
        0..16 => 1,
        16..32 => 2,
        _ => MAX_COLUMNS,
    };

    /// `x` in every lane.
    ///
    /// # Safety
    /// The CPU has the instructions.
    unsafe fn splat(x: Self::Scalar) -> Self;
    /// Loads all parts of all lanes.
    ///
    /// # Safety
    /// The CPU has the instructions, and `SIZE` reals may be read.
    unsafe fn load(from: *const Self::Real) -> Self;
    /// Stores all parts of all lanes.
    ///
    /// # Safety
    /// `SIZE` reals may be written.
    unsafe fn store(self, to: *mut Self::Real);
    /// `|re| + |im|`, by which pivots are chosen.
    #[must_use]
    fn magnitude(self) -> Self::Vector;
    /// `self - a * b`, as [`Scalar::sub_mul`].
    #[must_use]
    fn sub_mul(self, a: Self, b: Self) -> Self;
    /// Complex conjugate.
    #[must_use]
    fn conj(self) -> Self;
    /// The real part.
    #[must_use]
    fn real(self) -> Self::Vector;
    /// The number with this real part and no imaginary one.
    #[must_use]
    fn from_real(x: Self::Vector) -> Self;
    /// Each part divided by a real number, rounded once.
    #[must_use]
    fn divide_real(self, d: Reciprocal<Self::Vector>) -> Self;
    /// Where it is zero.
    #[must_use]
    fn is_zero(self) -> Mask<Self>;
    /// `yes` where the mask is true, else `no`.
    #[must_use]
    fn select(mask: Mask<Self>, yes: Self, no: Self) -> Self;
    /// Prepares divisions by `self`, as [`Scalar::divisor`]; where it is zero, dividends stay as they are.
    #[must_use]
    fn divisor(self) -> Self::Divisor;
    /// `self / d`, as [`Scalar::divide`].
    #[must_use]
    fn divide(self, d: Self::Divisor) -> Self;
    /// Prepares many divisions by `self`, as [`divisor`](Number::divisor).
    #[must_use]
    fn reciprocal(self) -> Self::Reciprocal;
    /// `self / d` with the bits of [`divide`](Number::divide).
    #[must_use]
    fn divide_by(self, d: Self::Reciprocal) -> Self;
    /// `x / d` for consecutive scalars as they lie in memory, the parts of each one after the other; `d` is not zero.
    #[must_use]
    fn divide_consecutive(x: Self::Vector, d: Self::Divisor) -> Self::Vector;
    /// `sum`, which becomes NaN where a part is not finite.
    #[must_use]
    fn probe(self, sum: Self::Vector) -> Self::Vector;
}

/// A truth value a lane.
pub(super) type Mask<N> = <<N as Number>::Vector as Vector>::Mask;

/// Vectors of doubles beside a number's.
pub(super) type DoublesOf<N> = <<N as Number>::Vector as Vector>::Doubles;

impl<V: Vector> Number for V {
    type Scalar = V::Real;
    type Real = V::Real;
    type Vector = V;
    type Divisor = V;
    type Reciprocal = Reciprocal<V>;
    const PARTS: usize = 1;

    #[inline(always)]
    unsafe fn splat(x: V::Real) -> V {
        // SAFETY: the caller's promise.
        unsafe { <V as Vector>::splat(x) }
    }
    #[inline(always)]
    unsafe fn load(from: *const V::Real) -> V {
        // SAFETY: the caller's promise.
        unsafe { <V as Vector>::load(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut V::Real) {
        // SAFETY: the caller's promise.
        unsafe { Vector::store(self, to) }
    }
    #[inline(always)]
    fn magnitude(self) -> V {
        self.abs()
    }
    #[inline(always)]
    fn sub_mul(self, a: V, b: V) -> V {
        Vector::sub_mul(self, a, b)
    }
    #[inline(always)]
    fn conj(self) -> V {
        self
    }
    #[inline(always)]
    fn real(self) -> V {
        self
    }
    #[inline(always)]
    fn from_real(x: V) -> V {
        x
    }
    #[inline(always)]
    fn divide_real(self, d: Reciprocal<V>) -> V {
        d.divide(self)
    }
    #[inline(always)]
    fn is_zero(self) -> V::Mask {
        self.equal(constant(self, V::Real::ZERO))
    }
    #[inline(always)]
    fn select(mask: V::Mask, yes: V, no: V) -> V {
        <V as Vector>::select(mask, yes, no)
    }
    #[inline(always)]
    fn divisor(self) -> V {
        // A quotient by one has the dividend's bits.
        <V as Vector>::select(self.is_zero(), constant(self, V::Real::ONE), self)
    }
    #[inline(always)]
    fn divide(self, d: V) -> V {
        self.div(d)
    }
    #[inline(always)]
    fn reciprocal(self) -> Reciprocal<V> {
        Reciprocal::new(self.divisor())
    }
    #[inline(always)]
    fn divide_by(self, d: Reciprocal<V>) -> V {
        d.divide(self)
    }
    #[inline(always)]
    fn divide_consecutive(x: V, d: V) -> V {
        x.div(d)
    }
    #[inline(always)]
    fn probe(self, sum: V) -> V {
        self.mul_add(constant(self, V::Real::ZERO), sum)
    }
}
