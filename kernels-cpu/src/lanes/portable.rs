//! Vectors as plain arrays, for CPUs that have no other here.

use numbers::scalar::Real;

use super::doubles::{BIAS, LIFT, NORMAL};
use super::vector::Doubles;
use super::vector::{MAX_LANES, Stage, Vector};

/// An array as a vector. Without an instruction for it, a fused multiply-add would be a slow function: there are none.
#[derive(Clone, Copy)]
pub(crate) struct Portable<R, const LANES: usize>([R; LANES]);

impl<R: Real, const LANES: usize> Portable<R, LANES> {
    #[inline(always)]
    fn zip(self, b: Self, f: impl Fn(R, R) -> R) -> Self {
        Self(std::array::from_fn(|w| f(self.0[w], b.0[w])))
    }

    #[inline(always)]
    fn compare(self, b: Self, f: impl Fn(R, R) -> bool) -> [bool; LANES] {
        std::array::from_fn(|w| f(self.0[w], b.0[w]))
    }
}

impl<R: Real, const LANES: usize> Vector for Portable<R, LANES> {
    type Real = R;
    type Mask = [bool; LANES];
    type Doubles = Portable<f64, LANES>;
    const LANES: usize = LANES;
    const REGISTERS: usize = 16;
    const HAS_FMA: bool = false;

    #[inline(always)]
    unsafe fn splat(x: R) -> Self {
        Self([x; LANES])
    }
    #[inline(never)]
    unsafe fn call<S: Stage>(stage: S) -> S::Output {
        // SAFETY: the caller's promise.
        unsafe { stage.run() }
    }
    #[inline(always)]
    unsafe fn load(from: *const R) -> Self {
        // SAFETY: the caller's promise; an array is aligned as its elements.
        unsafe { Self(from.cast::<[R; LANES]>().read()) }
    }
    // Elements by themselves are rare, and much code.
    #[inline(never)]
    unsafe fn load_first(from: *const R, count: usize) -> Self {
        let mut lanes = [R::ZERO; LANES];
        // SAFETY: the caller's promise.
        unsafe { lanes.as_mut_ptr().copy_from_nonoverlapping(from, count) };
        Self(lanes)
    }
    #[inline(never)]
    unsafe fn store_first(self, to: *mut R, count: usize) {
        // SAFETY: the caller's promise.
        unsafe { to.copy_from_nonoverlapping(self.0.as_ptr(), count) }
    }
    #[inline(always)]
    unsafe fn load_pieces<const Q: usize>(first: *const R, step: isize) -> Self {
        // SAFETY: the caller's promise.
        Self(std::array::from_fn(|w| unsafe { *first.wrapping_offset((w / Q) as isize * step).add(w % Q) }))
    }
    #[inline(always)]
    unsafe fn load_doubles(from: *const R) -> Portable<f64, LANES> {
        // SAFETY: the caller's promise.
        Portable(std::array::from_fn(|w| unsafe { (*from.add(w)).to_f64() }))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut R) {
        // SAFETY: the caller's promise; an array is aligned as its elements.
        unsafe { to.cast::<[R; LANES]>().write(self.0) }
    }
    #[inline(always)]
    unsafe fn store_pieces<const Q: usize>(self, first: *mut R, step: isize) {
        for w in 0..LANES {
            // SAFETY: the caller's promise.
            unsafe { *first.wrapping_offset((w / Q) as isize * step).add(w % Q) = self.0[w] }
        }
    }
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        self.zip(b, |a, b| a + b)
    }
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        self.zip(b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        self.zip(b, |a, b| a / b)
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self.mul(a).add(b)
    }
    #[inline(always)]
    fn sub_mul(self, a: Self, b: Self) -> Self {
        self.zip(a.mul(b), |x, product| x - product)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(R::abs1))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // Of an f32 by way of a double, which rounds to the same.
        Self(self.0.map(|x| R::from_f64(x.to_f64().sqrt())))
    }
    #[inline(always)]
    fn swap_pairs(self) -> Self {
        Self(std::array::from_fn(|w| self.0[w ^ 1]))
    }
    #[inline(always)]
    fn equal(self, b: Self) -> Self::Mask {
        self.compare(b, |a, b| a == b)
    }
    #[inline(always)]
    fn less(self, b: Self) -> Self::Mask {
        self.compare(b, |a, b| a < b)
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|w| if mask[w] { yes.0[w] } else { no.0[w] }))
    }
    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        std::array::from_fn(|w| a[w] & b[w])
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        mask.iter().enumerate().map(|(w, &set)| u32::from(set) << w).sum()
    }
    #[inline(always)]
    fn transpose(rows: &mut [Self; MAX_LANES]) {
        let square: [Self; LANES] = std::array::from_fn(|i| Self(std::array::from_fn(|j| rows[j].0[i])));
        rows[..LANES].copy_from_slice(&square);
    }
    #[inline(always)]
    fn transpose_squares<const Q: usize>(rows: &mut [Self; MAX_LANES]) {
        let squares: [Self; Q] = std::array::from_fn(|i| Self(std::array::from_fn(|w| rows[w % Q].0[w / Q * Q + i])));
        rows[..Q].copy_from_slice(&squares);
    }
    #[inline(always)]
    fn to_integers(self) -> [i32; MAX_LANES] {
        let mut integers = [0; MAX_LANES];
        for (integer, x) in integers.iter_mut().zip(self.0) {
            *integer = x.to_f64() as i32;
        }
        integers
    }
}

impl<const LANES: usize> Doubles for Portable<f64, LANES> {
    #[inline(always)]
    fn exponent(self) -> Self {
        Self(self.0.map(|x| {
            let (x, lift) = if x < NORMAL { (x * LIFT.0, LIFT.1) } else { (x, 0.0) };
            (x.to_bits() >> 52) as f64 - BIAS - lift
        }))
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        Self(self.0.map(|x| f64::from_bits(((x + BIAS) as u64) << 52)))
    }
}
