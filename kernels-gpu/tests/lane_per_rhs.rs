//! Inverse and solution from factors by a lane a right-hand side, in the emulator: every entry, around its largest
//! order, in every layout, and matrices that ask for care.

#![cfg(not(target_arch = "nvptx64"))]

#[macro_use]
#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::batch::LAYOUTS;
use common::cases::{CASES, Case};
use common::factored::{OPS, sides};
use common::from_factors;
use common::measure::bits;
use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::table;
use numbers::scalar::Scalar;

/// The kernels of a family, each with the orders that it is run with.
fn runs<T: Scalar>(family: Family) -> impl Iterator<Item = (&'static Entry, usize)> {
    let entries = table::entries().filter(move |entry| (entry.family, entry.kind) == (family, T::KIND));
    entries.filter(|entry| matches!(entry.variant, Variant::LanePerRhs { .. })).flat_map(|entry| {
        let largest = entry.variant.largest_order() as usize;
        [1, largest / 2 + 1, largest - 1, largest].into_iter().map(move |n| (entry, n))
    })
}

/// All cases, and room for the first one once more at the end.
fn cases() -> Vec<Case> {
    CASES.into_iter().chain([CASES[0]]).collect()
}

fn inverses<T: Scalar>() {
    runs::<T>(Family::Getri).for_each(|(entry, n)| from_factors::inverses::<T>(entry, n, &cases()));
}

fn ill_conditioned<T: Scalar>() {
    runs::<T>(Family::Getri)
        .filter(|&(_, n)| n > 8)
        .for_each(|(entry, n)| from_factors::ill_conditioned::<T>(entry, n));
}

/// Fewer right-hand sides than threads, and more, in place and elsewhere.
fn solutions<T: Scalar>() {
    for (entry, n) in runs::<T>(Family::Getrs) {
        for (at, rhs) in [1, 33, 130].into_iter().enumerate().filter(|&(at, _)| at == n % 3 || n < 9) {
            let cases = cases();
            let factored = from_factors::factored::<T>(n, &cases);
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

fn layouts<T: Scalar>() {
    runs::<T>(Family::Getrs)
        .filter(|&(_, n)| n % 2 == 1)
        .for_each(|(entry, n)| from_factors::layouts::<T>(entry, n, 5));
}

for_types! {
    inverses: inverses;
    ill_conditioned: ill_conditioned;
    solutions: solutions;
    layouts: layouts;
}
