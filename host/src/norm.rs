//! Which norm of a matrix is meant.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// A norm of matrices (LAPACK's `NORM`), for [`Batch::norms`](crate::Batch::norms) and condition numbers.
///
/// As text: `1` or `inf`.
///
/// ```
/// use warplu::Norm;
/// assert_eq!("inf".parse::<Norm>()?, Norm::Infinity);
/// assert_eq!(Norm::default().to_string(), "1");
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Norm {
    /// The 1-norm: the largest sum of magnitudes in a column.
    #[default]
    One,
    /// The infinity-norm: the largest sum of magnitudes in a row.
    Infinity,
}

impl fmt::Display for Norm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "1",
            Self::Infinity => "inf",
        })
    }
}

impl FromStr for Norm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "1" => Ok(Self::One),
            "inf" => Ok(Self::Infinity),
            _ => Err(Error::Unsupported(format!("unknown norm {text:?}: use 1 or inf"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_are_their_text() {
        for norm in [Norm::One, Norm::Infinity] {
            assert_eq!(norm.to_string().parse::<Norm>().unwrap(), norm);
        }
        assert!("2".parse::<Norm>().unwrap_err().to_string().contains("1 or inf"));
    }
}
