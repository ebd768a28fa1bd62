//! How a matrix fared.

use std::fmt;

use kernels_gpu::operation::NON_FINITE;

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
