//! Which of a matrix's relatives a system is solved with.

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
