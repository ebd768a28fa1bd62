//! Inversion.

use super::lu::Lu;
use super::one_size::OneSize;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::lend::{InPlace, Input, Lent, Output, Return, check, perform};
use crate::matrices::Matrices;
use crate::operation;
use crate::statuses::Statuses;

/// The inverses of a batch.
///
/// ```
/// use warplu::{Batch, Device, Inverse};
/// let Inverse { matrices, status } = Device::cpu().invert(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?;
/// assert!(status.all_ok());
/// assert_eq!(matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Inverse<M> {
    /// The inverses, laid out as the matrices were; all NaN where the status is not [`Status::Ok`](crate::Status::Ok).
    pub matrices: M,
    /// How each matrix fared.
    pub status: Statuses,
}

impl Device {
    /// Inverts each matrix, with partial pivoting: on a GPU in place by Gauss-Jordan elimination up to order 512; else,
    /// or with [`Residual::Both`](crate::Residual::Both), by LU (LAPACK `xGETRF` and `xGETRI`).
    ///
    /// ```
    /// use warplu::{Batch, Device, Ragged};
    /// let a = [2.0, 1.0, 1.0, 1.0];
    /// let inverse = Device::cpu().invert(&Batch::row_major(&a, 1, 2, 2)?)?;
    /// assert_eq!(inverse.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
    /// assert!(inverse.status[0].is_ok());
    /// let inverse = Device::cpu().invert(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// assert_eq!(inverse.matrices.matrix(1), [0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square; a device's errors, and what a source
    /// returns. A singular matrix is no error: its status says so and its inverse is all NaN.
    #[doc(alias = "inv")]
    #[doc(alias = "getri")]
    pub fn invert<A: Input>(&self, a: &A) -> Result<Inverse<A::Owned>> {
        let (operation, read) = (operation::invert::<A::Element>(), Lent::read(a));
        check(operation.operands, &[read])?;
        let mut room = A::Owned::room_like(a)?;
        let status = perform(self, &operation, &[read, Lent::write(&mut room)])?;
        // SAFETY: the call has written every matrix.
        Ok(Inverse { matrices: unsafe { A::Owned::written(room) }, status })
    }

    /// As [`Device::invert`], into memory of the caller's or to a sink.
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device};
    /// let (a, mut inverse) = ([2.0, 1.0, 1.0, 1.0], [0.0; 4]);
    /// let mut out = BatchMut::row_major(&mut inverse, 1, 2, 2)?;
    /// assert!(Device::cpu().invert_into(&Batch::row_major(&a, 1, 2, 2)?, &mut out)?.all_ok());
    /// assert_eq!(inverse, [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::invert`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the input's size. After
    /// an error of the device, a source or a sink, the output is partly written.
    pub fn invert_into<A: Input>(&self, a: &A, inverse: &mut impl Output<Owned = A::Owned>) -> Result<Statuses> {
        perform(self, &operation::invert::<A::Element>(), &[Lent::read(a), Lent::write(inverse)])
    }

    /// As [`Device::invert`], each inverse in the place of its matrix.
    ///
    /// ```
    /// use warplu::{BatchMut, Device};
    /// let mut a = [2.0, 1.0, 1.0, 1.0];
    /// assert!(Device::cpu().invert_in_place(&mut BatchMut::row_major(&mut a, 1, 2, 2)?)?.all_ok());
    /// assert_eq!(a, [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::invert`]. After an error of the device, some matrices are inverted and some are not.
    pub fn invert_in_place<A: InPlace>(&self, a: &mut A) -> Result<Statuses> {
        perform(self, &operation::invert::<A::Element>(), &Lent::in_place(a))
    }
}

impl<T: Element> Lu<T> {
    /// The inverses, from the factors (LAPACK `xGETRI`).
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.inverse()?.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    pub fn inverse(&self) -> Result<Inverse<Matrices<T>>> {
        self.factored().inverse(&Self::inverting(()))
    }

    /// As [`Lu::inverse`], into memory of the caller's or to a sink.
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?;
    /// let mut inverse = [0.0; 4];
    /// assert!(lu.inverse_into(&mut BatchMut::row_major(&mut inverse, 1, 2, 2)?)?.all_ok());
    /// assert_eq!(inverse, [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::inverse`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the factors' size. After
    /// an error of the device or a sink, the output is partly written.
    pub fn inverse_into(&self, inverse: &mut impl Output<Owned = Matrices<T>>) -> Result<Statuses> {
        self.factored().invert(&Self::inverting(()), Lent::write(inverse))
    }
}

impl<M> Inverse<M> {
    /// The inverses, or an error if any matrix has none.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let singular = Batch::row_major(&[1.0, 2.0, 2.0, 4.0], 1, 2, 2)?;
    /// assert!(Device::cpu().invert(&singular)?.check().is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<M> {
        self.status.check().map(|()| self.matrices)
    }
}
