//! How each matrix of a batch fared.

use std::ops::Deref;

use crate::error::{Error, Result};
use crate::status::Status;

/// The statuses of a batch, one a matrix, which it derefs to as a slice.
///
/// ```
/// use warplu::{Batch, Device, Status};
/// let a = [1.0, 2.0, 2.0, 4.0, 1.0, 0.0, 0.0, 1.0]; // the first is singular
/// let status = Device::cpu().invert(&Batch::c_order(&a, 2, 2, 2)?)?.status;
/// assert!(!status.all_ok());
/// assert_eq!(status.bad().collect::<Vec<_>>(), [(0, Status::Singular(2))]);
/// assert!(status.check().unwrap_err().to_string().starts_with("1 of 2 matrices"));
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statuses(Vec<Status>);

impl Statuses {
    pub(crate) fn new(statuses: Vec<Status>) -> Self {
        Self(statuses)
    }

    pub(crate) fn from_codes(codes: &[i32]) -> Self {
        Self(codes.iter().map(|&code| Status::from_code(code)).collect())
    }

    /// Whether every matrix is [`Status::Ok`].
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let status = Device::cpu().det(&Batch::c_order(&[0.0, 1.0], 2, 1, 1)?)?.status;
    /// assert!(!status.all_ok());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn all_ok(&self) -> bool {
        self.bad().next().is_none()
    }

    /// The matrices that are not [`Status::Ok`], by index.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Status};
    /// let status = Device::cpu().det(&Batch::c_order(&[0.0, 1.0], 2, 1, 1)?)?.status;
    /// assert_eq!(status.bad().collect::<Vec<_>>(), [(0, Status::Singular(1))]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn bad(&self) -> impl Iterator<Item = (usize, Status)> {
        self.0.iter().copied().enumerate().filter(|(_, status)| !status.is_ok())
    }

    /// An error if any matrix is not [`Status::Ok`], for callers who take no batch with a bad matrix in it.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let status = Device::cpu().det(&Batch::c_order(&[0.0, 1.0], 2, 1, 1)?)?.status;
    /// assert!(status.check().unwrap_err().to_string().starts_with("1 of 2 matrices"));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`].
    pub fn check(&self) -> Result<()> {
        match self.bad().next() {
            None => Ok(()),
            Some((first, status)) => {
                Err(Error::BadMatrices { bad: self.bad().count(), batch: self.0.len(), first, status })
            }
        }
    }

    /// As a vector.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Status};
    /// let status = Device::cpu().det(&Batch::c_order(&[0.0, 1.0], 2, 1, 1)?)?.status;
    /// assert_eq!(status.into_vec(), [Status::Singular(1), Status::Ok]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn into_vec(self) -> Vec<Status> {
        self.0
    }
}

impl From<Vec<Status>> for Statuses {
    /// Those that a call has written to memory of the caller's.
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device, Status, Statuses};
    /// let (mut a, mut status) = ([2.0, 0.0], vec![Status::Ok; 2]);
    /// Device::cpu().invert_in_place(&mut BatchMut::c_order(&mut a, 2, 1, 1)?, &mut status)?;
    /// assert!(Statuses::from(status).check().is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn from(statuses: Vec<Status>) -> Self {
        Self(statuses)
    }
}

impl Deref for Statuses {
    type Target = [Status];

    fn deref(&self) -> &[Status] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Statuses {
    type Item = &'a Status;
    type IntoIter = std::slice::Iter<'a, Status>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<const N: usize> PartialEq<[Status; N]> for Statuses {
    fn eq(&self, other: &[Status; N]) -> bool {
        self.0 == other
    }
}
