//! Substitution: triangular systems, and all that solves a system from its factors.

use std::ops::Range;

use super::block::Block;
use super::exchange::Exchange;
use super::number::Number;
use super::subtract::{ByColumns, PANEL, by_columns, subtract};
use super::vector::{Stage, Vector};
use crate::triangle::Diagonal;
use numbers::op::Substitutions;

/// Overwrites further columns of a factored block, Y, with X, where U X = Y. A zero on the diagonal divides nothing.
///
/// # Safety
/// The block has been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn back<N: Number>(a: Block<N>, n: usize, columns: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Back { columns, upper: Substitution { a, n, diagonal: Diagonal::Stored } }) }
}

struct Back<N: Number> {
    columns: Range<usize>,
    upper: Substitution<N, false>,
}

impl<N: Number> Stage for Back<N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller's promise.
        unsafe { by_columns(self.columns, &self.upper) }
    }
}

/// Overwrites further columns of a block of factors, B, with the solution of op(A) X = B. The block has the factors of
/// A, their rows in the order of all exchanges, or those transposed.
///
/// # Safety
/// The block has been written, the exchanges are within its rows, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn solve<N: Number>(
    a: Block<N>,
    n: usize,
    exchanges: &[Exchange],
    how: Substitutions,
    columns: Range<usize>,
) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Solve { a, n, exchanges, how, columns }) }
}

struct Solve<'a, N: Number> {
    a: Block<N>,
    /// Order of the matrices.
    n: usize,
    /// Shape (n), or none.
    exchanges: &'a [Exchange],
    how: Substitutions,
    columns: Range<usize>,
}

impl<N: Number> Stage for Solve<'_, N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { a, n, exchanges, how, columns } = self;
        // Transposed, U is the lower triangle.
        let (lower, upper) = match how.first_is_unit() {
            true => (Diagonal::Unit, Diagonal::Stored),
            false => (Diagonal::Stored, Diagonal::Unit),
        };
        // SAFETY: the caller's promise.
        unsafe {
            if !how.transposed {
                for j in columns.clone() {
                    for k in 0..exchanges.len() {
                        exchanges[k].apply(a, k, j);
                    }
                }
            }
            // The conjugate matrix has the conjugates of X and B.
            if how.conjugated {
                conjugate(a, n, columns.clone());
            }
            if how.forward {
                by_columns(columns.clone(), &Substitution::<N, true> { a, n, diagonal: lower });
            }
            if how.backward {
                by_columns(columns.clone(), &Substitution::<N, false> { a, n, diagonal: upper });
            }
            if how.conjugated {
                conjugate(a, n, columns.clone());
            }
            if how.transposed {
                for j in columns {
                    for k in (0..exchanges.len()).rev() {
                        exchanges[k].apply(a, k, j);
                    }
                }
            }
        }
    }
}

/// Overwrites further columns of a block, B, with the solution of L L^H X = B, or, `conjugated`, of the conjugate
/// matrix's system. The block has L, and L^H above.
///
/// # Safety
/// The block has been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn solve_definite<N: Number>(a: Block<N>, n: usize, conjugated: bool, columns: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(SolveDefinite { a, n, conjugated, columns }) }
}

struct SolveDefinite<N: Number> {
    a: Block<N>,
    /// Order of the matrices.
    n: usize,
    conjugated: bool,
    columns: Range<usize>,
}

impl<N: Number> Stage for SolveDefinite<N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { a, n, conjugated, columns } = self;
        let diagonal = Diagonal::Stored;
        // SAFETY: the caller's promise.
        unsafe {
            if conjugated {
                conjugate(a, n, columns.clone());
            }
            by_columns(columns.clone(), &Substitution::<N, true> { a, n, diagonal });
            by_columns(columns.clone(), &Substitution::<N, false> { a, n, diagonal });
            if conjugated {
                conjugate(a, n, columns);
            }
        }
    }
}

/// # Safety
/// The columns have been written, and the CPU has the instructions.
#[inline(always)]
unsafe fn conjugate<N: Number>(a: Block<N>, n: usize, columns: Range<usize>) {
    for j in columns {
        for i in 0..n {
            // SAFETY: the caller's promise.
            unsafe { a.set(i, j, a.get(i, j).conj()) };
        }
    }
}

/// Solves a triangular system, of the lower triangle from the first row, or of the upper one from the last.
struct Substitution<N: Number, const LOWER: bool> {
    a: Block<N>,
    /// Order of the matrices.
    n: usize,
    diagonal: Diagonal,
}

impl<N: Number, const LOWER: bool> Substitution<N, LOWER> {
    /// The row of the unknown that is number `step`.
    #[inline(always)]
    fn row(&self, step: usize) -> usize {
        if LOWER { step } else { self.n - 1 - step }
    }

    /// The rows of some unknowns.
    #[inline(always)]
    fn rows(&self, steps: Range<usize>) -> Range<usize> {
        if LOWER { steps } else { self.n - steps.end..self.n - steps.start }
    }
}

impl<N: Number, const LOWER: bool> ByColumns<N> for Substitution<N, LOWER> {
    #[inline(always)]
    unsafe fn run<const C: usize>(&self, j: usize) {
        let Self { a, n, diagonal } = *self;
        // Only the last panel, after which there are no rows, may be smaller.
        for start in (0..n).step_by(PANEL) {
            let end = n.min(start + PANEL);
            // SAFETY: the caller's promise.
            unsafe {
                for step in start..end {
                    let k = self.row(step);
                    for c in 0..C {
                        let mut x = a.get(k, j + c);
                        if diagonal == Diagonal::Stored {
                            x = x.divide(a.get(k, k).divisor());
                            a.set(k, j + c, x);
                        }
                        subtract(a, self.rows(step + 1..end), [k], j + c, &[[x]]);
                    }
                }
                if end < n {
                    let from = [self.row(start), self.row(start + 1), self.row(start + 2), self.row(start + 3)];
                    let mut x = [[a.get(from[0], j); C]; PANEL];
                    for p in 0..PANEL {
                        for c in 0..C {
                            x[p][c] = a.get(from[p], j + c);
                        }
                    }
                    subtract(a, self.rows(end..n), from, j, &x);
                }
            }
        }
    }
}
