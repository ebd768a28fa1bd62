//! Small triangular systems X T = B: rows of X are side by side in vectors.

#![expect(clippy::needless_range_loop, reason = "numbers of rows, columns and lanes are what the formulas have")]

use std::ops::Range;

use super::view::{MatMut, MatRef};
use numbers::scalar::Scalar;

use super::columns::{BLOCK, Columns, divide, subtract, with_columns};
use super::lanes::{Isa, Number, Routine, enter};
use super::triangle::{Diagonal, Triangle};
use crate::element::CpuScalar;

/// Rows that are worked on together: they stay in the cache next to the core.
const ROWS: usize = 64;

/// Overwrites B with the solution of X T = B.
///
/// # Panics
/// If the shapes do not fit, or the matrices are not column-major.
pub(super) fn substitute_right<T: CpuScalar>(
    isa: Isa,
    t: MatRef<'_, T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: MatMut<'_, T>,
) {
    let (rows, n) = b.shape();
    assert!(t.shape() == (n, n), "a triangle is as wide as the right sides");
    // SAFETY: the matrices are borrowed.
    unsafe { isa.run(FromRight { t: Columns::of(t), triangle, diagonal, b: Columns::of_mut(b), n, rows }) }
}

struct FromRight<T> {
    t: Columns<T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: Columns<T>,
    n: usize,
    rows: usize,
}

impl<T: CpuScalar> Routine for FromRight<T> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        let Self { t, triangle, diagonal, b, n, rows } = self;
        let count = n.div_ceil(BLOCK);
        for row in (0..rows).step_by(ROWS) {
            let len = ROWS.min(rows - row);
            // SAFETY: the caller's promise.
            unsafe {
                for step in 0..count {
                    let block = if triangle == Triangle::Upper { step } else { count - 1 - step };
                    let (first, end) = (block * BLOCK, n.min(block * BLOCK + BLOCK));
                    let known = if triangle == Triangle::Upper { 0..first } else { end..n };
                    for k in known.clone().step_by(BLOCK) {
                        with_columns!(known.end - k, multiply::<N>(t, b, k, first..end, row, len));
                    }
                    for step in 0..end - first {
                        let j = if triangle == Triangle::Upper { first + step } else { end - 1 - step };
                        let k = if triangle == Triangle::Upper { first } else { j + 1 };
                        with_columns!(step, multiply::<N>(t, b, k, j..j + 1, row, len));
                        if diagonal == Diagonal::Stored {
                            divide::<N>(b.at(row, j), len, t.get(j, j));
                        }
                    }
                }
            }
        }
    }
}

/// Subtracts columns k to k + K, times what `t` has for them, from some columns.
///
/// # Safety
/// The CPU has the instructions, the elements may be read, those of the columns written, and `t` is elsewhere.
#[inline(always)]
unsafe fn multiply<N: Number, const K: usize>(
    t: Columns<N::Scalar>,
    b: Columns<N::Scalar>,
    k: usize,
    columns: Range<usize>,
    row: usize,
    len: usize,
) where
    N::Scalar: CpuScalar,
{
    // SAFETY: the caller's promise.
    unsafe { enter::<_, N>(Multiply::<_, K> { t, b, k, columns, row, len }) }
}

struct Multiply<T, const K: usize> {
    t: Columns<T>,
    b: Columns<T>,
    k: usize,
    columns: Range<usize>,
    row: usize,
    len: usize,
}

impl<T: CpuScalar, const K: usize> Routine for Multiply<T, K> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        let Self { t, b, k, columns: Range { start: mut j, end }, row, len } = self;
        // SAFETY: the caller's promise.
        unsafe {
            let mut x = [b.at(row, k).cast_const(); K];
            for q in 0..K {
                x[q] = b.at(row, k + q);
            }
            // Two columns at a time, for which X is loaded once.
            while j + 2 <= end {
                let factors = [factors::<N, K>(t, k, j), factors::<N, K>(t, k, j + 1)];
                subtract::<N, K, 2>([b.at(row, j), b.at(row, j + 1)], x, factors, len);
                j += 2;
            }
            if j < end {
                subtract::<N, K, 1>([b.at(row, j)], x, [factors::<N, K>(t, k, j)], len);
            }
        }
    }
}

/// Rows k to k + K of column j.
///
/// # Safety
/// They may be read.
#[inline(always)]
unsafe fn factors<N: Number, const K: usize>(t: Columns<N::Scalar>, k: usize, j: usize) -> [N::Scalar; K]
where
    N::Scalar: CpuScalar,
{
    let mut factors = [N::Scalar::ZERO; K];
    for q in 0..K {
        // SAFETY: the caller's promise.
        factors[q] = unsafe { t.get(k + q, j) };
    }
    factors
}
