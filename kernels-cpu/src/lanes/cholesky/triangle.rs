//! The factorization of a block, left-looking: some columns at a time lose what all to their left have to do with them,
//! while they are in registers.

use std::ops::Range;

use numbers::scalar::Scalar;

use super::pivot::note;
use crate::lanes::block::Block;
use crate::lanes::number::Number;
use crate::lanes::quotient::Reciprocal;
use crate::lanes::subtract::subtract_tile;
use crate::lanes::vector::{Stage, Vector};

/// Rows that are worked on together.
pub(super) const ROWS: usize = 4;
/// Columns whose multiples are subtracted before others are looked at: more would lie in more pages than the CPU knows
/// at a time.
const CHUNK: usize = 64;

/// Overwrites the lower triangles with L, and the upper ones with L^H, and returns the statuses as reals.
///
/// # Safety
/// The lower triangles of the block have been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn factor<N: Number>(a: Block<N>, n: usize) -> N::Vector {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Factor { a, n }) }
}

struct Factor<N: Number> {
    a: Block<N>,
    /// Order of the matrices.
    n: usize,
}

impl<N: Number> Stage for Factor<N> {
    type Output = N::Vector;

    #[inline(always)]
    unsafe fn run(self) -> N::Vector {
        let Self { a, n } = self;
        // SAFETY: the caller's promise; columns are within the block.
        unsafe {
            let mut statuses = <N::Vector as Vector>::splat(Scalar::ZERO);
            let mut j = 0;
            while j < n {
                j += if N::COLUMNS >= 4 && n - j >= 4 {
                    columns::<N, 4>(a, n, j, &mut statuses);
                    4
                } else if N::COLUMNS >= 2 && n - j >= 2 {
                    columns::<N, 2>(a, n, j, &mut statuses);
                    2
                } else {
                    columns::<N, 1>(a, n, j, &mut statuses);
                    1
                };
            }
            statuses
        }
    }
}

/// Overwrites upper triangles with the conjugates of the lower ones, as [`factor`] leaves them; the diagonal becomes
/// real.
///
/// # Safety
/// As for [`factor`].
#[inline(always)]
pub(super) unsafe fn mirror<N: Number>(a: Block<N>, n: usize) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Mirror { a, n }) }
}

struct Mirror<N: Number> {
    a: Block<N>,
    /// Order of the matrices.
    n: usize,
}

impl<N: Number> Stage for Mirror<N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { a, n } = self;
        for j in 0..n {
            // SAFETY: the caller's promise.
            unsafe {
                a.set(j, j, N::from_real(a.get(j, j).real()));
                for i in j + 1..n {
                    a.set(j, i, a.get(i, j).conj());
                }
            }
        }
    }
}

/// What L^H has in some columns, on and above the diagonal.
struct Corner<N: Number, const C: usize> {
    /// `upper[c][d]` is element (d, c), above the diagonal.
    upper: [[N; C]; C],
    diagonal: [Reciprocal<N::Vector>; C],
}

/// Makes columns `j..j + C` those of L.
///
/// # Safety
/// As for [`factor`].
#[inline(always)]
unsafe fn columns<N: Number, const C: usize>(a: Block<N>, n: usize, j: usize, statuses: &mut N::Vector) {
    // SAFETY: the caller's promise.
    unsafe {
        let corner = corner::<N, C>(a, j, statuses);
        let first = j + C;
        let whole = n - (n - first) % ROWS;
        let mut start = 0;
        loop {
            let end = j.min(start + CHUNK);
            for i in (first..whole).step_by(ROWS) {
                rows::<N, ROWS, C>(a, i, j, start..end, &corner);
            }
            for i in whole..n {
                rows::<N, 1, C>(a, i, j, start..end, &corner);
            }
            if end == j {
                return;
            }
            start = end;
        }
    }
}

/// Factors the square on the diagonal.
///
/// # Safety
/// As for [`factor`].
#[inline(always)]
unsafe fn corner<N: Number, const C: usize>(a: Block<N>, j: usize, statuses: &mut N::Vector) -> Corner<N, C> {
    // SAFETY: the caller's promise.
    unsafe {
        // What is above the diagonal goes nowhere.
        let mut x = [[a.get(j, j); C]; C];
        for r in 1..C {
            for c in 0..r + 1 {
                x[r][c] = a.get(j + r, j + c);
            }
        }
        let mut x = subtract_tile(x, a, j, 0..j, j);
        let one = <N::Vector as Vector>::splat(Scalar::ONE);
        let mut corner = Corner { upper: [[x[0][0]; C]; C], diagonal: [Reciprocal::new(one); C] };
        for c in 0..C {
            let pivot = x[c][c].real();
            *statuses = note(*statuses, pivot, j + c);
            let root = pivot.sqrt();
            a.set(j + c, j + c, N::from_real(root));
            corner.diagonal[c] = Reciprocal::new(root);
            for r in c + 1..C {
                let l = x[r][c].divide_real(corner.diagonal[c]);
                corner.upper[r][c] = l.conj();
                a.set(j + r, j + c, l);
                a.set(j + c, j + r, l.conj());
                for q in c + 1..r + 1 {
                    x[r][q] = x[r][q].sub_mul(l, corner.upper[q][c]);
                }
            }
        }
        corner
    }
}

/// Subtracts what the columns `known` have to do with `R` rows from row i on, and completes these rows after the last
/// of such columns.
///
/// # Safety
/// As for [`factor`].
#[inline(always)]
unsafe fn rows<N: Number, const R: usize, const C: usize>(
    a: Block<N>,
    i: usize,
    j: usize,
    known: Range<usize>,
    corner: &Corner<N, C>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut x = [[a.get(i, j); C]; R];
        for r in 0..R {
            for c in 0..C {
                x[r][c] = a.get(i + r, j + c);
            }
        }
        let is_last = known.end == j;
        let mut x = subtract_tile(x, a, i, known, j);
        for r in 0..R {
            for c in 0..C {
                if is_last {
                    for d in 0..c {
                        x[r][c] = x[r][c].sub_mul(x[r][d], corner.upper[c][d]);
                    }
                    x[r][c] = x[r][c].divide_real(corner.diagonal[c]);
                    a.set(j + c, i + r, x[r][c].conj());
                }
                a.set(i + r, j + c, x[r][c]);
            }
        }
    }
}
