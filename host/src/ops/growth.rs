//! The growth of pivots.

use numbers::scalar::{Real, Scalar};

use super::checks;
use super::lu::Lu;
use crate::batch::Batch;
use crate::call::start_threads;
use crate::element::{Element, RealOf};
use crate::error::Result;
use crate::status::Status;
use kernels_cpu::fresh::filled;
use kernels_cpu::parallel;

impl<T: Element> Lu<T> {
    /// How much larger than the elements of each matrix those of U have become (LAPACK's reciprocal pivot growth,
    /// `xLA_GERPVGRW`, the other way round): the largest `|re| + |im|` of U over that of A. `a` are the matrices that
    /// were factored. NaN where the status is not 0, 1 for order 0 and a zero matrix.
    ///
    /// The backward error of a solution is about this many times the unit roundoff at most. With
    /// [partial pivoting](crate::Pivoting::Partial) it is hardly ever large; without, it tells whether it was right to do
    /// without.
    ///
    /// Factors in a GPU's memory are brought to the host, once.
    ///
    /// ```
    /// use warplu::{Batch, Device, Pivoting};
    /// let a = Batch::row_major(&[0.001, 1.0, 1.0, 1.0], 1, 2, 2)?;
    /// let device = Device::cpu().with(Pivoting::None);
    /// assert_eq!(device.lu(&a)?.growth(&a)?, [999.0]); // U is [0.001 1; 0 -999]
    /// assert_eq!(Device::cpu().lu(&a)?.growth(&a)?, [1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `a` is not of the size of the factors; a device's errors.
    pub fn growth(&self, a: &Batch<'_, T>) -> Result<Vec<RealOf<T>>> {
        let n = self.n();
        checks::factored(a, (self.batch(), n))?;
        start_threads()?;
        let factors = self.factors()?;
        let mut growth = filled(RealOf::<T>::from_f64(1.0), self.batch())?;
        parallel::fill(&mut growth, &|b| {
            growth_of::<T>(self.status()[b], n, |i, j| a.get(b, i, j), |i, j| factors.get(b, i, j))
        });
        Ok(growth)
    }
}

/// That of a matrix of order `n`, from its elements and those of its factors.
pub(super) fn growth_of<T: Element>(
    status: Status,
    n: usize,
    a: impl Fn(usize, usize) -> T,
    factors: impl Fn(usize, usize) -> T::Scalar,
) -> RealOf<T> {
    if status != Status::Ok {
        return RealOf::<T>::NAN;
    }
    let [mut of_a, mut of_u] = [0.0_f64; 2];
    for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
        of_a = of_a.max(a(i, j).widen().abs1().to_f64());
        if i <= j {
            of_u = of_u.max(factors(i, j).abs1().to_f64());
        }
    }
    Real::from_f64(if of_a > 0.0 { of_u / of_a } else { 1.0 })
}
