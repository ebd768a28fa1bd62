//! How each matrix of a batch fared.

use std::fmt;
use std::ops::Deref;

use kernels_gpu::operation::NON_FINITE;

use crate::error::{Error, Result};

/// How one matrix of a batch fared. Solutions and inverses of a matrix that is not [`Status::Ok`] are all NaN.
///
/// ```
/// use warplu::Status;
/// assert_eq!(Status::from_code(3), Status::Singular(3));
/// assert_eq!(Status::NonFinite.code(), -1);
/// assert_eq!(Status::Singular(3).to_string(), "singular (U[2][2] is zero)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Factored; all numbers are finite.
    Ok,
    /// `U[k-1][k-1]` is exactly zero, the first such k counted from 1 (LAPACK's `info`). The factorization is complete.
    Singular(u32),
    /// A NaN or an infinity was met, in the matrix, in its right-hand sides or by overflow, of the result too.
    NonFinite,
}

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

impl Status {
    /// Whether all is well.
    #[must_use]
    pub fn is_ok(self) -> bool {
        self == Self::Ok
    }

    /// 0, k, or -1 for [`Status::NonFinite`]: what the kernels write.
    #[must_use]
    pub fn code(self) -> i32 {
        match self {
            Self::Ok => 0,
            Self::Singular(k) => k.cast_signed(),
            Self::NonFinite => NON_FINITE,
        }
    }

    /// From its code.
    #[must_use]
    pub fn from_code(code: i32) -> Self {
        match code {
            0 => Self::Ok,
            k if k > 0 => Self::Singular(k.cast_unsigned()),
            _ => Self::NonFinite,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("ok"),
            Self::Singular(k) => write!(f, "singular (U[{0}][{0}] is zero)", k - 1),
            Self::NonFinite => f.write_str("not finite"),
        }
    }
}

impl Statuses {
    pub(crate) fn from_codes(codes: &[i32]) -> Self {
        Self(codes.iter().map(|&code| Status::from_code(code)).collect())
    }

    /// Whether every matrix is [`Status::Ok`].
    #[must_use]
    pub fn all_ok(&self) -> bool {
        self.bad().next().is_none()
    }

    /// The matrices that are not [`Status::Ok`], by index.
    pub fn bad(&self) -> impl Iterator<Item = (usize, Status)> {
        self.0.iter().copied().enumerate().filter(|(_, status)| !status.is_ok())
    }

    /// An error if any matrix is not [`Status::Ok`], for callers who take no batch with a bad matrix in it.
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
    #[must_use]
    pub fn into_vec(self) -> Vec<Status> {
        self.0
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
