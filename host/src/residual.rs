//! Which residuals of an inverse are to be small.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// What [`Device::invert`](crate::Device::invert) keeps small beside the left residual of an inverse X; see
/// [`Device::with`](crate::Device::with).
///
/// The left residual is I - X A, the right one I - A X, both of shape (n, n), here in the 1-norm and in units of
/// n u |A| |X|, u being the rounding unit. An inverse by elimination is computed from one side, which bounds the
/// residual of that side: here the left one, as in LAPACK. The other side's can exceed it by the condition number of A,
/// and no such method bounds both (Higham, *Accuracy and Stability of Numerical Algorithms*, second edition, chapter
/// 14; Du Croz and Higham, *Stability of Methods for Matrix Inversion*, 1992). A step of Newton's iteration would only
/// change the side. How often the right one is lost is what the choice is about.
///
/// As text: `left` or `both`.
///
/// ```
/// use warplu::Residual;
/// assert_eq!("both".parse::<Residual>()?, Residual::Both);
/// assert_eq!(Residual::default().to_string(), "left");
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Residual {
    /// The left one is a few units, also where elements of LU grow. On GPUs, X comes up to order 512 from one launch of
    /// Gauss-Jordan elimination, and the right one grows with the condition of ill-conditioned matrices: to 60 in f32
    /// for Hilbert's of order 48 with 10^-5 added to its diagonal.
    #[default]
    Left,
    /// Both are what LAPACK's `xGETRF` and `xGETRI` leave. The left one is a few units, unless elements of LU grow like
    /// 2^n. The right one is below 1 for nearly all matrices, 0.7 for the one above; `xGETRI`, too, loses it where a
    /// matrix like Hilbert's has a condition near 1 / u.
    ///
    /// The inverse goes by factors. On GPUs that means two launches up to order 512, room for n (n + 1) numbers a
    /// matrix, and 1.3 to 2.5 times the time of [`Self::Left`] (H200, order 32 to 190). Larger inverses, and all on the
    /// CPU, go by factors anyway: there the two have the same bits and take the same time.
    Both,
}

impl fmt::Display for Residual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Left => "left",
            Self::Both => "both",
        })
    }
}

impl FromStr for Residual {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "left" => Ok(Self::Left),
            "both" => Ok(Self::Both),
            _ => Err(Error::Unsupported(format!("unknown residual {text:?}: use left or both"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_are_their_text() {
        for residual in [Residual::Left, Residual::Both] {
            assert_eq!(residual.to_string().parse::<Residual>().unwrap(), residual);
        }
        assert!("right".parse::<Residual>().unwrap_err().to_string().contains("left or both"));
    }
}
