//! Where the factors and the right-hand sides of a system are.

use simt::global::Global;
use simt::warp;

use crate::collective::permutation;
use crate::operation::getrs::cluster_per_rhs::strips::STRIP;
use crate::operation::getrs::cluster_per_rhs::sweep::Sweep;
use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::Scalar;

/// The rows of a strip of the factors. Columns are named by their turns; where rows or columns are beyond the matrix,
/// there are zeros.
pub trait Rows<T> {
    /// Elements of this lane's row, in the columns from `turn` on.
    fn own<const N: usize>(&self, turn: u32) -> [T; N];
    /// Elements of the column `turn`, which may differ from lane to lane, in the rows of the lanes from `lane` on.
    fn column<const N: usize>(&self, turn: u32, lane: u32) -> [T; N];
}

/// A system that is solved, strip by strip.
pub trait System<T> {
    /// The rows of one of its strips.
    type Rows: Rows<T>;
    /// Those of strip `strip`. By a whole warp, as the others.
    fn rows(&self, sweep: &Sweep, strip: u32) -> Self::Rows;
    /// The right-hand side of this lane's row of a strip; zero where there is none.
    fn load(&self, strip: u32) -> T;
    /// Writes its solution.
    fn store(&self, strip: u32, x: T);
}

/// op(A) x = b, from the factors of A, or with a triangle alone, of which no rows are interchanged. Each is a type of its
/// own: what kernels shared would be no part of them, and keep arrays in memory.
#[derive(Clone, Copy)]
pub struct OfMatrix<T, const IS_TRIANGLE: bool> {
    /// op(LU), but for the conjugation.
    pub lu: GlobalMatrix<T>,
    /// Right-hand sides.
    pub b: GlobalMatrix<T>,
    /// Solutions.
    pub x: GlobalMatrix<T>,
    /// The column of both.
    pub column: u32,
    /// Sequential row interchanges: shape (n).
    pub pivots: Global<u32>,
    /// Whether any of them is with an earlier row, as LAPACK's never are.
    pub any_descends: bool,
    /// Whether op(A) is A^T or A^H, so that the interchanges come last.
    pub is_transposed: bool,
    /// Order of A.
    pub n: u32,
}

impl<T: Scalar, const IS_TRIANGLE: bool> OfMatrix<T, IS_TRIANGLE> {
    /// This lane's row of a strip, where A has it before the interchanges, or after them.
    #[inline(always)]
    fn row(&self, strip: u32, is_before: bool) -> u32 {
        let first = strip * STRIP;
        match (is_before && !IS_TRIANGLE, self.any_descends) {
            (false, _) => first + warp::lane(),
            (true, false) => permutation::row_of_ascending(self.pivots, first, self.n),
            (true, true) => permutation::rows_by_warp_from::<1>(self.pivots, first, self.n)[0],
        }
    }

    #[inline(always)]
    fn has_row(&self, strip: u32) -> bool {
        strip * STRIP + warp::lane() < self.n
    }
}

impl<T: Scalar, const IS_TRIANGLE: bool> System<T> for OfMatrix<T, IS_TRIANGLE> {
    type Rows = RowsOfMatrix<T>;

    #[inline(always)]
    fn rows(&self, sweep: &Sweep, strip: u32) -> RowsOfMatrix<T> {
        let by_turns = if sweep.is_backward() { self.lu.columns_reversed(sweep.turns()) } else { self.lu };
        RowsOfMatrix { by_turns, first: strip * STRIP, sweep: *sweep }
    }

    #[inline(always)]
    fn load(&self, strip: u32) -> T {
        let row = self.row(strip, !self.is_transposed);
        if self.has_row(strip) { self.b.load(row, self.column) } else { T::ZERO }
    }

    #[inline(always)]
    fn store(&self, strip: u32, x: T) {
        let row = self.row(strip, self.is_transposed);
        if self.has_row(strip) {
            self.x.store(row, self.column, x);
        }
    }
}

/// The rows of a strip of a matrix in device memory.
#[derive(Clone, Copy)]
pub struct RowsOfMatrix<T> {
    /// The matrix, with its columns in the order of their turns.
    by_turns: GlobalMatrix<T>,
    first: u32,
    sweep: Sweep,
}

impl<T: Scalar> Rows<T> for RowsOfMatrix<T> {
    #[inline(always)]
    fn own<const N: usize>(&self, turn: u32) -> [T; N] {
        let (row, n) = (self.first + warp::lane(), self.sweep.n);
        self.by_turns.load_part(row, turn, T::ZERO, |turn| row < n && self.sweep.row(turn) < n)
    }

    #[inline(always)]
    fn column<const N: usize>(&self, turn: u32, lane: u32) -> [T; N] {
        let (column, n) = (self.sweep.row(turn), self.sweep.n);
        let by_rows = self.by_turns.transposed();
        by_rows.load_part(turn, self.first + lane, T::ZERO, |row| row < n && column < n)
    }
}
