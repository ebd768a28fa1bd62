//! The diagonal, prepared for divisions.

use simt::shared::Shared;
use simt::{block, thread};

use crate::memory::matrix::{GlobalMatrix, View};
use crate::numbers::scalar::{Real, Scalar};
use crate::schedule::from_factors::{NB, panels};

/// What replaces a division by U[k][k]: a factor that brings the divisor, and so the dividend, into the middle of the
/// range, and the reciprocal of the divisor there.
#[derive(Clone, Copy)]
pub(super) struct Divisors<T: Scalar> {
    pub(super) reciprocals: Shared<T>,  // shape (panels, NB)
    pub(super) scales: Shared<T::Real>, // powers of two, 1 for all but extreme divisors: shape (panels, NB)
}

impl<T: Scalar> Divisors<T> {
    /// Takes them from the diagonal of a matrix of order `n`, and ones beyond it. By all threads; a barrier must
    /// follow.
    #[inline(always)]
    pub(super) fn prepare(&self, lu: &GlobalMatrix<T>, n: u32) {
        let mut k = thread::index();
        while k < NB * panels(n) {
            let divisor = if k < n { lu.load(k, k) } else { T::ONE };
            let scale = T::Real::safe_scale(divisor.abs1());
            self.scales.store(k, scale);
            self.reciprocals.store(k, divisor.scale(scale).reciprocal());
            k += block::dim();
        }
    }
}
