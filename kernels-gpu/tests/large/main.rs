//! The kernels that hold matrices of order over 32, or slabs of them, in registers, in the emulator: each schedule (with
//! `WARPLU_TESTS=all` every entry) at its limits, every layout, and matrices that ask for care.

#![cfg(not(target_arch = "nvptx64"))]

#[macro_use]
#[path = "../common/mod.rs"]
mod common;
mod element_wise;

use common::batch::LAYOUTS;
use common::cases::{CASES, Case, matrix, side};
use common::extent;
use common::ill::{self, ILL};
use common::measure::{bits, inverse_ratios, lu_ratio, solution_ratio};
use common::run::{invert, lu, solve};
use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::table;
use numbers::scalar::{Scalar, c64};
use numbers::status::{NON_FINITE, side_not_finite};

/// Orders that need the last tiles of a kernel that takes up to `largest`.
fn limits(largest: usize) -> Vec<usize> {
    vec![largest - 15, largest - 9, largest - 1, largest]
}

/// The kernels of a family, each with the orders that it is run with: the least that needs its rows, and its limits.
fn runs<T: Scalar>(family: Family) -> impl Iterator<Item = (Variant, usize)> {
    let entries = table::entries().filter(move |e| e.family == family && e.kind == T::KIND);
    extent::selected(entries).into_iter().flat_map(|e| {
        let orders = match e.variant {
            Variant::RegisterBlocked { rows, columns, panels: slots, warps } => {
                let (rows, columns) = (32 * rows as usize, columns as usize * slots as usize * warps as usize);
                let largest = rows.min(columns);
                vec![rows - 31, largest - 9, largest - 1, largest]
            }
            Variant::Blocked { rows, panels, warps } => {
                let (rows, columns) = (32 * rows as usize, 8 * panels as usize);
                vec![rows - 11, columns + 7, rows * warps as usize - rows + 1, rows * warps as usize]
            }
            Variant::LookAhead { n, .. } => limits(n as usize),
            Variant::LeftLooking { n, warps } => {
                // So few panels, too, that warps have none, or one only.
                (1..16 * warps as usize).step_by(3).chain(limits(n as usize)).collect()
            }
            _ => vec![],
        };
        extent::orders(orders).into_iter().map(move |n| (e.variant, n))
    })
}

/// All cases for a small order, and for the least of a kernel that has few; a few for others, and each in its turn.
/// Every kernel has orders below those that are done without a copy of the first matrix.
fn cases(variant: Variant, n: usize) -> Vec<Case> {
    let is_least = matches!(variant, Variant::RegisterBlocked { rows, .. } if n == 32 * rows as usize - 31);
    if n < 64 || is_least {
        return CASES.to_vec();
    }
    let few = [CASES[0], CASES[1 + n % (CASES.len() - 2)], CASES[0]];
    few[..if n > 256 { 2 } else { 3 }].to_vec()
}

/// A batch, of which the first matrix and the last are the same if they are of one case.
fn batch<T: Scalar>(cases: &[Case], n: usize) -> Vec<Vec<T>> {
    let mut all: Vec<_> = cases.iter().enumerate().map(|(i, &case)| matrix(case, n, (n * 64 + i) as u64)).collect();
    let last = all.len() - 1;
    if cases[last] == cases[0] {
        all[last] = all[0].clone();
    }
    all
}

/// Whether the same matrices have the same results, wherever they are in the batch.
fn assert_place_does_not_matter<T: Scalar>(cases: &[Case], results: &[Vec<T>]) {
    let last = cases.len() - 1;
    assert!(cases[last] != cases[0] || bits(&results[0]) == bits(&results[last]), "the batch matters");
}

/// The layouts of what goes in and of what comes out. Even orders are done in place.
fn layouts(n: usize) -> [usize; 2] {
    [n % LAYOUTS, if n.is_multiple_of(2) { n } else { n / 2 } % LAYOUTS]
}

/// A plain LU with the kernels' arithmetic.
fn factor<T: Scalar>(a: &[T], n: usize) -> (Vec<T>, Vec<u32>, i32) {
    common::cases::factor(a, n, |x, pivot| {
        let (scale, reciprocal) = pivot.scaled_reciprocal();
        x.scale(scale) * reciprocal
    })
}

fn is_finite(case: Case) -> bool {
    !matches!(case, Case::Nan | Case::Infinite)
}

fn is_nan<T: Scalar>(x: &[T]) -> bool {
    x.iter().all(|x| x.to_c64().re.is_nan())
}

