//! Which triangle of a matrix is meant.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// The triangle of a Hermitian matrix that is read, and so where its Cholesky factor is (LAPACK's `UPLO`). What is in
/// the other triangle does not matter, be it NaN.
///
/// As text: `lower` or `upper`.
///
/// ```
/// use warplu::{Batch, Device, Triangle};
/// let a = [4.0, f64::NAN, 2.0, 10.0]; // [4 2; 2 10], row by row
/// let cholesky = Device::cpu().cholesky(&Batch::row_major(&a, 1, 2, 2)?, Triangle::Lower)?;
/// assert_eq!(cholesky.factors()?.as_slice(), [2.0, 0.0, 1.0, 3.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Triangle {
    /// The diagonal and what is below: A = L L^H.
    #[default]
    Lower,
    /// The diagonal and what is above: A = U^H U.
    Upper,
}

impl fmt::Display for Triangle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lower => "lower",
            Self::Upper => "upper",
        })
    }
}

impl FromStr for Triangle {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "lower" => Ok(Self::Lower),
            "upper" => Ok(Self::Upper),
            _ => Err(Error::Unsupported(format!("unknown triangle {text:?}: use lower or upper"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_are_their_text() {
        for triangle in [Triangle::Lower, Triangle::Upper] {
            assert_eq!(triangle.to_string().parse::<Triangle>().unwrap(), triangle);
        }
        assert!("left".parse::<Triangle>().unwrap_err().to_string().contains("lower or upper"));
    }
}
