//! LU factorization.

use super::checks;
use super::factored::factored;
use super::lu::Lu;
use crate::batch::{Batch, BatchMut};
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::product;
use crate::operation::{self, Size};
use crate::status::Status;

impl Device {
    /// Factors each matrix, PA = LU with partial pivoting (LAPACK `xGETRF`).
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let a = [1.0, 2.0, 4.0, 2.0];
    /// let lu = Device::cpu().lu(&Batch::c_order(&a, 1, 2, 2)?)?;
    /// assert_eq!(lu.factors()?.as_slice(), [4.0, 2.0, 0.25, 1.5]);
    /// assert_eq!(lu.pivots(0)?, [1, 1]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square; a device's errors. Singular matrices are
    /// no error: see [`Lu::status`].
    #[doc(alias = "getrf")]
    pub fn lu<T: Element>(&self, a: &Batch<'_, T>) -> Result<Lu<T>> {
        let (factors, layout, status) = factored(self, a, None)?;
        Ok(Lu::new(self, a.rows(), layout, status, factors))
    }

    /// As [`Device::lu`], into memory of the caller's: U with L below its diagonal, pivots (batch, n), statuses.
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device, Status};
    /// let (a, mut lu, mut pivots, mut status) = ([1.0, 2.0, 4.0, 2.0], [0.0; 4], [0; 2], [Status::Ok]);
    /// let mut factors = BatchMut::c_order(&mut lu, 1, 2, 2)?;
    /// Device::cpu().lu_into(&Batch::c_order(&a, 1, 2, 2)?, &mut factors, &mut pivots, &mut status)?;
    /// assert_eq!((lu, pivots), ([4.0, 2.0, 0.25, 1.5], [1, 1]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lu`], and [`Error::Shape`](crate::Error::Shape) if an output is not of the input's size. After an
    /// error of the device, outputs are partly written.
    pub fn lu_into<T: Element>(
        &self,
        a: &Batch<'_, T>,
        factors: &mut BatchMut<'_, T::Scalar>,
        pivots: &mut [u32],
        status: &mut [Status],
    ) -> Result<()> {
        let (n, batch) = (a.order()?, a.batch());
        checks::output(factors, (batch, n, n))?;
        checks::length(pivots, product(&[batch, n])?, "pivots")?;
        checks::length(status, batch, "statuses")?;
        let mut call = Call::new(self, batch);
        call.input(a);
        call.output(factors);
        call.values(pivots, n);
        let codes = call.perform(&operation::factor_lu::<T>(), Size::order(n))?;
        checks::hand_over(&codes, status);
        Ok(())
    }

    /// As [`Device::lu_into`], the factors in the place of the matrices. 16-bit types, whose factors are in f32, have
    /// none.
    ///
    /// ```
    /// use warplu::{BatchMut, Device, Status};
    /// let (mut a, mut pivots, mut status) = ([1.0, 2.0, 4.0, 2.0], [0; 2], [Status::Ok]);
    /// Device::cpu().lu_in_place(&mut BatchMut::c_order(&mut a, 1, 2, 2)?, &mut pivots, &mut status)?;
    /// assert_eq!((a, pivots), ([4.0, 2.0, 0.25, 1.5], [1, 1]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lu_into`]. After an error of the device, some matrices are factored and some are not.
    pub fn lu_in_place<T: Element<Scalar = T>>(
        &self,
        a: &mut BatchMut<'_, T>,
        pivots: &mut [u32],
        status: &mut [Status],
    ) -> Result<()> {
        let (n, batch) = (a.order()?, a.batch());
        checks::length(pivots, product(&[batch, n])?, "pivots")?;
        checks::length(status, batch, "statuses")?;
        let mut call = Call::new(self, batch);
        call.in_place(a);
        call.values(pivots, n);
        let codes = call.perform(&operation::factor_lu::<T>(), Size::order(n))?;
        checks::hand_over(&codes, status);
        Ok(())
    }
}