/// Whether no multiplier says that a pivot was not the largest of its column.
fn multipliers_are_small<T: Scalar>(factors: &[T], n: usize) -> bool {
    let largest = if T::KIND.name().starts_with('c') { 2_f64.sqrt() } else { 1.0 }; // |re| + |im| is compared
    let below = |e: usize| e / n > e % n;
    let size = |l: c64| l.re.hypot(l.im);
    let rounding = if is_single::<T>() { 1e-6 } else { 1e-12 };
    (0..n * n).filter(|&e| below(e)).all(|e| size(factors[e].to_c64()) <= largest * (1.0 + rounding))
}

/// Whether the parts are f32, so that sums in another order may well choose another pivot.
fn is_single<T: Scalar>() -> bool {
    T::KIND.name().ends_with("32")
}

fn check_lu<T: Scalar>() {
    for (variant, n) in runs::<T>(Family::Getrf) {
        let cases = cases(variant, n);
        let a = batch::<T>(&cases, n);
        let (factors, pivots, status) = lu(variant, n, &a, layouts(n));
        assert_place_does_not_matter(&cases, &factors);
        for (i, &case) in cases.iter().enumerate() {
            let what = format!("{} {variant:?} n = {n} {case:?}", T::KIND.name());
            if !is_finite(case) {
                assert_eq!(status[i], NON_FINITE, "{what}");
                continue;
            }
            let (expected, expected_pivots, expected_status) = factor(&a[i], n);
            assert_eq!(status[i], expected_status, "{what}");
            if matches!(variant, Variant::Blocked { .. } | Variant::LeftLooking { .. }) {
                // Sums are taken in another order: equals are equal in the first column only.
                let own = &pivots[i * n..][..n];
                assert_eq!(own[0], expected_pivots[0], "{what}");
                assert!(case == Case::Ties || is_single::<T>() || own == expected_pivots, "{what}");
                assert!(lu_ratio(&a[i], &factors[i], own, n) < 4.0, "{what}");
                assert!(multipliers_are_small(&factors[i], n), "{what}");
                continue;
            }
            assert_eq!(pivots[i * n..][..n], expected_pivots, "{what}");
            assert!(factors[i].iter().zip(&expected).all(|(x, y)| x == y), "{what}");
            assert!(lu_ratio(&a[i], &factors[i], &expected_pivots, n) < 4.0, "{what}");
        }
    }
}

fn check_invert<T: Scalar>() {
    for (variant, n) in runs::<T>(Family::Inverse) {
        let cases = cases(variant, n);
        let a = batch::<T>(&cases, n);
        let layouts = layouts(n);
        let (inverses, status) = invert(variant, n, &a, layouts);
        assert_place_does_not_matter(&cases, &inverses);
        for (i, &case) in cases.iter().enumerate() {
            let what = format!("{} {variant:?} n = {n} {case:?} {layouts:?}", T::KIND.name());
            match case {
                Case::Nan | Case::Infinite => assert_eq!(status[i], NON_FINITE, "{what}"),
                Case::Zero => assert_eq!(status[i], 1, "{what}"),
                Case::ZeroColumn => assert!(status[i] > 0, "{what}"),
                Case::Random | Case::NearTies | Case::Tiny | Case::Huge => assert_eq!(status[i], 0, "{what}"),
                Case::Subnormal | Case::Ties => {}
            }
            if status[i] != 0 {
                assert!(is_nan(&inverses[i]), "{what}");
                continue;
            }
            let [left, right] = inverse_ratios(&a[i], &inverses[i], n);
            assert!(left < 30.0, "{what}: {left} {right}");
        }
    }
}

