//! Inversion from Cholesky factors.

use super::Cholesky;
use super::kept::CholeskyPorts;
use crate::batch::BatchMut;
use crate::call::{Call, Handle};
use crate::element::Element;
use crate::error::Result;
use crate::layout::product;
use crate::matrices::Matrices;
use crate::ops::{Inverse, checks};
use crate::route;
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::{Fresh, filled};

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
        let (mut out, mut codes, given) = (Fresh::new(product(&[batch, n, n])?)?, filled(0, batch)?, self.codes()?);
        let mut call = Call::new(&self.device, batch);
        let factors = self.ports(&mut call, &given);
        let to = call.fresh(&mut out, n, n, layout);
        self.invert_by(call, factors, to, &mut codes)?;
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
        let (mut codes, given) = (filled(0, batch)?, self.codes()?);
        let mut call = Call::new(&self.device, batch);
        let factors = self.ports(&mut call, &given);
        let to = call.output(inverse);
        self.invert_by(call, factors, to, &mut codes)?;
        checks::hand_over(&codes, status);
        Ok(())
    }

    /// Inverts what the call's ports hold.
    fn invert_by<'a>(
        &self,
        mut call: Call<'a>,
        factors: CholeskyPorts<T::Scalar>,
        to: Handle<T>,
        codes: &'a mut [i32],
    ) -> Result<()> {
        if self.n == 0 {
            return Ok(());
        }
        let status = call.values(codes, 1);
        call.run(
            |device, space| route::CholeskyInverse::<T>::new(device, self.n, self.triangle, space),
            |route, launcher, chunk| {
                let (factors, to, status) = (factors.of(chunk), chunk.matrices(to), chunk.values(status));
                // SAFETY: the ports are of these sizes.
                unsafe { route.enqueue(launcher, chunk.count, factors, to, status, chunk.room) }
            },
        )
    }
}
