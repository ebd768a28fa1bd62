//! What the small kernels ask of a number beyond its arithmetic.

use simt::Pod;
use simt::shared::{Shared, Vector};

use crate::scalar::{Scalar, c32, c64};

/// A number whose magnitude compares as integers, and of which 16 bytes move at once.
pub trait Number: Scalar {
    /// Numbers in 16 bytes.
    const VECTOR: usize;

    /// The magnitude of the pivot search as two words, the high one first; NaN is larger than infinity.
    #[must_use]
    fn words(self) -> (u32, u32);
    /// The reciprocal, or 0 where one must divide instead: it, or a product with it, might leave the range.
    #[must_use]
    fn guarded_reciprocal(self) -> Self;
    /// Vector `i` of an array, its `VECTOR` numbers first.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_vector(from: Shared<Self>, i: u32) -> [Self; 4];
    /// Writes vector `i` of an array: the numbers of `x` from `first` on.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store_vector<const N: usize>(to: Shared<Self>, i: u32, x: &[Self; N], first: usize);
}

#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn load<T: Pod, const V: usize>(from: Shared<T>, i: u32, zero: T) -> [T; 4] {
    let vector = from.vectors::<V>().load(i).0;
    let mut numbers = [zero; 4];
    numbers[..V].copy_from_slice(&vector);
    numbers
}

#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn store<T: Pod, const V: usize, const N: usize>(to: Shared<T>, i: u32, x: &[T; N], first: usize) {
    let mut vector = [x[first]; V];
    vector.copy_from_slice(&x[first..first + V]);
    to.vectors::<V>().store(i, Vector(vector));
}

/// Words of a magnitude, and whether its reciprocal, and that of its square, are normal numbers.
trait Magnitude: Copy {
    fn bits(self) -> (u32, u32);
    fn is_moderate(self) -> bool;
}

impl Magnitude for f32 {
    #[inline(always)]
    fn bits(self) -> (u32, u32) {
        (self.to_bits(), 0)
    }

    /// Between 2^-59 and 2^60.
    #[inline(always)]
    fn is_moderate(self) -> bool {
        self.to_bits().wrapping_sub((127 - 59) << 23) < (59 + 60) << 23
    }
}

impl Magnitude for f64 {
    #[inline(always)]
    fn bits(self) -> (u32, u32) {
        ((self.to_bits() >> 32) as u32, self.to_bits() as u32)
    }

    /// Between 2^-499 and 2^500.
    #[inline(always)]
    fn is_moderate(self) -> bool {
        self.bits().0.wrapping_sub((1023 - 499) << 20) < (499 + 500) << 20
    }
}

macro_rules! number {
    ($t:ident, $vector:literal, |$x:ident| $reciprocal:expr) => {
        impl Number for $t {
            const VECTOR: usize = $vector;

            #[inline(always)]
            fn words(self) -> (u32, u32) {
                self.abs1().bits()
            }

            #[inline(always)]
            fn guarded_reciprocal(self) -> Self {
                let $x = self;
                let reciprocal = $reciprocal;
                if self.abs1().is_moderate() { reciprocal } else { Self::ZERO }
            }

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn load_vector(from: Shared<Self>, i: u32) -> [Self; 4] {
                load::<Self, $vector>(from, i, Self::ZERO)
            }

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn store_vector<const N: usize>(to: Shared<Self>, i: u32, x: &[Self; N], first: usize) {
                store::<Self, $vector, N>(to, i, x, first);
            }
        }
    };
}
number!(f32, 4, |x| 1.0 / x);
number!(f64, 2, |x| 1.0 / x);
number!(c32, 2, |x| conjugate_over(x, 1.0 / (x.re * x.re + x.im * x.im)));
number!(c64, 1, |x| conjugate_over(x, 1.0 / (x.re * x.re + x.im * x.im)));

/// The conjugate times a real number.
#[inline(always)]
fn conjugate_over<R: Copy + core::ops::Mul<Output = R> + core::ops::Neg<Output = R>>(
    x: num_complex::Complex<R>,
    factor: R,
) -> num_complex::Complex<R> {
    num_complex::Complex::new(x.re * factor, -x.im * factor)
}
