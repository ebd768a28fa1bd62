//! How trustworthy factors of many orders are: condition numbers, and the growth of pivots.

use numbers::scalar::Real;

use super::{RaggedFactors, RaggedLu};
use crate::call::start_threads;
use crate::element::{Element, RealOf};
use crate::error::{Error, Result};
use crate::norm::Norm;
use crate::ops::growth::growth_of;
use crate::ops::norms::{Norms, TOGETHER, norm_of};
use crate::ops::one_size::{OneSize, ScalarOf};
use crate::ops::rcond::rcond_of;
use crate::ops::{Conditions, Lu, checks};
use crate::ragged::Ragged;
use kernels_cpu::fresh::filled;
use kernels_cpu::parallel;

impl<T: Element> Ragged<'_, T> {
    /// The norm of each matrix; see [`Batch::norms`](crate::Batch::norms).
    ///
    /// ```
    /// use warplu::{Norm, Ragged};
    /// let a = Ragged::row_major(&[1.0, -2.0, 3.0, 4.0, -5.0], &[2, 1])?;
    /// assert_eq!(*a.norms(Norm::One)?, [6.0, 5.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::HostMemory`] or [`Error::Threads`] if the system gives none.
    #[doc(alias = "lange")]
    pub fn norms(&self, norm: Norm) -> Result<Norms<T>> {
        start_threads()?;
        let mut values = filled(RealOf::<T>::from_f64(0.0), self.batch())?;
        parallel::blocks(&mut values, TOGETHER, &|first, values| {
            let mut sums = Vec::new();
            for (value, spot) in values.iter_mut().zip(&self.spots[first..]) {
                // SAFETY: borrowed; the norm is of this matrix's elements.
                let element = |place: usize| unsafe { spot.start.wrapping_add(place).read() };
                let shape = (spot.shape.rows, spot.shape.cols);
                *value = Real::from_f64(norm_of(element, spot.layout(), shape, norm, &mut sums));
            }
        });
        Norms::new(norm, values)
    }
}

impl<F: OneSize> RaggedFactors<F> {
    /// The reciprocal condition number of each matrix, in the norm of `norms`, which are those of the matrices that
    /// were factored; see [`Lu::rcond`].
    ///
    /// ```
    /// use warplu::{Device, Norm, Ragged};
    /// let a = Ragged::row_major(&[4.0, 0.0, 0.0, 0.5, 3.0], &[2, 1])?;
    /// let conditions = Device::cpu().lu(&a)?.rcond(&a.norms(Norm::One)?)?;
    /// assert_eq!(conditions.rcond, [0.125, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::rcond`].
    #[doc(alias = "gecon")]
    #[doc(alias = "cond")]
    pub fn rcond(&self, norms: &Norms<F::Element>) -> Result<Conditions<F::Element>> {
        checks::length(norms, self.batch(), "norms")?;
        let bytes = |b: usize| self.n(b) * self.n(b) * size_of::<ScalarOf<F>>();
        let parts = self.groups.each(&self.device, bytes, |members| {
            let own = Norms::new(norms.norm(), members.iter().map(|&b| norms[b]).collect())?;
            Ok::<_, Error>(rcond_of(self.of_group(members[0]), &own)?.rcond)
        })?;
        let rcond = self.groups.in_order(&parts, RealOf::<F::Element>::from_f64(1.0))?;
        Ok(Conditions { rcond, status: self.status().clone() })
    }
}

impl<T: Element> RaggedLu<T> {
    /// How much larger than the elements of each matrix those of U have become; `a` are the matrices that were factored.
    /// See [`Lu::growth`].
    ///
    /// ```
    /// use warplu::{Device, Pivoting, Ragged};
    /// let a = Ragged::row_major(&[0.001, 1.0, 1.0, 1.0, 3.0], &[2, 1])?;
    /// let device = Device::cpu().with(Pivoting::None);
    /// assert_eq!(device.lu(&a)?.growth(&a)?, [999.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if `a` are not as many matrices as were factored, of their orders; a device's errors.
    pub fn growth(&self, a: &Ragged<'_, T>) -> Result<Vec<RealOf<T>>> {
        let batch = self.batch();
        if a.batch() != batch {
            let count = a.batch();
            return Err(Error::Shape(format!(
                "{batch} matrices have been factored, but there are {count}: give those that were"
            )));
        }
        if let Some(b) = (0..batch).find(|&b| a.shape(b) != self.n(b).into()) {
            let (n, shape) = (self.n(b), a.shape(b));
            return Err(Error::Shape(format!(
                "the factors of matrix {b} are of order {n}, but it is {shape}: give the matrices that were factored"
            )));
        }
        start_threads()?;
        let factors = self.factors.iter().map(Lu::factors).collect::<Result<Vec<_>>>()?;
        let mut growth = filled(RealOf::<T>::from_f64(1.0), batch)?;
        parallel::fill(&mut growth, &|b| {
            let (group, place) = (self.group(b), self.place(b));
            let factor = |i: usize, j: usize| factors[group].get(place, i, j);
            growth_of::<T>(self.status()[b], self.n(b), |i, j| a.get(b, i, j), factor)
        });
        Ok(growth)
    }
}
