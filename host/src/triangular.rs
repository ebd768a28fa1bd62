//! What is known of triangular matrices.

use std::fmt;
use std::str::FromStr;

use numbers::op::Op;

use crate::error::{Error, Result};
use crate::triangle::Triangle;

/// Which triangle of a matrix is meant, what its diagonal is, and whether it is transposed (LAPACK's `UPLO`, `DIAG` and
/// `TRANS`): what [`Structure::Triangular`](crate::Structure::Triangular) says. What is in the other triangle does not
/// matter, be it NaN.
///
/// As text: `lower` or `upper`, then `:unit`, then `:transpose` or `:adjoint`, if it is that.
///
/// ```
/// use warplu::{Batch, Device, Op, Triangular};
/// let l = Batch::row_major(&[2.0, f64::NAN, 4.0, 5.0], 1, 2, 2)?; // [2 0; 4 5]
/// let b = Batch::row_major(&[2.0, 14.0], 1, 2, 1)?;
/// assert_eq!(Device::cpu().with(Triangular::LOWER).solve(&l, &b)?.x.as_slice(), [1.0, 2.0]);
/// let transposed = Triangular { op: Op::Transpose, ..Triangular::LOWER };
/// let b = Batch::row_major(&[10.0, 10.0], 1, 2, 1)?; // [2 4; 0 5] [1; 2]
/// assert_eq!(Device::cpu().with(transposed).solve(&l, &b)?.x.as_slice(), [1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Triangular {
    /// The triangle that is read.
    pub triangle: Triangle,
    /// Whether the diagonal is all ones, whatever is stored there.
    pub unit: bool,
    /// Which relative of the triangle systems are solved with, and inverted.
    pub op: Op,
}

impl Triangular {
    /// The lower triangle with its diagonal.
    pub const LOWER: Self = Self { triangle: Triangle::Lower, unit: false, op: Op::None };
    /// The upper triangle with its diagonal.
    pub const UPPER: Self = Self { triangle: Triangle::Upper, ..Self::LOWER };
}

impl fmt::Display for Triangular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.unit { ":unit" } else { "" };
        let op = match self.op {
            Op::None => "",
            Op::Transpose => ":transpose",
            Op::Adjoint => ":adjoint",
        };
        write!(f, "{}{unit}{op}", self.triangle)
    }
}

impl FromStr for Triangular {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut words = text.split(':').peekable();
        let triangle = words.next().unwrap_or_default().parse()?;
        let unit = words.next_if_eq(&"unit").is_some();
        let op = match words.next() {
            None => Op::None,
            Some("transpose") => Op::Transpose,
            Some("adjoint") => Op::Adjoint,
            Some(other) => {
                return Err(Error::Unsupported(format!(
                    "{other:?} says nothing of a triangle: use unit, and then transpose or adjoint"
                )));
            }
        };
        match words.next() {
            None => Ok(Self { triangle, unit, op }),
            Some(other) => Err(Error::Unsupported(format!("{other:?} is too much for a triangle: {text:?}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_are_their_text() {
        for (triangle, unit) in [(Triangle::Lower, false), (Triangle::Upper, true)] {
            for op in [Op::None, Op::Transpose, Op::Adjoint] {
                let triangular = Triangular { triangle, unit, op };
                assert_eq!(triangular.to_string().parse::<Triangular>().unwrap(), triangular);
            }
        }
        for text in ["left", "lower:units", "lower:transpose:unit", "upper:unit:adjoint:transpose", "lower:"] {
            assert!(text.parse::<Triangular>().is_err(), "{text}");
        }
    }
}
