//! Vectors of real numbers, one number a lane.

use numbers::scalar::{Real, Scalar};

/// Lanes of the widest vector.
pub(crate) const MAX_LANES: usize = 16;

/// A part of an algorithm that is worth a function of its own. All that it calls is inlined into it.
pub(crate) trait Stage {
    /// What it returns.
    type Output;

    /// Does it.
    ///
    /// # Safety
    /// The CPU has the instructions; what else is demanded, its maker knows.
    unsafe fn run(self) -> Self::Output;
}

/// A vector of [`LANES`](Vector::LANES) real numbers.
///
/// Only `splat` and the loads make vectors from nothing, and they may be called only where the CPU has the vector's
/// instructions. All else takes a vector, whose existence proves that it has. What is written here goes by way of
/// memory, for vectors that have no instructions for it.
pub(crate) trait Vector: Copy {
    /// The type of a lane.
    type Real: Real;
    /// A truth value a lane.
    type Mask: Copy;
    /// The vector of doubles of the same instruction set.
    type Doubles: Doubles;
    /// Numbers in a vector.
    const LANES: usize;
    /// Vectors that the CPU holds in registers.
    const REGISTERS: usize;
    /// Whether scalar code that is compiled for these vectors has instructions for fused multiply-adds, too.
    const HAS_FMA: bool;

    /// `x` in every lane.
    ///
    /// # Safety
    /// The CPU has the instructions.
    unsafe fn splat(x: Self::Real) -> Self;
    /// Loads a whole vector, aligned or not.
    ///
    /// # Safety
    /// The CPU has the instructions, and `LANES` numbers may be read.
    unsafe fn load(from: *const Self::Real) -> Self;
    /// Loads the first `count` lanes, zeros in the others.
    ///
    /// # Safety
    /// The CPU has the instructions, `count <= LANES`, and `count` numbers may be read.
    #[inline(always)]
    unsafe fn load_first(from: *const Self::Real, count: usize) -> Self {
        let mut lanes = [Self::Real::ZERO; MAX_LANES];
        for (w, lane) in lanes.iter_mut().enumerate().take(count) {
            // SAFETY: the caller's promise.
            *lane = unsafe { *from.add(w) };
        }
        // SAFETY: the caller's promise.
        unsafe { Self::load(lanes.as_ptr()) }
    }
    /// Loads lane w from `offsets[w]`.
    ///
    /// # Safety
    /// The CPU has the instructions, and the numbers at the first `LANES` offsets may be read.
    #[inline(always)]
    unsafe fn gather(from: *const Self::Real, offsets: &[u32; MAX_LANES]) -> Self {
        let mut lanes = [Self::Real::ZERO; MAX_LANES];
        for (lane, &offset) in lanes.iter_mut().zip(offsets).take(Self::LANES) {
            // SAFETY: the caller's promise.
            *lane = unsafe { *from.add(offset as usize) };
        }
        // SAFETY: the caller's promise.
        unsafe { Self::load(lanes.as_ptr()) }
    }
    /// Loads pieces of `Q` numbers one after the other, each `step` numbers after the one before.
    ///
    /// # Safety
    /// The CPU has the instructions, `Q` is a power of two and at most `LANES`, and the numbers may be read.
    unsafe fn load_pieces<const Q: usize>(first: *const Self::Real, step: isize) -> Self;
    /// Loads as many numbers as there are lanes of doubles.
    ///
    /// # Safety
    /// The CPU has the instructions, and the numbers may be read.
    unsafe fn load_doubles(from: *const Self::Real) -> Self::Doubles;
    /// Stores all lanes.
    ///
    /// # Safety
    /// `LANES` numbers may be written.
    unsafe fn store(self, to: *mut Self::Real);
    /// Stores the first `count` lanes.
    ///
    /// # Safety
    /// `count <= LANES`, and `count` numbers may be written.
    #[inline(always)]
    unsafe fn store_first(self, to: *mut Self::Real, count: usize) {
        let mut lanes = [Self::Real::ZERO; MAX_LANES];
        // SAFETY: they fit.
        unsafe { self.store(lanes.as_mut_ptr()) };
        for (w, &lane) in lanes.iter().enumerate().take(count) {
            // SAFETY: the caller's promise.
            unsafe { *to.add(w) = lane }
        }
    }
    /// The inverse of [`load_pieces`](Self::load_pieces).
    ///
    /// # Safety
    /// As there, and the numbers may be written.
    unsafe fn store_pieces<const Q: usize>(self, first: *mut Self::Real, step: isize);

    /// Has the CPU fetch the cache line at an address, which need not be one of memory. A CPU may do without.
    #[inline(always)]
    fn prefetch(_at: *const Self::Real) {}

    /// `self + b`.
    #[must_use]
    fn add(self, b: Self) -> Self;
    /// `self * b`.
    #[must_use]
    fn mul(self, b: Self) -> Self;
    /// `self / b`.
    #[must_use]
    fn div(self, b: Self) -> Self;
    /// `self * a + b`, rounded once where the CPU can.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `self - a * b`, rounded once where the CPU can.
    #[must_use]
    fn sub_mul(self, a: Self, b: Self) -> Self;
    /// The magnitude.
    #[must_use]
    fn abs(self) -> Self;
    /// The square root, rounded once.
    #[must_use]
    fn sqrt(self) -> Self;
    /// Each even lane exchanged with the odd one after it.
    #[must_use]
    fn swap_pairs(self) -> Self;
    /// `self` where it is greater, else `b`: a NaN in `self` gives `b`.
    #[must_use]
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        Self::select(b.less(self), self, b)
    }
    /// Where `self == b`.
    #[must_use]
    fn equal(self, b: Self) -> Self::Mask;
    /// Where `self < b`.
    #[must_use]
    fn less(self, b: Self) -> Self::Mask;
    /// `yes` where the mask is true, else `no`.
    #[must_use]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Where both masks are true.
    #[must_use]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Bit w of the result is lane w of the mask.
    #[must_use]
    fn bits(mask: Self::Mask) -> u32;
    /// Transposes the square of the first `LANES` vectors.
    fn transpose(rows: &mut [Self; MAX_LANES]);
    /// Transposes the squares that lie side by side in the first `Q` vectors. `Q` is a power of two and at most
    /// `LANES`.
    fn transpose_squares<const Q: usize>(rows: &mut [Self; MAX_LANES]);
    /// The lanes as integers; they are whole numbers from -1 to 2^16.
    #[must_use]
    fn to_integers(self) -> [i32; MAX_LANES];

    /// Runs a stage as a function that is compiled for the instructions, once for all who call it.
    ///
    /// # Safety
    /// The CPU has the instructions, and what the stage demands.
    unsafe fn call<S: Stage>(stage: S) -> S::Output;

    /// The bits of a mask that is true in every lane.
    const ALL: u32 = (1 << Self::LANES) - 1;
}

/// Vectors of doubles, whose exponents can be taken apart, as logarithms need.
pub(crate) trait Doubles: Vector<Real = f64> {
    /// The whole number e with `2^e <= self < 2^(e + 1)`, for positive numbers, subnormal or not. Of others, anything.
    #[must_use]
    fn exponent(self) -> Self;
    /// `2^self`, for whole numbers from -1022 to 1023. Of others, anything.
    #[must_use]
    fn power_of_two(self) -> Self;
}

/// `x` in every lane of a vector like `like`.
#[inline(always)]
pub(super) fn constant<V: Vector>(_like: V, x: V::Real) -> V {
    // SAFETY: there is such a vector, so the CPU has its instructions.
    unsafe { V::splat(x) }
}
