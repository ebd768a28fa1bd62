//! LU factorization.

use super::kept::Factored;
use super::one_size::OneSize;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::lend::{InPlace, Input, Lend, Lent, Output, Owned, PivotsMut, perform};
use crate::operation;
use crate::statuses::Statuses;

impl Device {
    /// Factors each matrix, PA = LU with partial pivoting (LAPACK `xGETRF`).
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let a = [1.0, 2.0, 4.0, 2.0];
    /// let lu = Device::cpu().lu(&Batch::row_major(&a, 1, 2, 2)?)?;
    /// assert_eq!(lu.factors()?.as_slice(), [4.0, 2.0, 0.25, 1.5]);
    /// assert_eq!(lu.pivots(0)?, [1, 1]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square; a device's errors, and what a source
    /// returns. Singular matrices are no error: see [`Lu::status`](crate::Lu::status).
    #[doc(alias = "getrf")]
    pub fn lu<A: Input>(&self, a: &A) -> Result<A::Lu> {
        a.lu(self)
    }

    /// As [`Device::lu`], into memory of the caller's or to sinks: U with L below its diagonal, and the pivots of one
    /// matrix after those of the other.
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device};
    /// let (a, mut lu, mut pivots) = ([1.0, 2.0, 4.0, 2.0], [0.0; 4], [0; 2]);
    /// let mut factors = BatchMut::row_major(&mut lu, 1, 2, 2)?;
    /// Device::cpu().lu_into(&Batch::row_major(&a, 1, 2, 2)?, &mut factors, &mut pivots)?.check()?;
    /// assert_eq!((lu, pivots), ([4.0, 2.0, 0.25, 1.5], [1, 1]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lu`], and [`Error::Shape`](crate::Error::Shape) if an output is not of the input's size. After an
    /// error of the device, a source or a sink, outputs are partly written.
    pub fn lu_into<'p, A: Input>(
        &self,
        a: &A,
        factors: &mut impl Output<Owned = <A::Owned as Owned>::Factors>,
        pivots: impl Into<PivotsMut<'p>>,
    ) -> Result<Statuses> {
        let operation = operation::factor_lu::<A::Element>();
        pivots
            .into()
            .lend(a.sizes(), |pivots| perform(self, &operation, &[Lent::read(a), Lent::write(factors), pivots]))
    }

    /// As [`Device::lu_into`], the factors in the place of the matrices. 16-bit types, whose factors are in f32, have
    /// none.
    ///
    /// ```
    /// use warplu::{BatchMut, Device};
    /// let (mut a, mut pivots) = ([1.0, 2.0, 4.0, 2.0], [0; 2]);
    /// Device::cpu().lu_in_place(&mut BatchMut::row_major(&mut a, 1, 2, 2)?, &mut pivots)?.check()?;
    /// assert_eq!((a, pivots), ([4.0, 2.0, 0.25, 1.5], [1, 1]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lu_into`]. After an error of the device, some matrices are factored and some are not.
    pub fn lu_in_place<'p, T, A>(&self, a: &mut A, pivots: impl Into<PivotsMut<'p>>) -> Result<Statuses>
    where
        T: Element<Scalar = T>,
        A: InPlace<Element = T>,
    {
        let [matrices, factors] = Lent::in_place(a);
        let operation = operation::factor_lu::<T>();
        pivots.into().lend(matrices.sizes, |pivots| perform(self, &operation, &[matrices, factors, pivots]))
    }
}

/// Factors of matrices of one size.
pub(crate) fn factored<F: OneSize>(device: &Device, how: F::How, a: &impl Lend) -> Result<F> {
    Ok(F::of(how, Factored::of(device, &F::factoring(how), Lent::read(a))?))
}
