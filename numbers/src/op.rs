//! Which of a matrix's relatives a system is solved with, and by which of its factors.

/// op(A) of a system op(A) X = B (LAPACK's `TRANS`).
///
/// ```
/// use warplu::{Batch, Device, Op};
/// let lu = Device::cpu().lu(&Batch::row_major(&[1.0, 2.0, 0.0, 1.0], 1, 2, 2)?)?;
/// let b = Batch::row_major(&[3.0, 1.0], 1, 2, 1)?;
/// assert_eq!(lu.solve(&b, Op::None)?.x.as_slice(), [1.0, 1.0]);
/// assert_eq!(lu.solve(&b, Op::Transpose)?.x.as_slice(), [3.0, -5.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Op {
    /// A itself.
    #[default]
    None,
    /// The transposed matrix.
    Transpose,
    /// The conjugate transposed matrix, for real types the same as [`Op::Transpose`].
    Adjoint,
}

/// How a system is solved from a matrix that holds L without its unit diagonal, and U: by forward substitution with the
/// lower triangle of that matrix, or of the transposed one, then by back substitution with the upper one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Substitutions {
    /// Whether it is the transposed matrix, so that U^T comes first, and then L^T.
    pub transposed: bool,
    /// Whether it is the conjugate one.
    pub conjugated: bool,
    /// Whether the first is done.
    pub forward: bool,
    /// Whether the second is done.
    pub backward: bool,
}

impl Substitutions {
    /// Those of a system with a triangle alone, of which no rows are interchanged: with L, or else with U.
    #[must_use]
    pub fn with_triangle(is_lower: bool, transposed: bool, conjugated: bool) -> Self {
        let forward = is_lower != transposed;
        Self { transposed, conjugated, forward, backward: !forward }
    }

    /// Whether both are done, and so the interchanges, too.
    #[inline(always)]
    #[must_use]
    pub fn are_both(self) -> bool {
        self.forward && self.backward
    }

    /// Whether the triangle of the first has the unit diagonal; else that of the second has.
    #[inline(always)]
    #[must_use]
    pub fn first_is_unit(self) -> bool {
        !self.transposed
    }
}

impl From<Op> for Substitutions {
    /// Those that solve op(A) X = B from the factors of A.
    fn from(op: Op) -> Self {
        Self { transposed: op != Op::None, conjugated: op == Op::Adjoint, forward: true, backward: true }
    }
}
