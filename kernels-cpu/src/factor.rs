//! LU with partial pivoting (LAPACK `xGETRF`).

use super::view::{MatMut, MatRef};
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;

use super::look_ahead;
use super::params::Params;
use super::recursive::recurse;
use crate::element::CpuScalar;

/// Factors PA = LU in place (`xGETRF`): `pivots[k]` is the row, from 0, that row k was exchanged with.
///
/// Returns LAPACK's `info`: k > 0 when `U[k-1][k-1]` is the first exact zero on the diagonal (the factorization is
/// complete all the same), else 0; but [`NON_FINITE`] when any entry of the factors is NaN or infinite.
///
/// # Panics
/// If `a` is not square and column-major or `pivots` is not of its order.
pub(super) fn factor_with<T: CpuScalar>(mut a: MatMut<'_, T>, pivots: &mut [u32], params: Params) -> i32 {
    assert!(a.nrows() == a.ncols() && a.nrows() == pivots.len(), "factor needs a square matrix and a pivot a row");
    if params.parallel && pivots.len() > look_ahead::WIDTH {
        look_ahead::factor(a.rb_mut(), pivots, params);
    } else {
        recurse(a.rb_mut(), pivots, Params { parallel: false, ..params });
    }
    status(a.rb())
}

/// Factors a matrix of any strides.
#[cfg(test)]
pub(crate) fn factor<T: CpuScalar>(a: MatMut<'_, T>, pivots: &mut [u32]) -> i32 {
    super::testing::by_columns(a, |a| factor_with(a, pivots, Params::default()))
}

/// What the diagonal of U tells. It is not finite where any element is not: one of L makes the rest of its row so, in
/// which there is an element of the diagonal, and one of U what is below it in its column, as sums stay infinite or NaN
/// once they are.
fn status<T: CpuScalar>(lu: MatRef<'_, T>) -> i32 {
    let diagonal = || (0..lu.nrows()).map(|k| lu[(k, k)]);
    if !diagonal().all(Scalar::is_finite) {
        return NON_FINITE;
    }
    diagonal().position(|u| u == T::ZERO).map_or(0, |k| k as i32 + 1)
}

#[cfg(test)]
mod tests {
    use crate::mat::Mat;
    use numbers::scalar::c64;

    use super::super::lanes::Isa;
    use super::super::testing::{
        Random, assert_factors, bits, elsewhere, for_all_types, huge, is_complex, orders, params, real, tiny,
    };
    use super::*;

    for_all_types!(
        random_matrices,
        tiny_panels_and_blocks,
        ties_take_the_first,
        zero_columns,
        non_finite_entries,
        subnormal_pivots,
        place_does_not_matter,
        threads_do_not_matter,
        vectors_do_not_matter,
    );

    /// Factors a copy, checks it and returns all.
    fn factored<T: CpuScalar>(a: &Mat<T>, params: Params) -> (Mat<T>, Vec<u32>, i32) {
        let (mut lu, mut pivots) = (a.clone(), vec![u32::MAX; a.nrows()]);
        let status = factor_with(lu.as_mut(), &mut pivots, params);
        if status != NON_FINITE {
            assert_factors(a.as_ref(), lu.as_ref(), &pivots, &format!("n = {}, {params:?}", a.nrows()));
        }
        (lu, pivots, status)
    }

    fn random_matrices<T: CpuScalar>() {
        let mut random = Random(1);
        for n in orders() {
            let (lu, _, status) = factored(&random.matrix::<T>(n, n), Params::default());
            assert_eq!(status, 0);
            // Partial pivoting keeps multipliers small: |re| + |im| of a quotient is at most sqrt(2) * sqrt(2).
            for j in 0..n {
                assert!((j + 1..n).all(|i| lu[(i, j)].to_c64().norm() < 1.5));
            }
        }
    }

    fn tiny_panels_and_blocks<T: CpuScalar>() {
        let mut random = Random(2);
        for n in (0..=20).chain([33, 64, 67]) {
            let a = random.matrix::<T>(n, n);
            let pivots: Vec<_> = params().map(|params| factored(&a, params).1).collect();
            assert!(pivots.iter().all(|p| *p == pivots[0]), "n = {n}");
        }
    }

    fn ties_take_the_first<T: CpuScalar>() {
        for params in params() {
            // Rows in order of size, all as large as the next by |re| + |im|.
            let one = T::from_c64(c64::new(0.5, if is_complex::<T>() { 0.5 } else { 0.0 }));
            let two = real::<T>(one.to_c64().re + one.to_c64().im);
            let a = Mat::from_fn(3, 3, |i, j| if j == 0 { [T::ZERO, one, -two][i] } else { real((i * j) as f64) });
            assert_eq!(factored(&a, params).1[0], 1);
            // All the same: each column after the first is zero.
            let (_, pivots, status) = factored(&Mat::from_fn(9, 9, |_, _| T::ONE), params);
            assert_eq!((pivots, status), ((0..9).collect(), 2));
        }
    }