fn check_solve<T: Scalar>() {
    for (variant, n) in runs::<T>(Family::Gesv) {
        let rhs = match variant {
            Variant::RegisterBlocked { warps, .. } => [1, 2, warps as usize][n % 3].min(warps as usize),
            Variant::LeftLooking { .. } => 1,
            _ => continue,
        };
        let cases = cases(variant, n);
        let a = batch::<T>(&cases, n);
        let mut b: Vec<Vec<T>> = a.iter().map(|a| side(a, n, rhs)).collect();
        let last = cases.len() - 1;
        if cases[last] == cases[0] {
            b[last] = b[0].clone();
        }
        let [from, to] = layouts(n);
        let (x, status) = solve(variant, n, &a, &b, [n / 3 % LAYOUTS, from, to]);
        assert_place_does_not_matter(&cases, &x);
        let (elsewhere, _) = solve(variant, n, &a[..1], &b[..1], [0, 1, 2]);
        assert_eq!(bits(&x[0]), bits(&elsewhere[0]), "the layout matters");
        for (i, &case) in cases.iter().enumerate() {
            let what = format!("{} {variant:?} n = {n} {case:?}", T::KIND.name());
            let (factors, pivots, expected) = factor(&a[i], n);
            assert_eq!(status[i], if is_finite(case) { expected } else { NON_FINITE }, "{what}");
            if status[i] != 0 {
                assert!(is_nan(&x[i]), "{what}");
                continue;
            }
            let ratio = solution_ratio(&a[i], &x[i], &b[i], &factors, &pivots, n);
            assert!(ratio < 4.0, "{what}: {ratio}");
        }
    }
}

/// Ties in every column, on which LAPACK takes the first: the matrix whose LU grows most, where nothing is rounded.
fn check_ties<T: Scalar>() {
    for (variant, n) in runs::<T>(Family::Getrf).filter(|&(_, n)| n < 400) {
        let wilkinson = |e: usize| match (e / n, e % n) {
            (i, j) if i == j || j == n - 1 => T::ONE,
            (i, j) if j < i => -T::ONE,
            _ => T::ZERO,
        };
        let a = vec![(0..n * n).map(wilkinson).collect::<Vec<_>>(); 3];
        let (factors, pivots, status) = lu(variant, n, &a, layouts(n));
        let what = format!("{} {variant:?} n = {n}", T::KIND.name());
        assert_eq!(status, [0; 3], "{what}");
        assert!((0..3 * n as u32).map(|k| k % n as u32).eq(pivots.iter().copied()), "{what}");
        let largest = factors[0][n * n - 1].to_c64().re;
        assert!(largest == 2_f64.powi(n as i32 - 1), "{what}: {largest}");
    }
}

/// Inverses of ill-conditioned matrices, to every layout.
fn check_ill<T: Scalar>() {
    for (variant, n) in runs::<T>(Family::Inverse).step_by(3).filter(|&(_, n)| n < 100) {
        let a: Vec<_> = ILL.iter().map(|&kind| ill::matrix::<T>(kind, n)).collect();
        for layout in 0..LAYOUTS {
            let layouts = [(layout + n) % LAYOUTS, layout];
            let (inverses, status) = invert(variant, n, &a, layouts);
            for (i, kind) in ILL.into_iter().enumerate() {
                let what = format!("{} {variant:?} n = {n} {kind:?} {layouts:?}", T::KIND.name());
                assert_eq!(status[i], 0, "{what}");
                let [left, right] = inverse_ratios(&a[i], &inverses[i], n);
                assert!(left < 30.0, "{what}: {left} {right}");
            }
        }
    }
}

/// Right-hand sides do not change each other's solutions, not even one that is not finite.
fn check_sides<T: Scalar>() {
    for (variant, n) in runs::<T>(Family::Gesv).step_by(4) {
        let Variant::RegisterBlocked { warps, .. } = variant else { continue };
        let rhs = warps as usize;
        let a = [matrix::<T>(Case::Random, n, 1)];
        let mut b = side(&a[0], n, rhs);
        let (expected, _) = solve(variant, n, &a, &[b.clone()], [0, 1, 1]);
        let changed = n / 2 * rhs + rhs / 2;
        b[changed] = T::from_c64(1e10.into());
        let (x, status) = solve(variant, n, &a, &[b.clone()], [0, 0, 1]);
        assert_eq!(status, [0]);
        for e in (0..n * rhs).filter(|e| e % rhs != rhs / 2) {
            assert_eq!(x[0][e], expected[0][e]);
        }
        assert!(x[0][changed] != expected[0][changed]);
        b[changed] = T::NAN;
        let (x, status) = solve(variant, n, &a, &[b], [0, 0, 1]);
        assert_eq!(status, [side_not_finite(rhs as u32 / 2)]);
        for (e, (x, expected)) in x[0].iter().zip(&expected[0]).enumerate() {
            assert!(if e % rhs == rhs / 2 { !x.is_finite() } else { x == expected });
        }
    }
}

for_types! {
    lu: check_lu;
    inverses: check_invert;
    solutions: check_solve;
    ill_conditioned: check_ill;
}
for_types! { ties: check_ties for f64 c64; }
for_types! { sides: check_sides for f32; }
