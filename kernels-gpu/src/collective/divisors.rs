//! The diagonal, prepared for divisions.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, thread};

use numbers::matrix::View;
use numbers::scalar::Scalar;

/// What replaces a division by an element of the diagonal: a factor that brings the divisor, and so the dividend, into
/// the middle of the range, and the reciprocal of the divisor there.
#[derive(Clone, Copy)]
pub struct Divisors<T: Scalar> {
    /// The reciprocals: shape (count).
    pub reciprocals: Shared<T>,
    /// The factors, powers of two, 1 for all but extreme divisors: shape (count).
    pub scales: Shared<T::Real>,
}

impl<T: Scalar> Divisors<T> {
    /// Room for so many.
    #[inline(always)]
    pub fn array(layout: &mut Layout, count: u32) -> Self {
        Self { reciprocals: layout.array(count), scales: layout.packed(count) }
    }

    /// Those from the `k`-th on.
    #[inline(always)]
    #[must_use]
    pub fn offset(self, k: u32) -> Self {
        Self { reciprocals: self.reciprocals.offset(k), scales: self.scales.offset(k) }
    }

    /// Takes them from the diagonal of a matrix of order `n`, and ones beyond it. By all threads; a barrier must
    /// follow.
    #[inline(always)]
    pub fn prepare(&self, lu: &impl View<T>, n: u32, count: u32) {
        let mut k = thread::index();
        while k < count {
            self.store(k, if k < n { lu.load(k, k) } else { T::ONE });
            k += block::dim();
        }
    }

    /// Prepares one.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store(&self, k: u32, divisor: T) {
        let (scale, reciprocal) = divisor.scaled_reciprocal();
        self.scales.store(k, scale);
        self.reciprocals.store(k, reciprocal);
    }

    /// A number, divided by the `k`-th.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn divide(&self, x: T, k: u32) -> T {
        x.scale(self.scales.load(k)) * self.reciprocals.load(k)
    }
}
