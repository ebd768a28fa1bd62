//! Cholesky factorization.

use super::Cholesky;
use super::kept::{Kept, MachineFactors};
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::{Layout, product};
use crate::lend::{InPlace, Input, Lent, Output, Owned, perform, square};
use crate::matrices::Matrices;
use crate::operation::{self, Size};
use crate::statuses::Statuses;
use crate::triangle::Triangle;
use kernels_cpu::fresh::{Fresh, filled};
use numbers::op::Op;

impl Device {
    /// Factors each Hermitian positive definite matrix, A = L L^H, or, from the upper triangle, A = U^H U (LAPACK
    /// `xPOTRF`). Only this triangle is read, and of its diagonal the real part. Factors of many sizes are had by
    /// [`Device::cholesky_into`].
    ///
    /// ```
    /// use warplu::{Batch, Device, Triangle};
    /// let a = [4.0, 2.0, 2.0, 10.0];
    /// let cholesky = Device::cpu().cholesky(&Batch::row_major(&a, 1, 2, 2)?, Triangle::Lower)?;
    /// assert_eq!(cholesky.factors()?.as_slice(), [2.0, 0.0, 1.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square, [`Error::Unsupported`](crate::Error) on
    /// GPUs below compute capability 8.0 above order 32; a device's errors, and what a source returns. A matrix that is
    /// not positive definite is no error: see [`Cholesky::status`].
    #[doc(alias = "potrf")]
    pub fn cholesky<T, A>(&self, a: &A, triangle: Triangle) -> Result<Cholesky<T>>
    where
        T: Element,
        A: Input<Element = T, Owned = Matrices<T>>,
    {
        let a = Lent::read(a);
        Ok(Cholesky::new(self, a.cols(), triangle, factored::<T>(self, a, triangle, None)?))
    }

    /// As [`Device::cholesky`], into memory of the caller's or to a sink, also of matrices of many sizes: the factors, with
    /// zeros in the other triangle, all NaN where the status is not [`Status::Ok`](crate::Status::Ok).
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device, Triangle};
    /// let (a, mut u) = ([4.0, 2.0, 2.0, 10.0], [0.0; 4]);
    /// let mut factors = BatchMut::row_major(&mut u, 1, 2, 2)?;
    /// Device::cpu().cholesky_into(&Batch::row_major(&a, 1, 2, 2)?, Triangle::Upper, &mut factors)?.check()?;
    /// assert_eq!(u, [2.0, 1.0, 0.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::cholesky`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the input's size. After
    /// an error of the device, a source or a sink, the output is partly written.
    pub fn cholesky_into<A: Input>(
        &self,
        a: &A,
        triangle: Triangle,
        factors: &mut impl Output<Owned = <A::Owned as Owned>::Factors>,
    ) -> Result<Statuses> {
        let lent = [Lent::read(a), Lent::write(factors)];
        perform(self, &operation::factor_cholesky::<A::Element>().in_triangle(triangle), &lent)
    }

    /// As [`Device::cholesky_into`], the factors in the place of the matrices. 16-bit types, whose factors are in f32,
    /// have none.
    ///
    /// ```
    /// use warplu::{BatchMut, Device, Triangle};
    /// let mut a = [4.0, 2.0, 2.0, 10.0];
    /// Device::cpu().cholesky_in_place(&mut BatchMut::row_major(&mut a, 1, 2, 2)?, Triangle::Lower)?.check()?;
    /// assert_eq!(a, [2.0, 0.0, 1.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::cholesky_into`]. After an error of the device, some matrices are factored and some are not.
    pub fn cholesky_in_place<T, A>(&self, a: &mut A, triangle: Triangle) -> Result<Statuses>
    where
        T: Element<Scalar = T>,
        A: InPlace<Element = T>,
    {
        perform(self, &operation::factor_cholesky::<T>().in_triangle(triangle), &Lent::in_place(a))
    }
}

/// Factors a batch, in the memory of `old` factors of the same size if there are any.
pub(super) fn factored<T: Element>(
    device: &Device,
    a: Lent<'_>,
    triangle: Triangle,
    old: Option<Kept<T::Scalar>>,
) -> Result<(Kept<T::Scalar>, Layout, Statuses)> {
    let (n, batch, layout) = square(a)?;
    let (operation, size) = (operation::factor_cholesky::<T>().in_triangle(triangle), Size::order(n));
    device.check_algorithm()?;
    let machine = match old {
        Some(Kept::Machine(old)) => Some(old.emptied()),
        Some(Kept::Host(mut host)) if !device.has_own_memory() => {
            host.layout = layout;
            let mut out = host.view_mut();
            let call = Call::on(device, (&operation, size), &[a, Lent::write(&mut out)])?;
            let codes = call.perform(&operation, size)?;
            return Ok((Kept::Host(host), layout, Statuses::from_codes(&codes)));
        }
        _ => MachineFactors::new(device, batch, n)?,
    };
    let (factors, codes) = if let Some(machine) = machine {
        let mut call = Call::on(device, (&operation, size), &[a])?;
        machine.factor_port(&mut call, n, layout);
        let codes =
            call.perform_then(&operation, (size, Op::None), filled(0, batch)?, &|launcher, chunk, status| {
                machine.keep_status(launcher, chunk, status)
            })?;
        (Kept::Machine(machine), codes)
    } else {
        let mut l = Fresh::new(product(&[batch, n, n])?)?;
        let mut call = Call::on(device, (&operation, size), &[a])?;
        call.fresh(&mut l, n, n, layout);
        let codes = call.perform(&operation, size)?;
        // SAFETY: the call has written them.
        (Kept::Host(Matrices::new(unsafe { l.written() }, batch, n, n, layout)), codes)
    };
    Ok((factors, layout, Statuses::from_codes(&codes)))
}
