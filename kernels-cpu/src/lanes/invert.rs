//! Inversion from LU factors in place (LAPACK `xGETRI`): X U = I, then X L = that.
//!
//! Rows of X solve triangular systems, so X is a good left inverse of LU however ill-conditioned it is.

use std::ops::Range;

use numbers::scalar::Scalar;

use super::block::Block;
use super::number::{Mask, Number};
use super::subtract::{ByColumns, by_columns, subtract_tile};
use super::vector::{Stage, Vector};

/// Overwrites the factors in the first n columns with U^-1 L^-1 and says in which lanes that is finite; the next
/// [`Number::COLUMNS`] are room.
///
/// # Safety
/// The block has that room, its matrix has been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn invert<N: Number>(a: Block<N>, n: usize) -> Mask<N> {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Invert { a, n }) }
}

struct Invert<N: Number> {
    a: Block<N>,
    /// Order of the matrices.
    n: usize,
}

impl<N: Number> Stage for Invert<N> {
    type Output = Mask<N>;

    #[inline(always)]
    unsafe fn run(self) -> Mask<N> {
        // SAFETY: the caller's promise.
        unsafe {
            upper(self.a, self.n);
            lower(self.a, self.n)
        }
    }
}

/// Rows of X that are worked on together.
const ROWS: usize = 4;
/// Columns of X whose multiples are subtracted before others are looked at: more would lie in more pages than the CPU
/// knows at a time.
const CHUNK: usize = 64;

/// Overwrites U with U^-1: column j of X, times `U[j][j]`, is that of I less the columns to its left times what U has
/// above the diagonal, from the left.
///
/// # Safety
/// As for [`invert`].
#[inline(always)]
pub(super) unsafe fn upper<N: Number>(a: Block<N>, n: usize) {
    // SAFETY: the caller's promise.
    unsafe { by_columns(0..n, &Upper { a }) }
}

struct Upper<N: Number> {
    a: Block<N>,
}

impl<N: Number> ByColumns<N> for Upper<N> {
    #[inline(always)]
    unsafe fn run<const C: usize>(&self, j: usize) {
        // SAFETY: the caller's promise.
        unsafe { upper_columns::<N, C>(self.a, j) }
    }
}

/// What U has on and above the diagonal in some columns.
struct Triangle<N: Number, const C: usize> {
    u: [[N; C]; C],
    diagonal: [N::Reciprocal; C],
}

impl<N: Number, const C: usize> Triangle<N, C> {
    /// Completes a row of X in these columns, where the first `first` are none of U's.
    #[inline(always)]
    fn complete(&self, mut x: [N; C], first: usize) -> [N; C] {
        for c in 0..C {
            if c >= first {
                for d in 0..c {
                    if d >= first {
                        x[c] = x[c].sub_mul(x[d], self.u[c][d]);
                    }
                }
                x[c] = x[c].divide_by(self.diagonal[c]);
            }
        }
        x
    }
}

/// Makes columns `j..j + C`, down to the diagonal, those of X.
///
/// # Safety
/// As for [`invert`].
#[inline(always)]
unsafe fn upper_columns<N: Number, const C: usize>(a: Block<N>, j: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let (zero, one) = (N::splat(N::Scalar::ZERO), N::splat(N::Scalar::ONE));
        let mut triangle = Triangle { u: [[zero; C]; C], diagonal: [one.reciprocal(); C] };
        for c in 0..C {
            for d in 0..c {
                triangle.u[c][d] = a.get(j + d, j + c);
            }
            triangle.diagonal[c] = a.get(j + c, j + c).reciprocal();
        }
        // Rows are overwritten from the top: those below still have what they have of U.
        for start in (0..j).step_by(CHUNK) {
            let end = j.min(start + CHUNK);
            let whole = end - end % ROWS;
            for i in (0..whole).step_by(ROWS) {
                upper_tile::<N, ROWS, C>(a, i, j, start..end, &triangle);
            }
            for i in whole..end {
                upper_tile::<N, 1, C>(a, i, j, start..end, &triangle);
            }
        }
        for r in 0..C {
            let mut x = [zero; C];
            x[r] = one;
            let x = triangle.complete(x, r);
            for c in r..C {
                a.set(j + r, j + c, x[c]);
            }
        }
    }
}

