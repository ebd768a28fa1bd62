//! How LU chooses its pivots.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// How LU chooses its pivots; see [`Device::with`](crate::Device::with).
///
/// As text: `partial`, `none`, or `boosted` and after a colon the threshold, as in `boosted:1e-8`.
///
/// ```
/// use warplu::Pivoting;
/// assert_eq!("boosted:1e-8".parse::<Pivoting>()?, Pivoting::Boosted { threshold: 1e-8 });
/// assert_eq!(Pivoting::default().to_string(), "partial");
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Pivoting {
    /// The largest of its column, to whose place rows are interchanged (LAPACK `xGETRF`): for any matrix.
    #[default]
    Partial,
    /// The diagonal, as it comes up: for matrices that are known to need no interchanges, such as those whose diagonals
    /// dominate their rows or columns. A pivot that is zero or not finite ends the factorization: the
    /// factors are all NaN, and the status says which pivot. Small ones make large factors, and inaccurate results:
    /// see [`Lu::growth`](crate::Lu::growth).
    None,
    /// The diagonal, boosted: a pivot that is smaller than `threshold` times the largest element of the matrix, both by
    /// `|re| + |im|`, is replaced by a real number of that magnitude, with the sign of its real part. The factors are
    /// then those of another matrix, nearby, which is what a preconditioner needs, and which a few steps of refinement
    /// ([`Lu::refine`](crate::Lu::refine)) make good for. Thresholds from the square root of the unit roundoff to about
    /// 1e-3 are usual.
    Boosted {
        /// Least magnitude of a pivot, over that of the largest element: above 0 and at most 1.
        threshold: f64,
    },
}

impl Pivoting {
    /// Whether rows are interchanged.
    pub(crate) fn interchanges(self) -> bool {
        self == Self::Partial
    }

    /// The threshold below which pivots are boosted, 0 for none.
    pub(crate) fn threshold(self) -> f64 {
        match self {
            Self::Partial | Self::None => 0.0,
            Self::Boosted { threshold } => threshold,
        }
    }

    /// That the threshold is one.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::Boosted { threshold } if !(threshold > 0.0 && threshold <= 1.0) => Err(Error::Unsupported(format!(
                "a pivot's threshold is over the largest element of its matrix, above 0 and at most 1, not {threshold}"
            ))),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Pivoting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Partial => f.write_str("partial"),
            Self::None => f.write_str("none"),
            Self::Boosted { threshold } => write!(f, "boosted:{threshold:e}"),
        }
    }
}

impl FromStr for Pivoting {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let pivoting = match text.split_once(':') {
            None if text == "partial" => Self::Partial,
            None if text == "none" => Self::None,
            Some(("boosted", threshold)) => Self::Boosted { threshold: threshold.parse().unwrap_or(f64::NAN) },
            _ => {
                return Err(Error::Unsupported(format!(
                    "unknown pivoting {text:?}: use partial, none or boosted:THRESHOLD, such as boosted:1e-8"
                )));
            }
        };
        pivoting.check().map(|()| pivoting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pivotings_are_their_text() {
        for pivoting in [Pivoting::Partial, Pivoting::None, Pivoting::Boosted { threshold: 0.125 }] {
            assert_eq!(pivoting.to_string().parse::<Pivoting>().unwrap(), pivoting);
        }
    }

    #[test]
    fn faults_are_named_with_their_remedy() {
        let message = |text: &str| text.parse::<Pivoting>().unwrap_err().to_string();
        for unknown in ["", "full", "none:1", "boosted"] {
            assert!(message(unknown).contains("boosted:1e-8"), "{unknown}");
        }
        for threshold in ["boosted:0", "boosted:-1", "boosted:2", "boosted:x", "boosted:NaN", "boosted:inf"] {
            assert!(message(threshold).contains("above 0 and at most 1"), "{threshold}");
        }
    }
}
