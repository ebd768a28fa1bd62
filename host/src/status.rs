//! How a matrix fared.

use std::fmt;

use numbers::status::{NON_FINITE, bad_side, side_not_finite};

/// How one matrix of a batch fared. Solutions and inverses of a matrix that is not [`Status::Ok`] are all NaN, but for
/// [`Status::SideNotFinite`].
///
/// ```
/// use warplu::Status;
/// assert_eq!(Status::from_code(3), Status::Singular(3));
/// assert_eq!(Status::NonFinite.code(), -1);
/// assert_eq!(Status::from_code(-4), Status::NotPositiveDefinite(3));
/// assert_eq!(Status::from_code(Status::SideNotFinite(7).code()), Status::SideNotFinite(7));
/// assert_eq!(Status::Singular(3).to_string(), "singular (U[2][2] is zero)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Factored; all numbers are finite.
    Ok,
    /// `U[k-1][k-1]` is exactly zero, the first such k counted from 1 (LAPACK's `info`). The factorization is complete. Of a
    /// matrix that is taken for triangular, its own diagonal is meant.
    Singular(u32),
    /// The leading minor of order k is not positive, the first such k counted from 1 (the `info` of LAPACK's `xPOTRF`):
    /// the matrix, taken for positive definite, is not, and has no Cholesky factor.
    NotPositiveDefinite(u32),
    /// A NaN or an infinity was met, in the matrix or by overflow, of its inverse too.
    NonFinite,
    /// The matrix is good, but the solution for right-hand side k, the first such k counted from 0, is not finite: that
    /// side is not, or the solution overflows. It is NaN, as are other such solutions; all others are as they should be.
    SideNotFinite(u32),
}

impl Status {
    /// Whether all is well.
    ///
    /// ```
    /// # use warplu::Status;
    /// assert!(Status::Ok.is_ok() && !Status::Singular(1).is_ok());
    /// ```
    #[must_use]
    pub fn is_ok(self) -> bool {
        self == Self::Ok
    }

    /// What the kernels write: 0, k for [`Status::Singular`], -1 for [`Status::NonFinite`], -1 - k for
    /// [`Status::NotPositiveDefinite`], and -2^31 + k for [`Status::SideNotFinite`].
    ///
    /// ```
    /// # use warplu::Status;
    /// assert_eq!((Status::Singular(3).code(), Status::NonFinite.code()), (3, -1));
    /// assert_eq!(Status::SideNotFinite(2).code(), i32::MIN + 2);
    /// ```
    #[must_use]
    pub fn code(self) -> i32 {
        match self {
            Self::Ok => 0,
            Self::Singular(k) => k.cast_signed(),
            Self::NonFinite => NON_FINITE,
            Self::NotPositiveDefinite(k) => NON_FINITE - k.cast_signed(),
            Self::SideNotFinite(k) => side_not_finite(k),
        }
    }

    /// From its code.
    ///
    /// ```
    /// # use warplu::Status;
    /// assert_eq!(Status::from_code(3), Status::Singular(3));
    /// ```
    #[must_use]
    pub fn from_code(code: i32) -> Self {
        match code {
            0 => Self::Ok,
            k if k > 0 => Self::Singular(k.cast_unsigned()),
            NON_FINITE => Self::NonFinite,
            code => match bad_side(code) {
                Some(k) => Self::SideNotFinite(k),
                None => Self::NotPositiveDefinite(NON_FINITE.abs_diff(code)),
            },
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("ok"),
            Self::Singular(k) => write!(f, "singular (U[{0}][{0}] is zero)", k - 1),
            Self::NotPositiveDefinite(k) => write!(f, "not positive definite (its leading minor of order {k} is not)"),
            Self::NonFinite => f.write_str("not finite"),
            Self::SideNotFinite(k) => write!(f, "good, but right-hand side {k}, or its solution, is not finite"),
        }
    }
}
