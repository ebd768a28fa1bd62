//! Inversion from LU factors (LAPACK `xGETRI`).

use faer::{Mat, MatMut, MatRef};

use super::CpuScalar;
use super::compact::transposed;
use super::factor::unswap_rows;
use super::solve::BLOCK;
use super::triangular::{Diagonal, Triangle, solve_triangular};

/// Columns of U^-T that are computed together. Above their first one it has zeros, which take no time.
const COLUMNS: usize = 64;

/// Writes A^-1 = U^-1 L^-1 P from A's factors (`xGETRI`). The factors' status is 0: a zero on the diagonal of U makes
/// entries that are not finite.
///
/// As in LAPACK the left residual I - XA is small, also where A is ill-conditioned: each row x of X solves x A = e (Du Croz and
/// Higham 1992).
///
/// # Panics
/// If the shapes do not fit.
pub(crate) fn invert<T: CpuScalar>(lu: MatRef<'_, T>, pivots: &[u32], out: MatMut<'_, T>) {
    invert_with(lu, pivots, out, BLOCK);
}

pub(super) fn invert_with<T: CpuScalar>(lu: MatRef<'_, T>, pivots: &[u32], mut out: MatMut<'_, T>, block: usize) {
    let n = pivots.len();
    assert!(lu.shape() == (n, n) && out.shape() == (n, n), "invert needs square matrices and a pivot a row");
    let lu = transposed(lu, |x| x);
    let mut rows = Mat::<T>::identity(n, n); // X^T in the end
    for first in (0..n).step_by(COLUMNS) {
        let (rest, count) = (n - first, COLUMNS.min(n - first));
        let (u, part) = (lu.submatrix(first, first, rest, rest), rows.submatrix_mut(first, first, rest, count));
        solve_triangular(u, Triangle::Lower, Diagonal::Stored, part, block);
    }
    solve_triangular(lu.as_ref(), Triangle::Upper, Diagonal::Unit, rows.as_mut(), block);
    unswap_rows(rows.as_mut(), pivots);
    out.copy_from(rows.transpose());
}

#[cfg(test)]
mod tests {
    use faer::Mat;
    use faer::prelude::{Reborrow, ReborrowMut};
    use kernels_gpu::scalar::c64;

    use super::super::factor::factor;
    use super::super::testing::{
        Random, assert_small, bits, distance, elsewhere, for_all_types, huge, multiply, norm1, orders, real, roundoff,
        tiny, wide,
    };
    use super::*;

    for_all_types!(random_matrices, ill_conditioned_matrices, tiny_blocks, subnormal_results, place_does_not_matter);

    fn factored<T: CpuScalar>(a: &Mat<T>) -> (Mat<T>, Vec<u32>) {
        let (mut lu, mut pivots) = (a.clone(), vec![0; a.nrows()]);
        factor(lu.as_mut(), &mut pivots);
        (lu, pivots)
    }

    /// `||I - XA|| / (n ||A|| ||X|| u)` (`xGET03`). What is in `out` before does not matter.
    fn check<T: CpuScalar>(a: &Mat<T>, block: usize) {
        let n = a.nrows();
        let (lu, pivots) = factored(a);
        let mut x = Mat::from_fn(n, n, |_, _| T::NAN);
        invert_with(lu.as_ref(), &pivots, x.as_mut(), block);
        let (a, x) = (wide(a.as_ref()), wide(x.as_ref()));
        let residual = distance(&multiply(&x, &a), &Mat::<c64>::identity(n, n));
        let scale = n as f64 * norm1(&a) * norm1(&x) * roundoff::<T>();
        assert_small(residual, scale, &format!("n = {n}, blocks of {block}"));
    }

    fn random_matrices<T: CpuScalar>() {
        let mut random = Random(1);
        for n in orders() {
            check(&random.matrix::<T>(n, n), BLOCK);
        }
    }

    /// The right residual of these is lost.
    fn ill_conditioned_matrices<T: CpuScalar>() {
        for n in [5, 8, 12] {
            check(&Mat::from_fn(n, n, |i, j| real::<T>(1.0 / (i + j + 1) as f64)), BLOCK); // Hilbert
            check(&Mat::from_fn(n, n, |i, j| real::<T>(1.0 / (i as f64 + 2.0 * j as f64 + 1.5))), BLOCK); // Cauchy
        }
        for n in [20, 60] {
            // Wilkinson's, whose last column doubles with each step.
            let wilkinson = |i: usize, j: usize| {
                if j == n - 1 || i == j {
                    1.0
                } else if i > j {
                    -1.0
                } else {
                    0.0
                }
            };
            let mut random = Random(4);
            check(&Mat::from_fn(n, n, |i, j| real::<T>(wilkinson(i, j) * (1.0 + random.real() / 8.0))), BLOCK);
        }
    }

    fn tiny_blocks<T: CpuScalar>() {
        let mut random = Random(2);
        for n in (0..=12).chain([31, 64]) {
            for block in [0, 1, 2, 3, 5, 1000] {
                check(&random.matrix::<T>(n, n), block);
            }
        }
    }

    fn subnormal_results<T: CpuScalar>() {
        // The largest power of two, whose inverse is subnormal; and back.
        let large = (1.0 / tiny::<T>()).min(huge::<T>()).log2().floor().exp2();
        for n in [1, 2, 9, 20] {
            for x in [large, 1.0 / large] {
                let reversal = |x| Mat::from_fn(n, n, |i, j| if i + j + 1 == n { real::<T>(x) } else { T::ZERO });
                let (lu, pivots) = factored(&reversal(x));
                let mut inverse = Mat::zeros(n, n);
                invert(lu.as_ref(), &pivots, inverse.as_mut());
                assert_eq!(inverse, reversal(1.0 / x));
            }
        }
    }

    fn place_does_not_matter<T: CpuScalar>() {
        let mut random = Random(3);
        for n in [1, 9, 33, 100] {
            let (lu, pivots) = factored(&random.matrix::<T>(n, n));
            let mut x = Mat::zeros(n, n);
            invert(lu.as_ref(), &pivots, x.as_mut());
            let outputs = elsewhere(lu.as_ref(), |mut out| {
                invert(lu.as_ref(), &pivots, out.rb_mut());
                bits(out.rb())
            });
            let inputs = elsewhere(lu.as_ref(), |lu| {
                let mut x = Mat::zeros(n, n);
                invert(lu.rb(), &pivots, x.as_mut());
                bits(x.as_ref())
            });
            assert!(outputs.into_iter().chain(inputs).all(|y| y == bits(x.as_ref())), "n = {n}");
        }
    }
}
