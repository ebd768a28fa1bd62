//! Which of a matrix's relatives a system is solved with.

/// op(A) of a system op(A) X = B (LAPACK's `TRANS`).
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
