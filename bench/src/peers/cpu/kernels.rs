//! What a library on the CPU is made of: its calls, and what they answer.

use crate::failure::{Failure, Result};

/// A library's calls on column-major matrices, with the memory that they need in one thread. Slices hold whole
/// matrices, one after the other, at most [`Kernels::together`].
pub(crate) trait Kernels<S: Copy>: Send {
    /// What the library notes of an interchange.
    type Pivot: Copy + Default + Send + Sync;
    /// Whether inverses take the place of factors.
    const IN_PLACE: bool;
    /// Whether rows are exchanged for the sake of accuracy.
    const PIVOTS: bool = true;

    /// How much it notes of a matrix of order `n`.
    fn noted(n: usize) -> usize {
        n
    }

    /// Matrices of a call.
    fn together(&self) -> usize {
        1
    }

    /// Matrices to their factors.
    fn factor(&mut self, a: &mut [S], pivots: &mut [Self::Pivot]) -> Result<()>;

    /// Matrices to their factors, elsewhere.
    fn factor_into(&mut self, a: &[S], out: &mut [S], pivots: &mut [Self::Pivot]) -> Result<()> {
        out.copy_from_slice(a);
        self.factor(out, pivots)
    }

    /// Right-hand sides to solutions, of matrices or their transposes.
    fn solve(&mut self, transposed: bool, lu: &[S], pivots: &[Self::Pivot], x: &mut [S]) -> Result<()>;

    /// Factors to inverses: those in `lu`, or those in `out` if that is in place.
    fn invert(&mut self, lu: &[S], pivots: &[Self::Pivot], out: &mut [S]) -> Result<()>;

    /// Whether the determinant of a matrix has the other sign than the product of the diagonal, by its pivots.
    fn is_odd(pivots: &[Self::Pivot]) -> bool;

    /// A matrix's interchanges as warplu has them: the row that row k was exchanged with, from 0.
    fn interchanges(pivots: &[Self::Pivot]) -> Vec<u32>;
}

/// An error if LAPACK finds an argument wrong. A singular matrix is none.
pub(super) fn check(call: &str, info: i64) -> Result<()> {
    if info >= 0 { Ok(()) } else { Err(Failure::Bench(format!("{call}: argument {} is wrong", -info))) }
}

/// A permutation of rows as warplu's interchanges: the row that row k was exchanged with.
pub(super) fn interchanges(permutation: &[u32]) -> Vec<u32> {
    let mut rows: Vec<_> = (0..permutation.len() as u32).collect();
    let exchanged = permutation.iter().enumerate().map(|(k, row)| {
        let at = k + rows[k..].iter().position(|found| found == row).unwrap_or(0);
        rows.swap(k, at);
        at as u32
    });
    exchanged.collect()
}
