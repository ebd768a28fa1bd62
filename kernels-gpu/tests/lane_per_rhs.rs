//! Inverse and solution from factors by a lane a right-hand side, in the emulator: every entry, around its largest
//! order, in every layout, and matrices that ask for care.

#![cfg(not(target_arch = "nvptx64"))]

#[macro_use]
#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::batch::LAYOUTS;
use common::cases::{CASES, Case};
use common::factored::{Factored, OPS, sides};
use common::ill::{self, ILL, Ill};
use common::measure::{bits, inverse_ratios};
use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::numbers::scalar::Scalar;
use kernels_gpu::operation::NON_FINITE;
use kernels_gpu::table;

/// The kernels of a family, each with the orders that it is run with.
fn runs<T: Scalar>(family: Family) -> impl Iterator<Item = (&'static Entry, usize)> {
    let entries = table::entries().filter(move |entry| (entry.family, entry.kind) == (family, T::KIND));
    entries.filter(|entry| matches!(entry.variant, Variant::LanePerRhs { .. })).flat_map(|entry| {
        let largest = entry.variant.largest_order() as usize;
        [1, largest / 2 + 1, largest - 1, largest].into_iter().map(move |n| (entry, n))
    })
}

/// All cases, and the first one once more at the end.
fn factored<T: Scalar>(n: usize) -> (Vec<Case>, Factored<T>) {
    let cases: Vec<_> = CASES.into_iter().chain([CASES[0]]).collect();
    let mut matrices = Factored::<T>::new(n, &cases).a;
    *matrices.last_mut().unwrap() = matrices[0].clone();
    (cases, Factored::of(n, matrices))
}

fn inverses<T: Scalar>() {
    for (entry, n) in runs::<T>(Family::Getri) {
        let (cases, factored) = factored::<T>(n);
        let (x, status) = factored.invert(entry.variant, [n % LAYOUTS, n / 2 % LAYOUTS]);
        assert_eq!(bits(&x[0]), bits(&x[cases.len() - 1]), "{} n = {n}: the batch matters", entry.name);
        for (i, case) in cases.iter().enumerate() {
            let what = format!("{} n = {n} {case:?}", entry.name);
            let overflows = matches!(case, Case::Subnormal | Case::Tiny | Case::Ties);
            assert!(status[i] == factored.status[i] || overflows && status[i] == NON_FINITE, "{what}: {}", status[i]);
            if status[i] != 0 {
                assert!(x[i].iter().all(|x| x.to_c64().re.is_nan()), "{what}");
                continue;
            }
            let [left, _] = inverse_ratios(&factored.a[i], &x[i], n);
            assert!(left < 2.0, "{what}: {left}");
        }
    }
}

/// The left residual is small, however ill-conditioned the matrix is, if its factors are not much larger than itself.
fn ill_conditioned<T: Scalar>() {
    for (entry, n) in runs::<T>(Family::Getri).filter(|&(_, n)| n > 8) {
        let factored = Factored::of(n, ILL.iter().map(|&kind| ill::matrix::<T>(kind, n)).collect());
        let (x, status) = factored.invert(entry.variant, [n % LAYOUTS, (n + 1) % LAYOUTS]);
        for (i, kind) in ILL.into_iter().enumerate() {
            let what = format!("{} n = {n} {kind:?}", entry.name);
            assert_eq!(status[i], factored.status[i], "{what}");
            if status[i] == 0 && !matches!(kind, Ill::Growth) {
                let [left, _] = inverse_ratios(&factored.a[i], &x[i], n);
                assert!(left < 2.0, "{what}: {left}");
            }
        }
    }
}

/// Fewer right-hand sides than threads, and more, in place and elsewhere.
fn solutions<T: Scalar>() {
    for (entry, n) in runs::<T>(Family::Getrs) {
        for (at, rhs) in [1, 33, 130].into_iter().enumerate().filter(|&(at, _)| at == n % 3 || n < 9) {
            let (cases, factored) = factored::<T>(n);
            let mut b = sides(&factored.a, n, rhs);
            *b.last_mut().unwrap() = b[0].clone();
            for op in OPS {
                let what = format!("{} n = {n}, {rhs} right-hand sides, {op:?}", entry.name);
                let from = (n + at) % LAYOUTS;
                let layouts = [n % LAYOUTS, from, if at % 2 == 0 { from } else { (n / 2 + at) % LAYOUTS }];
                let x = factored.solve(entry.variant, &b, op, layouts);
                assert_eq!(bits(&x[0]), bits(&x[cases.len() - 1]), "{what}: the batch matters");
                for (i, case) in cases.iter().enumerate() {
                    // What overflows is NaN as a whole.
                    if factored.status[i] != 0 || x[i].iter().any(|x| !x.is_finite()) {
                        assert!(factored.status[i] != 0 || matches!(case, Case::Subnormal), "{what} {case:?}");
                        assert!(x[i].iter().all(|x| x.to_c64().re.is_nan()), "{what} {case:?}");
                        continue;
                    }
                    let ratio = factored.worst_ratio(i, &x[i], &b[i], op);
                    assert!(ratio < 4.0, "{what} {case:?}: {ratio}");
                }
            }
        }
    }
}

/// A layout changes no bit.
fn layouts<T: Scalar>() {
    for (entry, n) in runs::<T>(Family::Getrs).filter(|&(_, n)| n % 2 == 1) {
        let factored = Factored::<T>::new(n, &CASES[..2]);
        let b = sides(&factored.a, n, 5);
        for op in OPS {
            let solve = |layout| factored.solve(entry.variant, &b, op, [layout, layout, layout]);
            let expected = solve(0);
            for layout in 1..LAYOUTS {
                for (x, expected) in solve(layout).iter().zip(&expected) {
                    assert_eq!(bits(x), bits(expected), "{} {op:?} layout {layout}", entry.name);
                }
            }
        }
    }
}

for_types! {
    inverses: inverses;
    ill_conditioned: ill_conditioned;
    solutions: solutions;
    layouts: layouts;
}