/// Subtracts what the columns `known` of X have to do with `R` rows of [`upper_columns`] from row i on, and completes
/// these rows after the last of such columns. Rows begin with zeros.
///
/// # Safety
/// As for [`invert`].
#[inline(always)]
unsafe fn upper_tile<N: Number, const R: usize, const C: usize>(
    a: Block<N>,
    i: usize,
    j: usize,
    known: Range<usize>,
    triangle: &Triangle<N, C>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut x = [[N::splat(N::Scalar::ZERO); C]; R];
        let mut first = known.start;
        if i < first {
            for r in 0..R {
                for c in 0..C {
                    x[r][c] = a.get(i + r, j + c);
                }
            }
        } else {
            for p in 0..R {
                for c in 0..C {
                    let u = a.get(i + p, j + c);
                    for r in 0..p + 1 {
                        x[r][c] = x[r][c].sub_mul(a.get(i + r, i + p), u);
                    }
                }
            }
            first = i + R;
        }
        let mut x = subtract_tile(x, a, i, first..known.end, j);
        for r in 0..R {
            if known.end == j {
                x[r] = triangle.complete(x[r], 0);
            }
            for c in 0..C {
                a.set(i + r, j + c, x[r][c]);
            }
        }
    }
}

/// Overwrites Y = U^-1 and L with X, where X L = Y: column j of X is that of Y less the columns to its right times what
/// L has below the diagonal, from the right. Says in which lanes X is finite.
///
/// # Safety
/// As for [`invert`].
#[inline(always)]
unsafe fn lower<N: Number>(a: Block<N>, n: usize) -> Mask<N> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut finite = a.is_finite(n, n..n);
        let mut end = n;
        while end > 0 {
            let start = if N::COLUMNS >= 4 && end >= 4 {
                lower_columns::<N, 4>(a, end - 4, n);
                end - 4
            } else if N::COLUMNS >= 2 && end >= 2 {
                lower_columns::<N, 2>(a, end - 2, n);
                end - 2
            } else {
                lower_columns::<N, 1>(a, end - 1, n);
                end - 1
            };
            finite = N::Vector::both(finite, a.is_finite(n, start..end));
            end = start;
        }
        finite
    }
}

/// Makes columns `j..j + C` those of X. What they have of L moves to the columns after the matrix: shape (C, n).
///
/// # Safety
/// As for [`invert`].
#[inline(always)]
unsafe fn lower_columns<N: Number, const C: usize>(a: Block<N>, j: usize, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let zero = N::splat(N::Scalar::ZERO);
        for c in 0..C {
            for k in j + c + 1..n {
                a.set(k, n + c, a.get(k, j + c));
                a.set(k, j + c, zero);
            }
        }
        let whole = n - n % ROWS;
        let mut end = n;
        loop {
            let start = end.saturating_sub(CHUNK).max(j + C);
            for i in (0..whole).step_by(ROWS) {
                lower_tile::<N, ROWS, C>(a, i, j, n, start..end);
            }
            for i in whole..n {
                lower_tile::<N, 1, C>(a, i, j, n, start..end);
            }
            if start == j + C {
                return;
            }
            end = start;
        }
    }
}

/// Subtracts the multiples of the columns `known` of X from `R` rows of [`lower_columns`] from row i on, and completes
/// these rows after the last of such columns.
///
/// # Safety
/// As for [`invert`].
#[inline(always)]
unsafe fn lower_tile<N: Number, const R: usize, const C: usize>(
    a: Block<N>,
    i: usize,
    j: usize,
    n: usize,
    known: Range<usize>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut x = [[a.get(i, j); C]; R];
        for r in 0..R {
            for c in 0..C {
                x[r][c] = a.get(i + r, j + c);
            }
        }
        let mut x = subtract_tile(x, a, i, known.clone().rev(), n);
        if known.start == j + C {
            for c in (0..C).rev() {
                for d in (c + 1..C).rev() {
                    let l = a.get(j + d, n + c);
                    for r in 0..R {
                        x[r][c] = x[r][c].sub_mul(x[r][d], l);
                    }
                }
            }
        }
        for r in 0..R {
            for c in 0..C {
                a.set(i + r, j + c, x[r][c]);
            }
        }
    }
}
