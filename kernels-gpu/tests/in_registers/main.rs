//! The kernels of order up to 32 in the emulator: every entry, every order, every layout, and matrices that ask for
//! care.

#![cfg(not(target_arch = "nvptx64"))]

#[macro_use]
#[path = "../common/mod.rs"]
mod common;

use common::batch::LAYOUTS;
use common::cases::{CASES, Case, matrix, side};
use common::ill::{self, ILL};
use common::measure::{bits, inverse_ratios, lu_ratio, solution_ratio};
use common::run::{invert, lu, solve};
use kernels_gpu::entry::Variant;
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;

/// Variants, and the orders that each is run with.
const SIZES: [(Variant, &[usize]); 5] = [
    (Variant::InThread, &[1, 2, 3, 4]),
    (Variant::InRegisters { n: 8 }, &[1, 2, 3, 4, 5, 6, 7, 8]),
    (Variant::InRegisters { n: 16 }, &[9, 10, 11, 12, 13, 14, 15, 16]),
    (Variant::InRegisters { n: 24 }, &[1, 7, 17, 18, 19, 20, 21, 22, 23, 24]),
    (Variant::InRegisters { n: 32 }, &[17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32]),
];

/// Each variant with each of its orders.
fn sizes() -> impl Iterator<Item = (Variant, usize)> {
    SIZES.into_iter().flat_map(|(variant, orders)| orders.iter().map(move |&n| (variant, n)))
}

fn matrices<T: Scalar>(n: usize) -> Vec<Vec<T>> {
    let mut all: Vec<_> = CASES.iter().enumerate().map(|(i, &case)| matrix(case, n, (n * 64 + i) as u64)).collect();
    let last = all.len() - 1;
    all[last] = all[0].clone();
    all
}

/// A plain LU with the kernels' arithmetic.
fn factor<T: Scalar>(a: &[T], n: usize) -> (Vec<T>, Vec<u32>, i32) {
    common::cases::factor(
        a,
        n,
        |x, pivot| {
            if pivot.is_moderate() { x * pivot.reciprocal() } else { x.divide(pivot.divisor()) }
        },
    )
}

fn check_lu<T: Scalar>() {
    for (variant, n) in sizes() {
        let a = matrices::<T>(n);
        let (factors, pivots, status) = lu(variant, n, &a, [n % LAYOUTS, n / 2 % LAYOUTS]);
        for (i, case) in CASES.into_iter().enumerate() {
            let what = format!("{} n = {n} {case:?}", T::KIND.name());
            let (expected, expected_pivots, expected_status) = factor(&a[i], n);
            assert_eq!(status[i], expected_status, "{what}");
            match case {
                Case::Nan | Case::Infinite => {
                    assert_eq!(status[i], NON_FINITE, "{what}");
                    continue;
                }
                Case::Random | Case::Tiny | Case::Huge | Case::Subnormal => assert_eq!(status[i], 0, "{what}"),
                _ => {}
            }
            assert_eq!(pivots[i * n..][..n], expected_pivots, "{what}");
            // Zeros may differ in sign.
            assert!(factors[i].iter().zip(&expected).all(|(x, y)| x == y), "{what}");

            assert!(lu_ratio(&a[i], &factors[i], &expected_pivots, n) < 4.0, "{what}");
        }
    }
}

/// The status that LU, inversion and solution agree about, where rounding does not decide it.
fn known_status<T: Scalar>(case: Case, a: &[T], n: usize) -> Option<i32> {
    match case {
        Case::Ties => None,
        Case::Nan | Case::Infinite => Some(NON_FINITE),
        _ => Some(factor(a, n).2),
    }
}

fn check_invert<T: Scalar>() {
    for (variant, n) in sizes() {
        let a = matrices::<T>(n);
        let (inverses, status) = invert(variant, n, &a, [n % LAYOUTS, n / 2 % LAYOUTS]);
        assert_eq!(bits(&inverses[0]), bits(&inverses[CASES.len() - 1]), "the place in the batch matters");
        let (alone, _) = invert(variant, n, &a[..1], [0, 1]);
        assert_eq!(bits(&inverses[0]), bits(&alone[0]), "the size of the batch matters");
        for (i, case) in CASES.into_iter().enumerate() {
            let what = format!("{} n = {n} {case:?}", T::KIND.name());
            if case != Case::Subnormal {
                assert!(known_status(case, &a[i], n).is_none_or(|s| s == status[i]), "{what}: {}", status[i]);
            }
            if status[i] != 0 {
                assert!(inverses[i].iter().all(|x| x.to_c64().re.is_nan()), "{what}");
                continue;
            }
            let [left, right] = inverse_ratios(&a[i], &inverses[i], n);
            assert!(left < 30.0, "{what}: {left} {right}");
        }
    }
}

