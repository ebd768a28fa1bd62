//! Whether factors, solutions and inverses are right.

use kernels_gpu::collective::mma::Mma;
use numbers::scalar::{Scalar, c64};
use numbers::status::{NON_FINITE, side_not_finite};

use crate::common::batch::LAYOUTS;
use crate::common::cases::{Case, factor, matrix, side};
use crate::common::measure::{bits, inverse_ratios, is_single, lu_ratio, product, solution_ratio};
use crate::operations::{Op, inverse, lu, solve};
use crate::work::{Factors, How};

/// `max ||b - A x|| / (n u ||A|| ||x||)`, all norms the largest element's.
fn residual_ratio<T: Scalar>(a: &[T], x: &[T], b: &[T], n: usize) -> f64 {
    let wide = |x: &[T]| x.iter().map(|x| x.to_c64()).collect::<Vec<_>>();
    let largest = |x: &[c64]| x.iter().map(|x| x.re.hypot(x.im)).fold(0.0, f64::max);
    let (a, x) = (wide(a), wide(x));
    let ax = product(&a, &x, n, b.len() / n);
    let residual: Vec<_> = wide(b).iter().zip(&ax).map(|(b, ax)| b - ax).collect();
    let u = if is_single::<T>() { 2_f64.powi(-24) } else { 2_f64.powi(-53) };
    largest(&residual) / (n as f64 * u * largest(&a) * largest(&x)).max(f64::MIN_POSITIVE)
}

/// The factors, with the division of the kernels.
fn expected<T: Scalar>(a: &[T], n: usize) -> (Vec<T>, Vec<u32>, i32) {
    factor(a, n, |x, pivot| {
        let (scale, reciprocal) = pivot.scaled_reciprocal();
        x.scale(scale) * reciprocal
    })
}

/// Matrices of these kinds, and their factors, which `lu` finds; with what it is called by.
pub(crate) fn check_factors<T: Mma>(
    (what, n): (&str, usize),
    cases: &[Case],
    lu: impl Fn(&[Vec<T>]) -> Factors<T>,
) -> (Vec<Vec<T>>, Factors<T>) {
    let a: Vec<Vec<T>> = cases.iter().enumerate().map(|(i, &case)| matrix(case, n, (n * 64 + i) as u64)).collect();
    let found = lu(&a);
    let (factors, pivots, status) = &found;
    for (i, &case) in cases.iter().enumerate() {
        let what = format!("{} {what}, n = {n}, {case:?}", T::KIND.name());
        if matches!(case, Case::Nan | Case::Infinite) {
            assert_eq!(status[i], NON_FINITE, "{what}");
            continue;
        }
        let (_, expected_pivots, expected_status) = expected(&a[i], n);
        let own = &pivots[i * n..][..n];
        assert_eq!(status[i], expected_status, "{what}");
        assert_eq!(own[0], expected_pivots[0], "{what}");
        // Sums are taken in another order, so that of equals another may be the larger.
        assert!(case == Case::Ties || is_single::<T>() || own == expected_pivots, "{what}");
        assert!(lu_ratio(&a[i], &factors[i], own, n) < 4.0, "{what}");
    }
    if cases.len() > 1 {
        let (alone, alone_pivots, _) = lu(&a[..1]);
        assert_eq!(bits(&alone[0]), bits(&factors[0]), "{what}, n = {n}: the batch matters");
        assert_eq!(alone_pivots, pivots[..n], "{what}, n = {n}: the batch matters");
    }
    (a, found)
}

/// LU by panels, of which a lane has `ROWS` rows; returns the matrices and what was found.
fn check_lu_by_panels<T: Mma, const NB: usize, const ROWS: usize>(
    n: usize,
    how: How,
    cases: &[Case],
) -> (Vec<Vec<T>>, Factors<T>) {
    let layouts = [n % LAYOUTS, if n.is_multiple_of(2) { n } else { n / 2 } % LAYOUTS];
    let what = format!("nb = {NB}, {ROWS} rows, {} blocks of {}", how.0, how.1);
    check_factors((&what, n), cases, |a| lu::<T, NB, ROWS>(n, how, a, layouts))
}

