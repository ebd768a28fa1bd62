//! Cholesky factorization.

use super::Cholesky;
use super::kept::{Kept, MachineFactors};
use crate::batch::{Batch, BatchMut};
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::{Layout, product};
use crate::matrices::Matrices;
use crate::operation::{self, Size};
use crate::ops::checks;
use crate::status::Status;
use crate::statuses::Statuses;
use crate::triangle::Triangle;
use kernels_cpu::fresh::{Fresh, filled};
use numbers::op::Op;

impl Device {
    /// Factors each Hermitian positive definite matrix, A = L L^H, or, from the upper triangle, A = U^H U (LAPACK
    /// `xPOTRF`). Only this triangle is read, and of its diagonal the real part.
    ///
    /// ```
    /// use warplu::{Batch, Device, Triangle};
    /// let a = [4.0, 2.0, 2.0, 10.0];
    /// let cholesky = Device::cpu().cholesky(&Batch::c_order(&a, 1, 2, 2)?, Triangle::Lower)?;
    /// assert_eq!(cholesky.factors()?.as_slice(), [2.0, 0.0, 1.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square, [`Error::Unsupported`](crate::Error) on
    /// GPUs below compute capability 8.0 above order 32; a device's errors. A matrix that is not positive definite is no error: see
    /// [`Cholesky::status`].
    #[doc(alias = "potrf")]
    pub fn cholesky<T: Element>(&self, a: &Batch<'_, T>, triangle: Triangle) -> Result<Cholesky<T>> {
        Ok(Cholesky::new(self, a.rows(), triangle, factored(self, a, triangle, None)?))
    }

    /// As [`Device::cholesky`], into memory of the caller's: the factors, with zeros in the other triangle, and
    /// statuses. Factors are all NaN where the status is not [`Status::Ok`].
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device, Status, Triangle};
    /// let (a, mut u, mut status) = ([4.0, 2.0, 2.0, 10.0], [0.0; 4], [Status::Ok]);
    /// let mut factors = BatchMut::c_order(&mut u, 1, 2, 2)?;
    /// Device::cpu().cholesky_into(&Batch::c_order(&a, 1, 2, 2)?, Triangle::Upper, &mut factors, &mut status)?;
    /// assert_eq!(u, [2.0, 1.0, 0.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::cholesky`], and [`Error::Shape`](crate::Error::Shape) if an output is not of the input's size. After
    /// an error of the device, outputs are partly written.
    pub fn cholesky_into<T: Element>(
        &self,
        a: &Batch<'_, T>,
        triangle: Triangle,
        factors: &mut BatchMut<'_, T::Scalar>,
        status: &mut [Status],
    ) -> Result<()> {
        let (n, batch) = (a.order()?, a.batch());
        checks::output(factors, (batch, n, n))?;
        checks::length(status, batch, "statuses")?;
        let mut call = Call::new(self, batch);
        call.input(a);
        call.output(factors);
        let codes = call.perform(&operation::factor_cholesky::<T>(triangle), Size::order(n))?;
        checks::hand_over(&codes, status);
        Ok(())
    }

    /// As [`Device::cholesky_into`], the factors in the place of the matrices. 16-bit types, whose factors are in f32,
    /// have none.
    ///
    /// ```
    /// use warplu::{BatchMut, Device, Status, Triangle};
    /// let (mut a, mut status) = ([4.0, 2.0, 2.0, 10.0], [Status::Ok]);
    /// Device::cpu().cholesky_in_place(&mut BatchMut::c_order(&mut a, 1, 2, 2)?, Triangle::Lower, &mut status)?;
    /// assert_eq!(a, [2.0, 0.0, 1.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::cholesky_into`]. After an error of the device, some matrices are factored and some are not.
    pub fn cholesky_in_place<T: Element<Scalar = T>>(
        &self,
        a: &mut BatchMut<'_, T>,
        triangle: Triangle,
        status: &mut [Status],
    ) -> Result<()> {
        let (n, batch) = (a.order()?, a.batch());
        checks::length(status, batch, "statuses")?;
        let mut call = Call::new(self, batch);
        call.in_place(a);
        let codes = call.perform(&operation::factor_cholesky::<T>(triangle), Size::order(n))?;
        checks::hand_over(&codes, status);
        Ok(())
    }
}

/// Factors a batch, in the memory of `old` factors of the same size if there are any.
pub(super) fn factored<T: Element>(
    device: &Device,
    a: &Batch<'_, T>,
    triangle: Triangle,
    old: Option<Kept<T::Scalar>>,
) -> Result<(Kept<T::Scalar>, Layout, Statuses)> {
    let (n, batch) = (a.order()?, a.batch());
    let layout = a.output_layout(n, n);
    device.check_algorithm()?;
    let machine = match old {
        Some(Kept::Machine(old)) => Some(old.emptied()),
        Some(Kept::Host(mut host)) if !device.has_own_memory() => {
            host.layout = layout;
            let mut out = host.view_mut();
            let mut call = Call::new(device, batch);
            call.input(a);
            call.output(&mut out);
            let codes = call.perform(&operation::factor_cholesky::<T>(triangle), Size::order(n))?;
            return Ok((Kept::Host(host), layout, Statuses::from_codes(&codes)));
        }
        _ => MachineFactors::new(device, batch, n)?,
    };
    let (factors, codes) = if let Some(machine) = machine {
        let mut call = Call::new(device, batch);
        call.input(a);
        machine.factor_port(&mut call, n, layout);
        let codes = call.perform_then(
            &operation::factor_cholesky::<T>(triangle),
            (Size::order(n), Op::None),
            filled(0, batch)?,
            &|launcher, chunk, status| machine.keep_status(launcher, chunk, status),
        )?;
        (Kept::Machine(machine), codes)
    } else {
        let mut l = Fresh::new(product(&[batch, n, n])?)?;
        let mut call = Call::new(device, batch);
        call.input(a);
        call.fresh(&mut l, n, n, layout);
        let codes = call.perform(&operation::factor_cholesky::<T>(triangle), Size::order(n))?;
        // SAFETY: the call has written them.
        (Kept::Host(Matrices::new(unsafe { l.written() }, batch, n, n, layout)), codes)
    };
    Ok((factors, layout, Statuses::from_codes(&codes)))
}