/// Inverses of ill-conditioned matrices.
fn check_ill<T: Scalar>() {
    for (variant, n) in sizes() {
        let a: Vec<_> = ILL.iter().map(|&kind| ill::matrix::<T>(kind, n)).collect();
        let (inverses, status) = invert(variant, n, &a, [1, 1]);
        for (i, kind) in ILL.into_iter().enumerate() {
            let what = format!("{} {variant:?} n = {n} {kind:?}", T::KIND.name());
            assert_eq!(status[i], 0, "{what}");
            let [left, right] = inverse_ratios(&a[i], &inverses[i], n);
            assert!(left < 30.0, "{what}: {left} {right}");
        }
    }
}

fn check_solve<T: Scalar>() {
    for (variant, n) in sizes() {
        let a = matrices::<T>(n);
        let rhs = [1, 2, 5][n % 3];
        let mut b: Vec<Vec<T>> = a.iter().map(|a| side(a, n, rhs)).collect();
        b[CASES.len() - 1] = b[0].clone();
        let (x, status) = solve(variant, n, &a, &b, [n % LAYOUTS, n / 2 % LAYOUTS, n / 3 % LAYOUTS]);
        assert_eq!(bits(&x[0]), bits(&x[CASES.len() - 1]), "the place in the batch matters");
        let (alone, _) = solve(variant, n, &a[..1], &b[..1], [0, 1, 2]);
        assert_eq!(bits(&x[0]), bits(&alone[0]), "the size of the batch matters");
        for (i, case) in CASES.into_iter().enumerate() {
            let what = format!("{} n = {n} {case:?}", T::KIND.name());
            let (factors, pivots, expected) = factor(&a[i], n);
            assert!(status[i] == expected || matches!(case, Case::Nan | Case::Infinite) && status[i] == NON_FINITE);
            if status[i] != 0 {
                assert!(x[i].iter().all(|x| x.to_c64().re.is_nan()), "{what}");
                continue;
            }
            let ratio = solution_ratio(&a[i], &x[i], &b[i], &factors, &pivots, n);
            assert!(ratio < 4.0, "{what}: {ratio}");
        }
    }
}

/// More matrices than a block holds, of which the last one has teams and a warp to spare. Those of a full warp may take
/// another way in and out than one alone. With a thread a matrix that asks for 16-byte alignment, too, which the third
/// launch of 253 matrices has at every order.
fn check_blocks<T: Scalar>() {
    let sizes = [
        (Variant::InThread, [1, 2], 126),
        (Variant::InThread, [3, 4], 126),
        (Variant::InRegisters { n: 8 }, [7, 8], 32),
        (Variant::InRegisters { n: 16 }, [11, 16], 16),
        (Variant::InRegisters { n: 24 }, [19, 24], 16),
        (Variant::InRegisters { n: 32 }, [18, 32], 8),
    ];
    for (variant, orders, per_block) in sizes {
        for n in orders {
            let a: Vec<Vec<T>> = (0..2 * per_block + 1).map(|i| matrix(Case::Random, n, i)).collect();
            let b: Vec<Vec<T>> = a.iter().map(|a| side(a, n, 1)).collect();
            let last = a.len() - 2..a.len();
            let (inverses, _) = invert(variant, n, &a[last.clone()], [0, 0]);
            let (solutions, _) = solve(variant, n, &a[last.clone()], &b[last.clone()], [0, 0, 0]);
            for layout in 0..LAYOUTS {
                let (factors, _, _) = lu(variant, n, &a, [layout, layout]);
                for (a, lu) in a.iter().zip(&factors) {
                    assert!(factor(a, n).0.iter().zip(lu).all(|(x, y)| x == y));
                }
                let (all, _) = invert(variant, n, &a, [layout, layout]);
                assert!(all[last.clone()].iter().zip(&inverses).all(|(x, y)| bits(x) == bits(y)));
                assert!(inverse_ratios(&a[0], &all[0], n)[0] < 30.0);
                let (all, _) = solve(variant, n, &a, &b, [layout, layout, layout]);
                assert!(all[last.clone()].iter().zip(&solutions).all(|(x, y)| bits(x) == bits(y)));
            }
        }
    }
}

for_types! {
    lu: check_lu;
    inverses: check_invert;
    ill_conditioned: check_ill;
    solutions: check_solve;
    blocks: check_blocks;
}
