//! Solve by a warp a right-hand side, in the emulator: every entry, at its largest order (with `WARPLU_TESTS=all` around
//! it, too), in every layout.

#![cfg(not(target_arch = "nvptx64"))]

#[macro_use]
#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::batch::LAYOUTS;
use common::cases::CASES;
use common::extent::orders;
use common::factored::{Factored, OPS, sides};
use common::from_factors;
use kernels_gpu::entry::{Entry, Variant};
use kernels_gpu::table;
use numbers::scalar::Scalar;

fn entries<T: Scalar>() -> impl Iterator<Item = &'static Entry> {
    table::entries().filter(|entry| entry.kind == T::KIND && matches!(entry.variant, Variant::WarpPerRhs { .. }))
}

fn solutions<T: Scalar>() {
    for entry in entries::<T>() {
        let largest = entry.variant.largest_order() as usize;
        for n in orders(vec![1, largest - 1, largest - 31, largest]) {
            let rhs = if largest > 128 { 1 } else { 1 + n % 4 };
            let cases = if largest > 128 { &CASES[..3] } else { &CASES[..] };
            let factored = Factored::<T>::new(n, cases);
            let b = sides(&factored.a, n, rhs);
            for op in if largest > 192 { &OPS[n % 3..][..1] } else { &OPS[..] } {
                let what = format!("{} n = {n}, {op:?}", entry.name);
                let layouts = [n % LAYOUTS, (n + 1) % LAYOUTS, n / 2 % LAYOUTS];
                let x = factored.solve(entry.variant, &b, *op, layouts);
                for (i, case) in cases.iter().enumerate() {
                    if factored.status[i] != 0 {
                        assert!(x[i].iter().all(|x| !x.is_finite()), "{what} {case:?}");
                        continue;
                    }
                    let ratio = factored.worst_ratio(i, &x[i], &b[i], *op);
                    assert!(ratio < 4.0, "{what} {case:?}: {ratio}");
                }
            }
        }
    }
}

fn layouts<T: Scalar>() {
    for entry in entries::<T>().take(3) {
        from_factors::layouts::<T>(entry, entry.variant.largest_order() as usize - 7, 2);
    }
}

for_types! {
    solutions: solutions;
    layouts: layouts;
}
