//! W W^H of an upper triangle W, in place (LAPACK `xLAUUM`): with W = L^-H, the inverse of L L^H.

use numbers::scalar::Scalar;

use super::triangle::ROWS;
use crate::lanes::block::Block;
use crate::lanes::number::{Mask, Number};
use crate::lanes::vector::Vector;

/// Overwrites the matrices, whose upper triangles are W, with W W^H, and says in which lanes that is finite. Elements
/// are sums in the order of W's columns.
///
/// Rows are worked on from the first to the last: what they become takes the place of columns of W that no later row
/// needs, and of what is below the diagonal.
///
/// # Safety
/// The upper triangles of the block have been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn gram<N: Number>(a: Block<N>, n: usize) -> Mask<N> {
    let whole = n - n % ROWS;
    // SAFETY: the caller's promise.
    unsafe {
        let mut finite = a.is_finite(n, n..n);
        for i in (0..whole).step_by(ROWS) {
            finite = N::Vector::both(finite, rows::<N, ROWS>(a, n, i));
        }
        for i in whole..n {
            finite = N::Vector::both(finite, rows::<N, 1>(a, n, i));
        }
        finite
    }
}

/// `R` rows from row i on, up to the diagonal, and the columns that they are the conjugates of.
///
/// # Safety
/// As for [`gram`].
#[inline(always)]
unsafe fn rows<N: Number, const R: usize>(a: Block<N>, n: usize, i: usize) -> Mask<N> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sum = <N::Vector as Vector>::splat(Scalar::ZERO);
        let mut j = 0;
        while j < i {
            j += if N::COLUMNS >= 4 && i - j >= 4 {
                sum = put(a, i, j, &tile::<N, R, 4>(a, n, i, j), sum);
                4
            } else if N::COLUMNS >= 2 && i - j >= 2 {
                sum = put(a, i, j, &tile::<N, R, 2>(a, n, i, j), sum);
                2
            } else {
                sum = put(a, i, j, &tile::<N, R, 1>(a, n, i, j), sum);
                1
            };
        }
        // The square on the diagonal last: the others need what W has there.
        sum = put(a, i, i, &tile::<N, R, R>(a, n, i, i), sum);
        sum.equal(sum)
    }
}

/// Rows `i..i + R` of columns `j..j + C`, which end before row i or begin with it.
///
/// # Safety
/// As for [`gram`].
#[inline(always)]
unsafe fn tile<N: Number, const R: usize, const C: usize>(a: Block<N>, n: usize, i: usize, j: usize) -> [[N; C]; R] {
    // SAFETY: the caller's promise.
    unsafe {
        let (zero, one) = (N::splat(N::Scalar::ZERO), N::splat(N::Scalar::ONE));
        let mut x = [[zero; C]; R];
        for p in 0..R {
            for c in 0..C {
                if j + c <= i + p {
                    let factor = a.get(j + c, i + p).conj();
                    for r in 0..p + 1 {
                        x[r][c] = x[r][c].sub_mul(a.get(i + r, i + p), factor);
                    }
                }
            }
        }
        for k in i + R..n {
            let mut y = [zero; R];
            for r in 0..R {
                y[r] = a.get(i + r, k);
            }
            for c in 0..C {
                let factor = a.get(j + c, k).conj();
                for r in 0..R {
                    x[r][c] = x[r][c].sub_mul(y[r], factor);
                }
            }
        }
        // What was subtracted from nothing is the negative.
        for r in 0..R {
            for c in 0..C {
                x[r][c] = zero.sub_mul(x[r][c], one);
            }
        }
        x
    }
}

/// Writes a tile, below the diagonal and above, and returns `sum`, which becomes NaN where it is not finite.
///
/// # Safety
/// As for [`gram`].
#[inline(always)]
unsafe fn put<N: Number, const R: usize, const C: usize>(
    a: Block<N>,
    i: usize,
    j: usize,
    x: &[[N; C]; R],
    mut sum: N::Vector,
) -> N::Vector {
    for r in 0..R {
        for c in 0..C {
            // SAFETY: the caller's promise.
            unsafe {
                if i + r == j + c {
                    a.set(i + r, i + r, N::from_real(x[r][c].real()));
                    sum = N::from_real(x[r][c].real()).probe(sum);
                } else if i + r > j + c {
                    a.set(i + r, j + c, x[r][c]);
                    a.set(j + c, i + r, x[r][c].conj());
                    sum = x[r][c].probe(sum);
                }
            }
        }
    }
    sum
}
