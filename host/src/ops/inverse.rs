//! Inversion.

use super::checks;
use super::lu::Lu;
use crate::batch::{Batch, BatchMut};
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::product;
use crate::matrices::Matrices;
use crate::operation::{self, Size};
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::Fresh;

/// The inverses of a batch.
///
/// ```
/// use warplu::{Batch, Device, Inverse};
/// let Inverse { matrices, status } = Device::cpu().invert(&Batch::c_order(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?;
/// assert!(status.all_ok());
/// assert_eq!(matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Inverse<T: Element> {
    /// The inverses, laid out as the matrices were; all NaN where the status is not [`Status::Ok`].
    pub matrices: Matrices<T>,
    /// How each matrix fared.
    pub status: Statuses,
}

impl Device {
    /// Inverts each matrix, with partial pivoting: on a GPU in place by Gauss-Jordan elimination up to order 512; else,
    /// or with [`Residual::Both`](crate::Residual::Both), by LU (LAPACK `xGETRF` and `xGETRI`).
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let a = [2.0, 1.0, 1.0, 1.0];
    /// let inverse = Device::cpu().invert(&Batch::c_order(&a, 1, 2, 2)?)?;
    /// assert_eq!(inverse.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
    /// assert!(inverse.status[0].is_ok());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square; a device's errors. A singular matrix is no
    /// error: its status says so and its inverse is all NaN.
    #[doc(alias = "inv")]
    #[doc(alias = "getri")]
    pub fn invert<T: Element>(&self, a: &Batch<'_, T>) -> Result<Inverse<T>> {
        let (n, batch) = (a.order()?, a.batch());
        let layout = a.output_layout(n, n);
        let mut out = Fresh::new(product(&[batch, n, n])?)?;
        let mut call = Call::new(self, batch);
        call.input(a);
        call.fresh(&mut out, n, n, layout);
        let codes = call.perform(&operation::invert::<T>(), Size::order(n))?;
        // SAFETY: the call has written every matrix.
        let matrices = Matrices::new(unsafe { out.written() }, batch, n, n, layout);
        Ok(Inverse { matrices, status: Statuses::from_codes(&codes) })
    }

    /// As [`Device::invert`], into memory of the caller's.
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device, Status};
    /// let (a, mut inverse, mut status) = ([2.0, 1.0, 1.0, 1.0], [0.0; 4], [Status::Ok]);
    /// let mut out = BatchMut::c_order(&mut inverse, 1, 2, 2)?;
    /// Device::cpu().invert_into(&Batch::c_order(&a, 1, 2, 2)?, &mut out, &mut status)?;
    /// assert_eq!(inverse, [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::invert`], and [`Error::Shape`](crate::Error::Shape) if an output is not of the input's size. After
    /// an error of the device, the output is partly written.
    pub fn invert_into<T: Element>(
        &self,
        a: &Batch<'_, T>,
        inverse: &mut BatchMut<'_, T>,
        status: &mut [Status],
    ) -> Result<()> {
        let (n, batch) = (a.order()?, a.batch());
        checks::output(inverse, (batch, n, n))?;
        checks::length(status, batch, "statuses")?;
        let mut call = Call::new(self, batch);
        call.input(a);
        call.output(inverse);
        let codes = call.perform(&operation::invert::<T>(), Size::order(n))?;
        checks::hand_over(&codes, status);
        Ok(())
    }

    /// As [`Device::invert`], each inverse in the place of its matrix.
    ///
    /// ```
    /// use warplu::{BatchMut, Device, Status};
    /// let (mut a, mut status) = ([2.0, 1.0, 1.0, 1.0], [Status::Ok]);
    /// Device::cpu().invert_in_place(&mut BatchMut::c_order(&mut a, 1, 2, 2)?, &mut status)?;
    /// assert_eq!(a, [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::invert_into`]. After an error of the device, some matrices are inverted and some are not.
    pub fn invert_in_place<T: Element>(&self, a: &mut BatchMut<'_, T>, status: &mut [Status]) -> Result<()> {
        let (n, batch) = (a.order()?, a.batch());
        checks::length(status, batch, "statuses")?;
        let mut call = Call::new(self, batch);
        call.in_place(a);
        let codes = call.perform(&operation::invert::<T>(), Size::order(n))?;
        checks::hand_over(&codes, status);
        Ok(())
    }
}

impl<T: Element> Lu<T> {
    /// The inverses, from the factors (LAPACK `xGETRI`).
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::c_order(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.inverse()?.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    pub fn inverse(&self) -> Result<Inverse<T>> {
        let (n, batch, layout) = (self.n(), self.batch(), self.layout());
        let mut out = Fresh::new(product(&[batch, n, n])?)?;
        let lu_codes = self.codes()?;
        let mut call = Call::new(self.device(), batch);
        self.ports(&mut call, &lu_codes);
        call.fresh(&mut out, n, n, layout);
        let codes = call.perform(&operation::lu_invert::<T>(), Size::order(n))?;
        // SAFETY: the call has written every matrix.
        let matrices = Matrices::new(unsafe { out.written() }, batch, n, n, layout);
        Ok(Inverse { matrices, status: Statuses::from_codes(&codes) })
    }
}

impl<T: Element> Inverse<T> {
    /// The inverses, or an error if any matrix has none.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let singular = Batch::c_order(&[1.0, 2.0, 2.0, 4.0], 1, 2, 2)?;
    /// assert!(Device::cpu().invert(&singular)?.check().is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<Matrices<T>> {
        self.status.check().map(|()| self.matrices)
    }
}
