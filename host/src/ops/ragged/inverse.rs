//! Inversion of matrices of many orders.

use super::groups::{Groups, layout_key};
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::operation::{self, Size};
use crate::ops::checks;
use crate::ragged::{Ragged, RaggedMatrices, RaggedMut, Spot, Spots, Unwritten, check_square};
use crate::status::Status;
use crate::statuses::Statuses;

/// The inverses of a ragged batch.
///
/// ```
/// use warplu::{Device, Ragged, RaggedInverse};
/// let a = Ragged::c_order(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
/// let RaggedInverse { matrices, status } = Device::cpu().invert_ragged(&a)?;
/// assert!(status.all_ok());
/// assert_eq!((matrices.matrix(0), matrices.matrix(1)), (&[1.0, -1.0, -1.0, 2.0][..], &[0.25][..]));
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct RaggedInverse<T: Element> {
    /// The inverses, laid out as the matrices were; all NaN where the status is not [`Status::Ok`].
    pub matrices: RaggedMatrices<T>,
    /// How each matrix fared.
    pub status: Statuses,
}

impl Device {
    /// Inverts each matrix of a ragged batch; see [`Device::invert`].
    ///
    /// ```
    /// use warplu::{Device, Ragged, Status};
    /// let a = [2.0, 1.0, 1.0, 1.0, 0.0]; // the second, of order 1, is singular
    /// let inverse = Device::cpu().invert_ragged(&Ragged::c_order(&a, &[2, 1])?)?;
    /// assert_eq!(inverse.matrices.matrix(0), [1.0, -1.0, -1.0, 2.0]);
    /// assert_eq!(inverse.status, [Status::Ok, Status::Singular(1)]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a matrix is not square; a device's errors. A singular matrix is no
    /// error: its status says so and its inverse is all NaN.
    pub fn invert_ragged<T: Element>(&self, a: &Ragged<'_, T>) -> Result<RaggedInverse<T>> {
        let mut out = Unwritten::like(&a.spots)?;
        let to = out.spots();
        // SAFETY: what is read is borrowed, and nobody else knows what is written.
        let codes = unsafe { invert(self, &a.spots, &to)? };
        // SAFETY: every inverse has been written.
        let matrices = unsafe { out.written() };
        Ok(RaggedInverse { matrices, status: Statuses::from_codes(&codes) })
    }

    /// As [`Device::invert_ragged`], into memory of the caller's.
    ///
    /// ```
    /// use warplu::{Device, Ragged, RaggedMut, Status};
    /// let (a, mut inverse, mut status) = ([2.0, 1.0, 1.0, 1.0, 4.0], [0.0; 5], [Status::Ok; 2]);
    /// let mut out = RaggedMut::c_order(&mut inverse, &[2, 1])?;
    /// Device::cpu().invert_ragged_into(&Ragged::c_order(&a, &[2, 1])?, &mut out, &mut status)?;
    /// assert_eq!(inverse, [1.0, -1.0, -1.0, 2.0, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::invert_ragged`], and [`Error::Shape`](crate::Error::Shape) if an output is not of the input's
    /// sizes. After an error of the device, the output is partly written.
    pub fn invert_ragged_into<T: Element>(
        &self,
        a: &Ragged<'_, T>,
        inverse: &mut RaggedMut<'_, T>,
        status: &mut [Status],
    ) -> Result<()> {
        checks::ragged_output(&inverse.spots, &a.spots)?;
        checks::length(status, a.batch(), "statuses")?;
        // SAFETY: both are borrowed, and outputs are apart from each other.
        checks::hand_over(&unsafe { invert(self, &a.spots, &inverse.spots)? }, status);
        Ok(())
    }

    /// As [`Device::invert_ragged`], each inverse in the place of its matrix.
    ///
    /// ```
    /// use warplu::{Device, RaggedMut, Status};
    /// let (mut a, mut status) = ([2.0, 1.0, 1.0, 1.0, 4.0], [Status::Ok; 2]);
    /// Device::cpu().invert_ragged_in_place(&mut RaggedMut::c_order(&mut a, &[2, 1])?, &mut status)?;
    /// assert_eq!(a, [1.0, -1.0, -1.0, 2.0, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::invert_ragged_into`]. After an error of the device, some matrices are inverted and some are not.
    pub fn invert_ragged_in_place<T: Element>(&self, a: &mut RaggedMut<'_, T>, status: &mut [Status]) -> Result<()> {
        checks::length(status, a.batch(), "statuses")?;
        // SAFETY: borrowed, and apart from each other.
        checks::hand_over(&unsafe { invert(self, &a.spots, &a.spots)? }, status);
        Ok(())
    }
}

impl<T: Element> RaggedInverse<T> {
    /// The inverses, or an error if any matrix has none.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// assert!(Device::cpu().invert_ragged(&Ragged::c_order(&[0.0, 4.0], &[1, 1])?)?.check().is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<RaggedMatrices<T>> {
        self.status.check().map(|()| self.matrices)
    }
}

/// Inverts matrices and returns their status codes; `to` may be `from`.
///
/// # Safety
/// Matrices are there, and nobody else touches them. Those of `to` are apart from each other and from those of `from`
/// but for their own.
unsafe fn invert<T: Element>(device: &Device, from: &[Spot<T>], to: &[Spot<T>]) -> Result<Vec<i32>> {
    check_square(from)?;
    device.check_algorithm()?;
    let n = |b: usize| from[b].shape.rows;
    let key = |b: usize| (n(b), layout_key(device, &from[b]), layout_key(device, &to[b]));
    let groups = Groups::new(from.len(), key, |b| (n(b), 0))?;
    let bytes = |b: usize| 2 * n(b) * n(b) * size_of::<T>();
    let codes = groups.each(device, bytes, |members| {
        // SAFETY: the caller's promise.
        let (from, to) = unsafe { (Spots::of(from, members), Spots::of(to, members)) };
        let mut call = Call::new(device, members.len());
        call.gather(&from);
        call.scatter(&to);
        call.perform(&operation::invert::<T>(), Size::order(from.shape().rows))
    })?;
    groups.in_order(&codes, 0)
}
