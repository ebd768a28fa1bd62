//! How each matrix of a batch fared.

use std::ops::Deref;
use std::{fmt, slice};

use crate::error::{Error, Result};
use crate::status::Status;

/// The statuses of a batch, one a matrix, which it derefs to as a slice.
///
/// ```
/// use warplu::{Batch, Device, Status};
/// let a = [1.0, 2.0, 2.0, 4.0, 1.0, 0.0, 0.0, 1.0]; // the first is singular
/// let status = Device::cpu().invert(&Batch::row_major(&a, 2, 2, 2)?)?.status;
/// assert!(!status.all_ok());
/// assert_eq!(status.bad().collect::<Vec<_>>(), [(0, Status::Singular(2))]);
/// assert!(status.check().unwrap_err().to_string().starts_with("1 of 2 matrices"));
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Statuses(Held);

/// One status needs no memory of its own: an allocation is a twentieth of a call on a small matrix.
#[derive(Clone)]
enum Held {
    One(Status),
    Many(Vec<Status>),
}

impl Statuses {
    pub(crate) fn new(statuses: Vec<Status>) -> Self {
        Self(Held::Many(statuses))
    }

    pub(crate) fn from_codes(codes: &[i32]) -> Self {
        match *codes {
            [code] => Self(Held::One(Status::from_code(code))),
            _ => Self::new(codes.iter().map(|&code| Status::from_code(code)).collect()),
        }
    }

    /// Whether every matrix is [`Status::Ok`].
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let status = Device::cpu().det(&Batch::row_major(&[0.0, 1.0], 2, 1, 1)?)?.status;
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
    /// let status = Device::cpu().det(&Batch::row_major(&[0.0, 1.0], 2, 1, 1)?)?.status;
    /// assert_eq!(status.bad().collect::<Vec<_>>(), [(0, Status::Singular(1))]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn bad(&self) -> impl Iterator<Item = (usize, Status)> {
        self.iter().copied().enumerate().filter(|(_, status)| !status.is_ok())
    }

    /// An error if any matrix is not [`Status::Ok`], for callers who take no batch with a bad matrix in it.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let status = Device::cpu().det(&Batch::row_major(&[0.0, 1.0], 2, 1, 1)?)?.status;
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
                Err(Error::BadMatrices { bad: self.bad().count(), batch: self.len(), first, status })
            }
        }
    }

    /// As a vector.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Status};
    /// let status = Device::cpu().det(&Batch::row_major(&[0.0, 1.0], 2, 1, 1)?)?.status;
    /// assert_eq!(status.into_vec(), [Status::Singular(1), Status::Ok]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn into_vec(self) -> Vec<Status> {
        match self.0 {
            Held::One(status) => vec![status],
            Held::Many(statuses) => statuses,
        }
    }
}

impl From<Vec<Status>> for Statuses {
    /// Statuses from elsewhere, such as those of several calls together.
    ///
    /// ```
    /// use warplu::{Status, Statuses};
    /// assert!(Statuses::from(vec![Status::Ok, Status::Singular(1)]).check().is_err());
    /// ```
    fn from(statuses: Vec<Status>) -> Self {
        Self::new(statuses)
    }
}

impl fmt::Debug for Statuses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Statuses").field(&&**self).finish()
    }
}

impl PartialEq for Statuses {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Statuses {}

impl Deref for Statuses {
    type Target = [Status];

    fn deref(&self) -> &[Status] {
        match &self.0 {
            Held::One(status) => slice::from_ref(status),
            Held::Many(statuses) => statuses,
        }
    }
}

impl<'a> IntoIterator for &'a Statuses {
    type Item = &'a Status;
    type IntoIter = slice::Iter<'a, Status>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<const N: usize> PartialEq<[Status; N]> for Statuses {
    fn eq(&self, other: &[Status; N]) -> bool {
        **self == other[..]
    }
}
