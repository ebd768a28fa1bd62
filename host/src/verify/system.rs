//! The test ratio of solutions by factors of whatever kind.

use kernels_cpu::mat::Mat;

use super::ratios::{Ratio, over};
use super::scaled::{Elements, Scaled, Wide, magnitudes, norm, product};
use crate::floats::times_power;

/// A matrix, right-hand sides and solutions.
pub(super) struct System<'a> {
    pub(super) n: usize,
    pub(super) rhs: usize,
    /// Of the type that x is stored in.
    pub(super) precision: (f64, f64),
    pub(super) a: Elements<'a>,
    pub(super) b: Elements<'a>,
    pub(super) x: Elements<'a>,
}

impl System<'_> {
    /// The worst of the right-hand sides, where `a` is the matrix scaled, and `bound` the product of its factors'
    /// magnitudes with those of a vector.
    pub(super) fn ratio<W: Wide>(&self, a: &Scaled<W>, bound: &dyn Fn(&Mat<f64>) -> Mat<f64>) -> Ratio {
        let (n, order, (u, least)) = (self.n, self.n as f64, self.precision);
        let (mut ratio, norm_a) = (Ratio::default(), norm(&a.matrix));
        for c in 0..self.rhs {
            let x = Scaled::<W>::new(n, 1, &|i, _| (self.x)(i, c));
            let exponent = a.exponent.saturating_add(x.exponent);
            let b = Mat::from_fn(n, 1, |i, _| W::times((self.b)(i, c), -exponent));
            let residual = b.minus(&product(&a.matrix, &x.matrix));
            let least_x = times_power(least, -x.exponent);
            let floor = (order * order * times_power(least, -exponent)).max(f64::MIN_POSITIVE);
            let bound = bound(&magnitudes(&x.matrix));
            ratio = ratio.worst(Ratio {
                norm: norm(&residual) / (norm_a * (norm(&x.matrix) * u + order * least_x) + floor),
                component: over(&magnitudes(&residual), |i, _| {
                    3.0 * order * u * bound[(i, 0)] + floor + order * least_x * norm_a
                }),
                right: 0.0,
            });
        }
        ratio
    }
}