/// LU by panels.
pub(crate) fn check_lu<T: Mma, const NB: usize, const ROWS: usize>(n: usize, how: How, cases: &[Case]) {
    check_lu_by_panels::<T, NB, ROWS>(n, how, cases);
}

/// The same, and solutions and inverses.
pub(crate) fn check<T: Mma, const NB: usize, const ROWS: usize>(n: usize, how: How, cases: &[Case]) {
    let (a, found) = check_lu_by_panels::<T, NB, ROWS>(n, how, cases);
    check_solutions::<T, NB, ROWS>(&a, cases, &found, (n, (how.0.min(1), how.1)));
}

/// Solutions of A X = B, of op(A) X = B from factors, and inverses.
fn check_solutions<T: Mma, const NB: usize, const ROWS: usize>(
    a: &[Vec<T>],
    cases: &[Case],
    factors: &Factors<T>,
    (n, how): (usize, How),
) {
    let rhs = n % 5 * 17 + 1;
    let b: Vec<Vec<T>> = a.iter().map(|a| side(a, n, rhs)).collect();
    let direct = solve::<T, NB, ROWS>((n, rhs, how), a, &b, None);
    let from_factors = |op, b: &[Vec<T>]| solve::<T, NB, ROWS>((n, rhs, how), a, b, Some((factors, op)));
    let op = if n.is_multiple_of(2) { Op::Transpose } else { Op::Adjoint };
    for (op, (x, status)) in [(Op::None, direct), (Op::None, from_factors(Op::None, &b)), (op, from_factors(op, &b))] {
        assert_eq!(status, factors.2, "n = {n}, {op:?}");
        for (i, &case) in cases.iter().enumerate() {
            let what = format!("{} nb = {NB}, n = {n}, {op:?}, {case:?}", T::KIND.name());
            if status[i] != 0 {
                assert!(x[i].iter().all(|x| !x.is_finite()), "{what}");
            } else if op == Op::None {
                let pivots = &factors.1[i * n..][..n];
                assert!(solution_ratio(&a[i], &x[i], &b[i], &factors.0[i], pivots, n) < 4.0, "{what}");
            } else if !matches!(case, Case::Subnormal | Case::Ties) {
                assert!(residual_ratio(&op.of(&a[i], n), &x[i], &b[i], n) < 4.0, "{what}");
            }
        }
    }
    // A right-hand side that is not finite spoils its own solution only.
    let (spoilt, mut b) = (rhs / 2, b);
    let (expected, _) = from_factors(op, &b);
    b[0][n / 2 * rhs + spoilt] = T::NAN;
    let (x, status) = from_factors(op, &b);
    let is_good = factors.2[0] == 0;
    assert_eq!(status[0], if is_good { side_not_finite(spoilt as u32) } else { factors.2[0] }, "n = {n}");
    for (e, (x, expected)) in x[0].iter().zip(&expected[0]).enumerate() {
        assert!(if is_good && e % rhs != spoilt { x == expected } else { !x.is_finite() }, "n = {n}, {e}");
    }
    for by_rows in [false, true] {
        let (inverses, status) = inverse::<T, NB, ROWS>((n, how), a, by_rows);
        for (i, &case) in cases.iter().enumerate() {
            let what = format!("{} nb = {NB}, n = {n}, inverse by rows {by_rows}, {case:?}", T::KIND.name());
            // That of subnormal numbers may overflow.
            assert!(status[i] == factors.2[i] || case == Case::Subnormal && status[i] == NON_FINITE, "{what}");
            if status[i] != 0 {
                assert!(inverses[i].iter().all(|x| !x.is_finite()), "{what}");
            } else {
                let [left, right] = inverse_ratios(&a[i], &inverses[i], n);
                let ratio = if by_rows { left } else { right };
                assert!(ratio < 4.0, "{what}: {ratio}");
            }
        }
    }
}