    fn zero_columns<T: CpuScalar>() {
        let mut random = Random(3);
        for params in params() {
            for n in [1, 2, 5, 16, 31, 40] {
                for zero in [0, n / 2, n - 1] {
                    let mut a = random.matrix::<T>(n, n);
                    (0..n).for_each(|i| a[(i, zero)] = T::ZERO);
                    assert_eq!(factored(&a, params).2, zero as i32 + 1, "n = {n}");
                }
                let (lu, pivots, status) = factored(&Mat::<T>::zeros(n, n), params);
                assert_eq!((lu, pivots, status), (Mat::zeros(n, n), (0..n as u32).collect(), 1));
            }
        }
    }

    fn non_finite_entries<T: CpuScalar>() {
        let mut random = Random(4);
        for params in params() {
            for n in [1, 2, 3, 10, 33] {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    for (i, j) in [(0, 0), (n - 1, 0), (0, n - 1), (n / 2, n / 2), (n - 1, n - 1)] {
                        let mut a = random.matrix::<T>(n, n);
                        // A zero column as well: not being finite is what is told.
                        (0..n).for_each(|i| a[(i, n / 3)] = T::ZERO);
                        a[(i, j)] = real(bad);
                        let (_, pivots, status) = factored(&a, params);
                        assert_eq!(status, NON_FINITE);
                        assert!(pivots.iter().enumerate().all(|(k, &p)| (k..n).contains(&(p as usize))));
                    }
                }
            }
        }
        // A NaN counts as 0.
        for params in params() {
            for column in [[T::NAN, T::ONE, T::ZERO, T::NAN], [T::ZERO, T::ONE, T::NAN, T::NAN]] {
                let mut a = Mat::from_fn(4, 4, |i, _| column[i]);
                let mut pivots = [0; 4];
                factor_with(a.as_mut(), &mut pivots, params);
                assert_eq!(pivots[0], 1);
            }
        }
        // Overflow on the way.
        let huge = real::<T>(huge::<T>());
        assert_eq!(factored(&Mat::of([[huge, huge], [-huge, huge]]), Params::default()).2, NON_FINITE);
    }

    fn subnormal_pivots<T: CpuScalar>() {
        let tiny = tiny::<T>();
        for params in params() {
            let a = Mat::of([[T::ZERO, real(tiny)], [real(tiny), T::ZERO]]);
            let (lu, pivots, status) = factored(&a, params);
            assert_eq!((pivots, status), (vec![1, 1], 0));
            assert_eq!(lu, Mat::of([[real::<T>(tiny), T::ZERO], [T::ZERO, real(tiny)]]));
            // The reciprocals of these pivots overflow, the quotients are 1/2 and 1 exactly.
            for n in [2, 9, 24] {
                let a = Mat::from_fn(n, n, |i, j| match (i, j) {
                    _ if i == j => real(tiny * 2.0),
                    (_, 0) => real(tiny),
                    _ => T::ZERO,
                });
                let (lu, _, status) = factored(&a, params);
                assert_eq!(status, 0);
                assert!((1..n).all(|i| lu[(i, 0)] == real(0.5) && lu[(i, i)] == real(tiny * 2.0)));
            }
            // Products of subnormal and ordinary numbers are kept, not flushed to zero: U is A above the diagonal.
            let n = 40;
            let a = Mat::from_fn(n, n, |i, j| match j {
                _ if i == j => real(1.0),
                39 => real::<T>(tiny * 1000.0),
                _ if i > j => real(0.5),
                _ => T::ZERO,
            });
            let (lu, _, _) = factored(&a, params);
            assert!((0..8).all(|i| lu[(i, 39)].to_c64().re != 0.0), "{lu:?}");
        }
    }

    fn place_does_not_matter<T: CpuScalar>() {
        let mut random = Random(5);
        for n in [1, 3, 8, 17, 33, 64, 100, 130] {
            let a = random.matrix::<T>(n, n);
            let (lu, pivots, status) = factored(&a, Params::default());
            for result in elsewhere(a.as_ref(), |mut a| {
                let mut pivots = vec![0; n];
                let status = factor(a.rb_mut(), &mut pivots);
                (bits(a.rb()), pivots, status)
            }) {
                assert_eq!(result, (bits(lu.as_ref()), pivots.clone(), status));
            }
        }
    }

    fn threads_do_not_matter<T: CpuScalar>() {
        for n in [64, 65, 129, 320, 450] {
            let a = Random(6).matrix::<T>(n, n);
            let [one, many] = [false, true].map(|parallel| {
                let (mut lu, mut pivots) = (a.clone(), vec![0; n]);
                let status = factor_with(lu.as_mut(), &mut pivots, Params { parallel, ..Params::default() });
                (bits(lu.as_ref()), pivots, status)
            });
            assert!(one == many, "n = {n}");
        }
    }

    fn vectors_do_not_matter<T: CpuScalar>() {
        let mut random = Random(7);
        for n in [1, 2, 7, 16, 33, 70, 150] {
            let a = random.matrix::<T>(n, n);
            let all = Isa::available().into_iter().map(|isa| {
                let (lu, pivots, _) = factored(&a, Params { isa, ..Params::default() });
                (isa, bits(lu.as_ref()), pivots)
            });
            let all: Vec<_> = all.collect();
            assert!(all.iter().all(|(_, _, pivots)| *pivots == all[0].2), "n = {n}");
            let mut fused = all.iter().filter(|(isa, ..)| isa.has_groups());
            assert!(fused.all(|(_, bits, _)| *bits == all[0].1), "n = {n}");
        }
    }
}
