//! Inversion from LU factors (LAPACK `xGETRI`).

use super::view::{MatMut, MatRef};

use super::exchange::unswap_columns;
use super::params::Params;
use super::product::subtract_product;
use super::triangle::{Diagonal, Triangle};
use super::triangular::solve_triangular_right;
use crate::element::CpuScalar;

/// Order up to which the zeros of a triangle are multiplied, too.
pub(super) const DENSE: usize = 32;

/// Writes A^-1 = U^-1 L^-1 P from A's factors (`xGETRI`). The factors' status is 0: a zero on the diagonal of U makes
/// entries that are not finite.
///
/// As in LAPACK the left residual I - XA is small, also where A is ill-conditioned: each row x of X solves x A = e (Du
/// Croz and Higham 1992).
///
/// # Panics
/// If the shapes do not fit, or the matrices are not column-major.
pub(super) fn invert_with<T: CpuScalar>(lu: MatRef<'_, T>, pivots: &[u32], mut out: MatMut<'_, T>, params: Params) {
    let n = pivots.len();
    assert!(lu.shape() == (n, n) && out.shape() == (n, n), "invert needs square matrices and a pivot a row");
    out.fill(T::ZERO);
    invert_upper(lu, out.rb_mut(), params);
    solve_triangular_right(lu, Triangle::Lower, Diagonal::Unit, out.rb_mut(), params);
    unswap_columns(out, pivots);
}

/// Solves X U = I by halves (`xTRTRI`); X is all zeros before.
pub(super) fn invert_upper<T: CpuScalar>(u: MatRef<'_, T>, mut x: MatMut<'_, T>, params: Params) {
    let n = x.ncols();
    if n <= params.block.max(1) {
        x.fill_diagonal(T::ONE);
        return solve_triangular_right(u, Triangle::Upper, Diagonal::Stored, x, params);
    }
    let half = params.half(n);
    let (u11, u12, _, u22) = u.split_at(half, half);
    let (mut x11, mut x12, _, x22) = x.split_at_mut(half, half);
    params.join(
        || {
            invert_upper(u11, x11.rb_mut(), params);
            subtract_upper_product(x12.rb_mut(), x11.rb(), u12, params);
            solve_triangular_right(u22, Triangle::Upper, Diagonal::Stored, x12, params);
        },
        || invert_upper(u22, x22, params),
    );
}

/// `c -= t * b` with an upper triangle, which has zeros below.
pub(super) fn subtract_upper_product<T: CpuScalar>(
    c: MatMut<'_, T>,
    t: MatRef<'_, T>,
    b: MatRef<'_, T>,
    params: Params,
) {
    let n = t.nrows();
    if n <= DENSE {
        return subtract_product(c, t, b, params);
    }
    let half = params.half(n);
    let (t11, t12, _, t22) = t.split_at(half, half);
    let ((mut c1, c2), (b1, b2)) = (c.split_at_row_mut(half), b.split_at_row(half));
    params.join(
        || {
            subtract_upper_product(c1.rb_mut(), t11, b1, params);
            subtract_product(c1, t12, b2, params);
        },
        || subtract_upper_product(c2, t22, b2, params),
    );
}

#[cfg(test)]
mod tests {
    use crate::mat::Mat;
    use numbers::scalar::c64;

    use super::super::factor::factor;
    use super::super::testing::{
        Random, assert_small, bits, distance, elsewhere, for_all_types, huge, multiply, norm1, orders, real, roundoff,
        tiny, wide,
    };
    use super::super::testing::{blocks_of, by_columns};
    use super::*;

    /// Inverts with matrices of any strides.
    fn invert<T: CpuScalar>(lu: MatRef<'_, T>, pivots: &[u32], out: MatMut<'_, T>) {
        by_columns(out, |out| invert_with(lu.to_owned().as_ref(), pivots, out, blocks_of(BLOCK)));
    }

    const BLOCK: usize = 16;

    for_all_types!(
        random_matrices,
        ill_conditioned_matrices,
        large_ill_conditioned_matrices,
        tiny_blocks,
        subnormal_results,
        place_does_not_matter,
        threads_do_not_matter,
    );

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
        invert_with(lu.as_ref(), &pivots, x.as_mut(), blocks_of(block));
        let (a, x) = (wide(a.as_ref()), wide(x.as_ref()));
        let residual = distance(&multiply(&x, &a), &Mat::<c64>::identity(n));
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

    /// As large as those that come here, none of whose entries overflows.
    fn large_ill_conditioned_matrices<T: CpuScalar>() {
        for n in [129, 200] {
            let logarithms: Vec<_> = (0..2 * n)
                .scan(0.0, |sum, k| {
                    *sum += (k as f64).max(1.0).ln();
                    Some(*sum)
                })
                .collect();
            // Pascal's symmetric matrix, scaled so that its diagonal is 1.
            let pascal =
                |i: usize, j: usize| (logarithms[i + j] - f64::midpoint(logarithms[2 * i], logarithms[2 * j])).exp();
            let node = |i: usize| (std::f64::consts::PI * (i as f64 + 0.5) / n as f64).cos(); // Chebyshev's
            let vandermonde = |i: usize, j: usize| node(i).powi(j as i32);
            let hilbert = |i: usize, j: usize| 1.0 / (i + j + 1) as f64;
            for block in [BLOCK, Params::default().block] {
                check(&Mat::from_fn(n, n, |i, j| real::<T>(pascal(i, j))), block);
                check(&Mat::from_fn(n, n, |i, j| real::<T>(vandermonde(i, j))), block);
                check(&Mat::from_fn(n, n, |i, j| real::<T>(hilbert(i, j))), block);
            }
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

    fn threads_do_not_matter<T: CpuScalar>() {
        let n = 500;
        let (lu, pivots) = factored(&Random(5).matrix::<T>(n, n));
        let [one, many] = [false, true].map(|parallel| {
            let mut x = Mat::zeros(n, n);
            invert_with(lu.as_ref(), &pivots, x.as_mut(), Params { parallel, ..Params::default() });
            bits(x.as_ref())
        });
        assert!(one == many);
    }
}
