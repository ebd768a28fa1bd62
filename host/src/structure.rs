//! What is known of matrices beforehand.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::triangle::Triangle;
use crate::triangular::Triangular;

/// What [`Device::solve`](crate::Device::solve), [`Device::invert`](crate::Device::invert) and
/// [`Device::det`](crate::Device::det) may take for granted; see
/// [`Device::with`](crate::Device::with).
///
/// As text: `general`, `spd` (positive definite, from the lower triangle), `spd:upper`, or what a [`Triangular`] is.
///
/// ```
/// use warplu::{Structure, Triangle};
/// assert_eq!("spd".parse::<Structure>()?, Structure::PositiveDefinite(Triangle::Lower));
/// assert_eq!(Structure::default().to_string(), "general");
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Structure {
    /// Nothing: they go by LU with partial pivoting.
    #[default]
    General,
    /// They are symmetric or Hermitian, and positive definite: they go by Cholesky factorization, which takes half the
    /// arithmetic and no pivots. Only this triangle is read, and of its diagonal the real part.
    ///
    /// A matrix that is not positive definite is told by its status,
    /// [`Status::NotPositiveDefinite`](crate::Status::NotPositiveDefinite), and its result is NaN; one that is not
    /// Hermitian is not told, as half of it is not looked at.
    PositiveDefinite(Triangle),
    /// They are triangular: systems go by substitution alone (LAPACK's `xTRTRS`), inverses are triangular, too (`xTRTRI`),
    /// and determinants are products of the diagonal. A zero on that is told by the status, as a pivot is.
    Triangular(Triangular),
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::General => "general",
            Self::PositiveDefinite(Triangle::Lower) => "spd",
            Self::PositiveDefinite(Triangle::Upper) => "spd:upper",
            Self::Triangular(triangular) => return triangular.fmt(f),
        })
    }
}

impl FromStr for Structure {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "general" => Ok(Self::General),
            "spd" | "spd:lower" => Ok(Self::PositiveDefinite(Triangle::Lower)),
            "spd:upper" => Ok(Self::PositiveDefinite(Triangle::Upper)),
            _ if text.starts_with("lower") || text.starts_with("upper") => Ok(Self::Triangular(text.parse()?)),
            _ => Err(Error::Unsupported(format!(
                "unknown structure {text:?}: use general; spd (positive definite, of which the lower triangle is read) \
                 or spd:upper; lower or upper for triangular matrices, with :unit for a diagonal of ones"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_their_text() {
        let definite = [Triangle::Lower, Triangle::Upper].map(Structure::PositiveDefinite);
        let triangular = [Triangular::LOWER, Triangular::UPPER].map(Structure::Triangular);
        for structure in definite.into_iter().chain(triangular).chain([Structure::General]) {
            assert_eq!(structure.to_string().parse::<Structure>().unwrap(), structure);
        }
        assert!("symmetric".parse::<Structure>().unwrap_err().to_string().contains("spd:upper"));
    }
}
