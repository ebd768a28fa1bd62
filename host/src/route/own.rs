//! Factors that a route keeps to itself, and Cholesky factors of either triangle.

use numbers::factors::{CholeskyFactors, Factors};
use numbers::matrix::Matrices;
use simt::Pod;
use simt::global::Global;

use super::{Array, Room, Space};
use crate::element::Element;
use crate::error::Result;
use crate::launch::{matrices_at, transposed};
use crate::layout::Layout;
use crate::triangle::Triangle;

/// LU factors that a route keeps to itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnFactors<S> {
    pub(crate) lu: Array<S>, // shape (batch, n, n)
    pivots: Array<u32>,      // shape (batch, n)
    n: usize,
}

impl<S: Element> OwnFactors<S> {
    pub(crate) fn new(n: usize, space: &mut Space) -> Result<Self> {
        Ok(Self { lu: space.array(&[n, n])?, pivots: space.array(&[n])?, n })
    }

    /// With the statuses elsewhere. Compact and column-major, so that kernels that can may work in their place.
    pub(crate) fn with(&self, status: Global<i32>, room: Room<'_>) -> Factors<S> {
        self.laid_out(Layout::column_major(self.n, self.n), status, room)
    }

    pub(crate) fn laid_out(&self, layout: Layout, status: Global<i32>, room: Room<'_>) -> Factors<S> {
        Factors { lu: matrices_at(room.at(self.lu).address(), layout), pivots: room.at(self.pivots), status }
    }
}

/// Cholesky factors that a route keeps to itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnCholesky<S> {
    l: Array<S>, // shape (batch, n, n)
    n: usize,
}

impl<S: Element> OwnCholesky<S> {
    pub(crate) fn new(n: usize, space: &mut Space) -> Result<Self> {
        Ok(Self { l: space.array(&[n, n])?, n })
    }

    /// With the statuses elsewhere. Compact and column-major.
    pub(crate) fn with(&self, status: Global<i32>, room: Room<'_>) -> CholeskyFactors<S> {
        CholeskyFactors { l: matrices_at(room.at(self.l).address(), Layout::column_major(self.n, self.n)), status }
    }
}

/// Matrices of which the lower triangle is read or written: A^T, whose lower triangle is A's upper one, is conj(A), and
/// its factor is U^T.
pub(crate) fn as_lower<T: Pod>(m: Matrices<T>, triangle: Triangle) -> Matrices<T> {
    match triangle {
        Triangle::Lower => m,
        Triangle::Upper => transposed(m),
    }
}

/// Factors with their triangle as a lower one.
pub(crate) fn lower_factors<S: Pod>(factors: CholeskyFactors<S>, triangle: Triangle) -> CholeskyFactors<S> {
    CholeskyFactors { l: as_lower(factors.l, triangle), ..factors }
}
