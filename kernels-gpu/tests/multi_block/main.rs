//! Operations by many blocks a matrix, in the emulator: every kernel, at the limits of panels and tiles, and matrices
//! that ask for care.

#![cfg(not(target_arch = "nvptx64"))]

#[path = "../common/mod.rs"]
#[allow(dead_code)]
mod common;
mod work;

use common::batch::LAYOUTS;
use common::cases::{CASES, Case, factor, matrix, side};
use common::measure::{bits, inverse_ratios, is_single, lu_ratio, product, solution_ratio};
use kernels_gpu::numbers::mma::Mma;
use kernels_gpu::numbers::scalar::{Real, Scalar, c32, c64};
use kernels_gpu::operation::NON_FINITE;
use work::{Factors, How, NO_CLUSTERS, Op, inverse, lu, solve};

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
        let scale = T::Real::safe_scale(pivot.abs1());
        x.scale(scale) * pivot.scale(scale).reciprocal()
    })
}

/// Matrices of these kinds, and their factors, which `lu` finds; with what it is called by.
fn check_factors<T: Mma>(
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
    let (alone, alone_pivots, _) = lu(&a[..1]);
    assert_eq!(bits(&alone[0]), bits(&factors[0]), "{what}, n = {n}: the batch matters");
    assert_eq!(alone_pivots, pivots[..n], "{what}, n = {n}: the batch matters");
    (a, found)
}

