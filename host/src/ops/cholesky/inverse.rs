//! Inversion from Cholesky factors.

use super::Cholesky;
use crate::batch::BatchMut;
use crate::call::Call;
use crate::element::Element;
use crate::error::Result;
use crate::layout::product;
use crate::matrices::Matrices;
use crate::operation::{self, Size};
use crate::ops::{Inverse, checks};
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::Fresh;

impl<T: Element> Cholesky<T> {
    /// The inverses, from the factors (LAPACK `xPOTRI`), both triangles of them: Hermitian to the bit.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let a = Batch::c_order(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?;
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// assert_eq!(cholesky.inverse()?.matrices.as_slice(), [0.5, -0.5, -0.5, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    #[doc(alias = "potri")]
    pub fn inverse(&self) -> Result<Inverse<T>> {
        let (n, batch, layout) = (self.n, self.batch(), self.layout);
        let (mut out, given) = (Fresh::new(product(&[batch, n, n])?)?, self.codes()?);
        let mut call = Call::new(&self.device, batch);
        self.ports(&mut call, &given);
        call.fresh(&mut out, n, n, layout);
        let codes = call.perform(&operation::cholesky_invert::<T>(self.triangle), Size::order(n))?;
        // SAFETY: the call has written every matrix.
        let matrices = Matrices::new(unsafe { out.written() }, batch, n, n, layout);
        Ok(Inverse { matrices, status: Statuses::from_codes(&codes) })
    }

    /// As [`Cholesky::inverse`], into memory of the caller's.
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device, Status, Triangle};
    /// let cholesky = Device::cpu().cholesky(&Batch::c_order(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?, Triangle::Lower)?;
    /// let (mut inverse, mut status) = ([0.0; 4], [Status::Ok]);
    /// cholesky.inverse_into(&mut BatchMut::c_order(&mut inverse, 1, 2, 2)?, &mut status)?;
    /// assert_eq!(inverse, [0.5, -0.5, -0.5, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cholesky::inverse`], and [`Error::Shape`](crate::Error::Shape) if an output is not of the factors' size.
    /// After an error of the device, the output is partly written.
    pub fn inverse_into(&self, inverse: &mut BatchMut<'_, T>, status: &mut [Status]) -> Result<()> {
        let (n, batch) = (self.n, self.batch());
        checks::output(inverse, (batch, n, n))?;
        checks::length(status, batch, "statuses")?;
        let given = self.codes()?;
        let mut call = Call::new(&self.device, batch);
        self.ports(&mut call, &given);
        call.output(inverse);
        let codes = call.perform(&operation::cholesky_invert::<T>(self.triangle), Size::order(n))?;
        checks::hand_over(&codes, status);
        Ok(())
    }
}
