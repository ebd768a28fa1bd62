//! What the small kernels ask of a number beyond its arithmetic.

use simt::Pod;
use simt::shared::{Shared, Vector};

use crate::scalar::{Real, Scalar, c32, c64};

/// A number whose magnitude compares as integers, and of which 16 bytes move at once.
pub trait Number: Scalar {
    /// Numbers in 16 bytes.
    const VECTOR: usize;

    /// The magnitude of the pivot search as two words, the high one first; NaN is larger than infinity.
    #[inline(always)]
    #[must_use]
    fn words(self) -> (u32, u32) {
        self.abs1().to_words()
    }
    /// Whether its reciprocal, and products with that, stay within the range; else one must divide.
    #[inline(always)]
    #[must_use]
    fn is_moderate(self) -> bool {
        Self::Real::MODERATE.contains(&self.words().0)
    }
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

macro_rules! number {
    ($t:ident, $vector:literal) => {
        impl Number for $t {
            const VECTOR: usize = $vector;

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
number!(f32, 4);
number!(f64, 2);
number!(c32, 2);
number!(c64, 1);
