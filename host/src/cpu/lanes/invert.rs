//! Inversion from LU factors in place (LAPACK `xGETRI`): X U = I, then X L = that.
//!
//! Rows of X solve triangular systems, so X is a good left inverse of LU however ill-conditioned it is.

use kernels_gpu::scalar::Scalar;

use super::block::Block;
use super::number::Number;
use super::subtract::{ByColumns, PANEL, by_columns, subtract};
use super::vector::{Stage, Vector};

/// Overwrites the factors in the first n columns with U^-1 L^-1; the next [`Number::COLUMNS`] are room.
///
/// # Safety
/// The block has that room, its matrix has been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn invert<N: Number>(a: Block<N>, n: usize) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Invert { a, n }) }
}

struct Invert<N: Number> {
    a: Block<N>,
    /// Order of the matrices.
    n: usize,
}

impl<N: Number> Stage for Invert<N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller's promise.
        unsafe {
            upper(self.a, self.n);
            lower(self.a, self.n);
        }
    }
}

/// Overwrites U with U^-1: column j of X, times `U[j][j]`, is that of I less the columns to its left times what U has above the
/// diagonal, from the left.
///
/// # Safety
/// As for [`invert`].
#[inline(always)]
unsafe fn upper<N: Number>(a: Block<N>, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let (zero, one) = (N::splat(N::Scalar::ZERO), N::splat(N::Scalar::ONE));
        for start in (0..n).step_by(PANEL) {
            let end = n.min(start + PANEL);
            for j in start..end {
                for k in start..j {
                    let u = a.get(k, j);
                    a.set(k, j, zero);
                    subtract(a, 0..k + 1, [k], j, &[[u]]);
                }
                let divisor = a.get(j, j).divisor();
                for i in 0..j {
                    a.set(i, j, a.get(i, j).divide(divisor));
                }
                a.set(j, j, one.divide(divisor));
            }
            if end < n {
                by_columns(end..n, &Upper { a, start });
            }
        }
    }
}

/// Subtracts a panel of U^-1 from columns to its right.
struct Upper<N: Number> {
    a: Block<N>,
    /// The panel's first column.
    start: usize,
}

impl<N: Number> ByColumns<N> for Upper<N> {
    #[inline(always)]
    unsafe fn run<const C: usize>(&self, j: usize) {
        let Self { a, start } = *self;
        let from = [start, start + 1, start + 2, start + 3];
        // SAFETY: the caller's promise.
        unsafe {
            let mut u = [[a.get(start, j); C]; PANEL];
            for p in 0..PANEL {
                for c in 0..C {
                    u[p][c] = a.get(start + p, j + c);
                }
            }
            subtract(a, 0..start, from, j, &u);
            // In the panel's rows, X begins with zeros, and the panel is a triangle.
            for r in 0..PANEL {
                let mut x = [N::splat(N::Scalar::ZERO); C];
                for p in r..PANEL {
                    let y = a.get(start + r, start + p);
                    for c in 0..C {
                        x[c] = x[c].sub_mul(y, u[p][c]);
                    }
                }
                for c in 0..C {
                    a.set(start + r, j + c, x[c]);
                }
            }
        }
    }
}

/// Overwrites Y = U^-1 and L with X, where X L = Y: column j of X is that of Y less the columns to its right times what L has
/// below the diagonal, from the right.
///
/// # Safety
/// As for [`invert`].
#[inline(always)]
unsafe fn lower<N: Number>(a: Block<N>, n: usize) {
    let mut end = n;
    while end > 0 {
        // SAFETY: the caller's promise.
        end -= unsafe {
            if N::COLUMNS >= 4 && end >= 4 {
                lower_columns::<N, 4>(a, end - 4, n);
                4
            } else if N::COLUMNS >= 2 && end >= 2 {
                lower_columns::<N, 2>(a, end - 2, n);
                2
            } else {
                lower_columns::<N, 1>(a, end - 1, n);
                1
            }
        };
    }
}

/// Rows of X that are worked on together.
const ROWS: usize = 4;

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
        for i in (0..whole).step_by(ROWS) {
            lower_tile::<N, ROWS, C>(a, i, j, n);
        }
        for i in whole..n {
            lower_tile::<N, 1, C>(a, i, j, n);
        }
    }
}

/// Makes `R` rows of [`lower_columns`] from row i on those of X.
///
/// # Safety
/// As for [`invert`].
#[inline(always)]
unsafe fn lower_tile<N: Number, const R: usize, const C: usize>(a: Block<N>, i: usize, j: usize, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut x = [[a.get(i, j); R]; C];
        for c in 0..C {
            for r in 0..R {
                x[c][r] = a.get(i + r, j + c);
            }
        }
        for k in (j + C..n).rev() {
            let mut known = [a.get(i, k); R];
            for r in 1..R {
                known[r] = a.get(i + r, k);
            }
            for c in 0..C {
                let l = a.get(k, n + c);
                for r in 0..R {
                    x[c][r] = x[c][r].sub_mul(known[r], l);
                }
            }
        }
        for c in (0..C).rev() {
            for d in (c + 1..C).rev() {
                let l = a.get(j + d, n + c);
                for r in 0..R {
                    x[c][r] = x[c][r].sub_mul(x[d][r], l);
                }
            }
        }
        for c in 0..C {
            for r in 0..R {
                a.set(i + r, j + c, x[c][r]);
            }
        }
    }
}