fn check<T: Mma, const NB: usize, const ROWS: usize>(n: usize, how: How, cases: &[Case]) {
    let layouts = [n % LAYOUTS, if n.is_multiple_of(2) { n } else { n / 2 } % LAYOUTS];
    let what = format!("nb = {NB}, {ROWS} rows, {} blocks of {}", how.0, how.1);
    let (a, found) = check_factors((&what, n), cases, |a| lu::<T, NB, ROWS>(n, how, a, layouts));
    if n < 300 {
        let how = (how.0.min(1), how.1);
        check_solutions::<T, NB, ROWS>(&a, cases, &found, (n, how)); // which take longer
    }
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
    let of = |op| solve::<T, NB, ROWS>((n, rhs, how), a, &b, Some((factors, op)));
    let op = if n.is_multiple_of(2) { Op::Transpose } else { Op::Adjoint };
    for (op, (x, status)) in [(Op::None, direct), (Op::None, of(Op::None)), (op, of(op))] {
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

/// Orders around the ends of panels, of blocks of columns, and of tiles; by one block and by clusters.
fn check_all<T: Mma, const NB: usize, const ROWS: usize>() {
    check::<T, NB, ROWS>(1, (1, 32), &CASES);
    check::<T, NB, ROWS>(7, (2, 32), &CASES);
    check::<T, NB, ROWS>(NB, (1, 64), &CASES);
    check::<T, NB, ROWS>(NB + 1, (2, 32), &CASES[1..4]);
    check::<T, NB, ROWS>(2 * NB + 3, (1, 64), &CASES);
    check::<T, NB, ROWS>(63, (4, 128), &CASES[2..3]);
    check::<T, NB, ROWS>(97, (1, 32), &CASES[7..]);
    check::<T, NB, ROWS>(161, (2, 96), &CASES[..1]);
}

#[test]
fn f32_by_panels() {
    check_all::<f32, 32, 1>();
    check_all::<f32, 32, 2>();
    check_all::<f32, 32, 4>();
    check_all::<f32, 16, 8>();
}

#[test]
fn f64_by_panels() {
    check_all::<f64, 32, 1>();
    check_all::<f64, 32, 2>();
    check_all::<f64, 16, 4>();
    check_all::<f64, 8, 8>();
}

#[test]
fn c32_by_panels() {
    check_all::<c32, 32, 1>();
    check_all::<c32, 32, 2>();
    check_all::<c32, 16, 4>();
    check_all::<c32, 8, 8>();
}

#[test]
fn c64_by_panels() {
    check_all::<c64, 16, 1>();
    check_all::<c64, 16, 2>();
    check_all::<c64, 8, 4>();
}

/// As many rows as need several blocks, and several rows a lane; and blocks of more columns than a triangle has.
#[test]
fn tall_panels() {
    check::<f64, 32, 1>(600, (1, 128), &[Case::Random, Case::Ties]);
    check::<f32, 32, 2>(290, (2, 256), &[Case::Random]);
    check::<f32, 32, 2>(530, (2, 128), &[Case::Ties]);
    check::<c64, 8, 4>(300, (16, 192), &[Case::Random]);
}

/// Panels that several others of their block come before.
#[test]
fn blocks_of_panels() {
    check::<f32, 32, 1>(203, (1, 128), &[Case::Random, Case::Ties]);
    check::<f32, 16, 8>(100, (2, 128), &[Case::Random]);
    check::<f64, 32, 2>(161, (2, 96), &[Case::Random]);
    check::<f64, 8, 8>(130, (1, 128), &[Case::Random]);
    check::<c32, 32, 1>(130, (1, 128), &[Case::Random]);
    check::<c32, 8, 8>(75, (2, 64), &[Case::Random]);
    check::<c64, 16, 2>(97, (1, 96), &[Case::Random, Case::Ties]);
    check::<c64, 8, 4>(70, (4, 32), &[Case::Random]);
}

/// How many blocks a cluster has does not matter, bit for bit, ties included.
#[test]
fn clusters_agree() {
    for case in [Case::Random, Case::Ties] {
        let a = [matrix::<f64>(case, 75, 1)];
        let [one, others @ ..] = [1, 2, 4, 16].map(|blocks| lu::<f64, 16, 4>(75, (blocks, 32), &a, [0; 2]));
        for other in others {
            assert_eq!(bits(&one.0[0]), bits(&other.0[0]));
            assert_eq!(one.1, other.1);
        }
    }
}

/// Slabs: of one panel's columns more than fit, of all columns, of matrices of which a part is left to panels.
fn check_slabs<T: Mma, const NB: usize>(n: usize, columns: u32, blocks: u32, cases: &[Case]) {
    let what = format!("slabs of {columns} by {blocks} blocks");
    check_factors((&what, n), cases, |a| work::lu_by_slabs::<T, NB>(n, (blocks, columns), a));
}

fn check_all_slabs<T: Mma, const NB: usize>() {
    check_slabs::<T, NB>(1, 64, 1, &CASES);
    check_slabs::<T, NB>(33, 64, 2, &CASES);
    check_slabs::<T, NB>(64, 64, 1, &CASES[..3]);
    check_slabs::<T, NB>(97, 128, 4, &CASES[2..5]);
    check_slabs::<T, NB>(100, 64, 1, &CASES[5..]);
    check_slabs::<T, NB>(161, 192, 16, &CASES[..2]);
}

#[test]
fn f32_by_slabs() {
    check_all_slabs::<f32, 32>();
    check_slabs::<f32, 32>(330, 352, 8, &[Case::Random]);
}

#[test]
fn f64_by_slabs() {
    check_all_slabs::<f64, 32>();
    check_slabs::<f64, 32>(290, 128, 1, &[Case::Random]);
}

#[test]
fn c32_by_slabs() {
    check_all_slabs::<c32, 32>();
}

#[test]
fn c64_by_slabs() {
    check_all_slabs::<c64, 16>();
}

/// Panels by launches a column: orders around the ends of panels and of blocks' shares of rows.
fn check_columns<T: Mma>() {
    let check = check::<T, 32, 1>;
    check(1, (NO_CLUSTERS, 32), &CASES);
    check(7, (NO_CLUSTERS, 32), &CASES);
    check(31, (NO_CLUSTERS, 64), &CASES[1..3]);
    check(32, (NO_CLUSTERS, 32), &CASES[5..8]);
    check(33, (NO_CLUSTERS, 64), &CASES[..7]);
    check(64, (NO_CLUSTERS, 64), &CASES[8..10]);
    check(65, (NO_CLUSTERS, 128), &CASES[4..6]);
    check(100, (NO_CLUSTERS, 96), &CASES[2..3]);
    check(133, (NO_CLUSTERS, 128), &CASES[..1]);
}

#[test]
fn f32_by_columns() {
    check_columns::<f32>();
}

#[test]
fn f64_by_columns() {
    check_columns::<f64>();
}

#[test]
fn c32_by_columns() {
    check_columns::<c32>();
}

#[test]
fn c64_by_columns() {
    check_columns::<c64>();
}

/// A panel's factors are those of a cluster, bit for bit, ties included.
#[test]
fn columns_and_clusters_agree() {
    for case in [Case::Random, Case::Ties, Case::Tiny, Case::Subnormal, Case::ZeroColumn, Case::Huge] {
        let a = [matrix::<c32>(case, 32, 1)];
        let [columns, cluster] = [NO_CLUSTERS, 2].map(|blocks| lu::<c32, 32, 1>(32, (blocks, 32), &a, [0; 2]));
        assert_eq!(bits(&columns.0[0]), bits(&cluster.0[0]), "{case:?}");
        assert_eq!((columns.1, columns.2), (cluster.1, cluster.2), "{case:?}");
    }
}
