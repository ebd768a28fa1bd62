//! Inversion from Cholesky factors.

use super::Cholesky;
use crate::call::Call;
use crate::element::Element;
use crate::error::Result;
use crate::lend::{BatchRoom, Lent, Output, Return};
use crate::matrices::Matrices;
use crate::operation::{self, Size};
use crate::ops::Inverse;
use crate::statuses::Statuses;

impl<T: Element> Cholesky<T> {
    /// The inverses, from the factors (LAPACK `xPOTRI`), both triangles of them: Hermitian to the bit.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let a = Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?;
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// assert_eq!(cholesky.inverse()?.matrices.as_slice(), [0.5, -0.5, -0.5, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    #[doc(alias = "potri")]
    pub fn inverse(&self) -> Result<Inverse<Matrices<T>>> {
        let mut room = BatchRoom::new(self.batch(), (self.n, self.n), self.layout)?;
        let status = self.invert_to(Lent::write(&mut room))?;
        // SAFETY: the call has written every matrix.
        Ok(Inverse { matrices: unsafe { Matrices::written(room) }, status })
    }

    /// As [`Cholesky::inverse`], into memory of the caller's.
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device, Triangle};
    /// let cholesky = Device::cpu().cholesky(&Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?, Triangle::Lower)?;
    /// let mut inverse = [0.0; 4];
    /// cholesky.inverse_into(&mut BatchMut::row_major(&mut inverse, 1, 2, 2)?)?.check()?;
    /// assert_eq!(inverse, [0.5, -0.5, -0.5, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cholesky::inverse`], and [`Error::Shape`](crate::Error::Shape) if an output is not of the factors' size.
    /// After an error of the device, the output is partly written.
    pub fn inverse_into(&self, inverse: &mut impl Output<Owned = Matrices<T>>) -> Result<Statuses> {
        self.invert_to(Lent::write(inverse))
    }

    fn invert_to(&self, inverse: Lent<'_>) -> Result<Statuses> {
        let given = self.codes()?;
        let mut call = Call::new(&self.device, self.batch());
        self.ports(&mut call, &given);
        let (operation, size) = (operation::cholesky_invert::<T>().in_triangle(self.triangle), Size::order(self.n));
        call.lend((&operation, size), &[inverse])?;
        let codes = call.perform(&operation, size)?;
        Ok(Statuses::from_codes(&codes))
    }
}
