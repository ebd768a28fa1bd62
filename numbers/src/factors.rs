//! Where the factors of a batch are.

use simt::Pod;
use simt::global::Global;

use crate::matrix::Matrices;

/// LU factors of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Factors<T: Pod> {
    /// U, and L below the diagonal, n x n.
    pub lu: Matrices<T>,
    /// Sequential row interchanges, zero-based: shape (batch, n).
    pub pivots: Global<u32>,
    /// Shape (batch).
    pub status: Global<i32>,
}

/// Cholesky factors of a batch.
#[derive(Clone, Copy, Debug)]
pub struct CholeskyFactors<T: Pod> {
    /// Lower triangles, with zeros above, n x n.
    pub l: Matrices<T>,
    /// Shape (batch).
    pub status: Global<i32>,
}

impl<T: Pod> Factors<T> {
    /// The same places, as those of factors of another type.
    #[inline(always)]
    #[must_use]
    pub fn cast<U: Pod>(self) -> Factors<U> {
        Factors { lu: self.lu.cast(), pivots: self.pivots, status: self.status }
    }
}

impl<T: Pod> CholeskyFactors<T> {
    /// The same places, as those of factors of another type.
    #[inline(always)]
    #[must_use]
    pub fn cast<U: Pod>(self) -> CholeskyFactors<U> {
        CholeskyFactors { l: self.l.cast(), status: self.status }
    }
}
