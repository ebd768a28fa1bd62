//! LU of a panel: as many columns as stay in the caches next to the core (LAPACK `xGETF2`).

#![expect(clippy::needless_range_loop, reason = "numbers of rows, columns and lanes are what the formulas have")]

use std::ops::Range;

use super::view::MatMut;
use numbers::scalar::Scalar;

use super::columns::{BLOCK, Columns, divide, largest, sub_mul, subtract, with_columns};
use super::lanes::{Isa, Number, Routine, enter};
use crate::element::CpuScalar;

/// Factors a panel, with a pivot for each column. Blocks of columns are first brought up to date with all before them.
///
/// # Panics
/// If it has fewer rows than columns, or is not column-major.
pub(super) fn factor_panel<T: CpuScalar>(isa: Isa, a: MatMut<'_, T>, pivots: &mut [u32]) {
    let (rows, columns) = a.shape();
    assert!(rows >= columns && columns == pivots.len(), "a panel has a row and a pivot for each column");
    // SAFETY: the matrix is borrowed.
    unsafe { isa.run(FactorPanel { a: Columns::of_mut(a), rows, columns, pivots }) }
}

struct FactorPanel<'a, T> {
    a: Columns<T>,
    rows: usize,
    columns: usize,
    /// Shape (columns).
    pivots: &'a mut [u32],
}

impl<T: CpuScalar> Routine for FactorPanel<'_, T> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        let Self { a, rows, columns, pivots } = self;
        // SAFETY: the caller's promise, for the whole panel.
        unsafe {
            for first in (0..columns).step_by(BLOCK) {
                let end = columns.min(first + BLOCK);
                for k in (0..first).step_by(BLOCK) {
                    eliminate::<N, BLOCK>(a, k, first..end, rows);
                }
                for j in first..end {
                    with_columns!(j - first, eliminate::<N>(a, first, j..j + 1, rows));
                    let pivot = j + largest::<N>(a.at(j, j), rows - j);
                    pivots[j] = pivot as u32;
                    if pivot != j {
                        for c in 0..columns {
                            a.at(j, c).swap(a.at(pivot, c));
                        }
                    }
                    // LAPACK: a column of zeros is left as it is.
                    if a.get(j, j) != T::ZERO {
                        divide::<N>(a.at(j + 1, j), rows - j - 1, a.get(j, j));
                    }
                }
            }
        }
    }
}

/// Solves for rows k to k + K of some columns, with the unit lower triangle that is in columns k to k + K, and
/// eliminates them from the rows below.
///
/// # Safety
/// The CPU has the instructions, and the columns are later ones of the panel.
#[inline(always)]
pub(super) unsafe fn eliminate<N: Number, const K: usize>(
    a: Columns<N::Scalar>,
    k: usize,
    columns: Range<usize>,
    rows: usize,
) where
    N::Scalar: CpuScalar,
{
    // SAFETY: the caller's promise.
    unsafe { enter::<_, N>(Eliminate::<_, K> { a, k, columns, rows }) }
}

struct Eliminate<T, const K: usize> {
    a: Columns<T>,
    k: usize,
    columns: Range<usize>,
    rows: usize,
}

impl<T: CpuScalar, const K: usize> Routine for Eliminate<T, K> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        let Self { a, k, columns: Range { start: mut j, end }, rows } = self;
        let (below, len) = (k + K, rows - k - K);
        // SAFETY: the caller's promise.
        unsafe {
            let mut l = [a.at(below, k).cast_const(); K];
            for p in 0..K {
                l[p] = a.at(below, k + p);
            }
            // Two columns at a time, for which L is loaded once.
            while j + 2 <= end {
                let u = [solve::<N, K>(a, k, j), solve::<N, K>(a, k, j + 1)];
                subtract::<N, K, 2>([a.at(below, j), a.at(below, j + 1)], l, u, len);
                j += 2;
            }
            if j < end {
                subtract::<N, K, 1>([a.at(below, j)], l, [solve::<N, K>(a, k, j)], len);
            }
        }
    }
}

/// Solves for rows k to k + K of column j.
///
/// # Safety
/// As for [`eliminate`].
#[inline(always)]
unsafe fn solve<N: Number, const K: usize>(a: Columns<N::Scalar>, k: usize, j: usize) -> [N::Scalar; K]
where
    N::Scalar: CpuScalar,
{
    let mut u = [N::Scalar::ZERO; K];
    for q in 0..K {
        // SAFETY: the caller's promise.
        unsafe {
            u[q] = a.get(k + q, j);
            for p in 0..q {
                u[q] = sub_mul::<N>(u[q], u[p], a.get(k + q, k + p));
            }
            a.at(k + q, j).write(u[q]);
        }
    }
    u
}
