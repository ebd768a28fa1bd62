//! Inverse and solution from factors by matrix instructions, in the emulator: every entry, around its limits, in every
//! layout, and matrices that ask for care.

#![cfg(not(target_arch = "nvptx64"))]

#[macro_use]
#[path = "../common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::batch::LAYOUTS;
use common::cases::{CASES, Case};
use common::factored::{Factored, OPS, sides};
use common::from_factors;
use common::measure::{bits, solution_ratio};
use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::table;
use numbers::scalar::Scalar;

/// The kernels of a family, each with the orders that it is run with: around a chunk, and around the rows of a block.
fn runs<T: Scalar>(family: Family) -> impl Iterator<Item = (&'static Entry, usize)> {
    let entries = table::entries().filter(move |entry| (entry.family, entry.kind) == (family, T::KIND));
    entries.flat_map(|entry| {
        let orders = match entry.variant {
            Variant::FromFactors { panels, tiles, warps } => {
                let (chunk, rows) = (8 * panels as usize, 16 * tiles as usize * warps as usize);
                let mut orders = vec![1, 7, 16, 33, chunk - 1, chunk, chunk + 1, rows, rows + 17];
                if chunk < 100 {
                    orders.push(2 * chunk + 9);
                }
                orders.sort_unstable();
                orders.dedup();
                orders
            }
            _ => vec![],
        };
        orders.into_iter().map(move |n| (entry, n))
    })
}

/// All cases for a small order; a few for others, and each in its turn. The first matrix and the last are the same.
fn cases(n: usize) -> Vec<Case> {
    if n < 40 { CASES.to_vec() } else { vec![CASES[0], CASES[1 + n % (CASES.len() - 2)], CASES[0]] }
}

fn inverses<T: Scalar>() {
    runs::<T>(Family::Getri).for_each(|(entry, n)| from_factors::inverses::<T>(entry, n, &cases(n)));
}

fn ill_conditioned<T: Scalar>() {
    for (entry, n) in runs::<T>(Family::Getri).filter(|&(_, n)| (16..100).contains(&n)).step_by(2) {
        from_factors::ill_conditioned::<T>(entry, n);
    }
}

/// Solutions with numbers of right-hand sides around those of a warp and of a block, in place and elsewhere.
fn solutions<T: Scalar>() {
    for (entry, n) in runs::<T>(Family::Getrs) {
        let Variant::FromFactors { tiles, warps, .. } = entry.variant else { continue };
        let warp = 16 * tiles as usize;
        let most = if n > 100 { warp + 1 } else { warp * warps as usize + 3 };
        for (at, rhs) in
            [1, 5, warp, warp + 1, most].into_iter().enumerate().filter(|(at, _)| n < 40 || at % 2 == n % 2)
        {
            let cases = if n < 20 && rhs < 9 { CASES.to_vec() } else { cases(n.max(40)) };
            let factored = from_factors::factored::<T>(n, &cases);
            let mut b = sides(&factored.a, n, rhs);
            b[cases.len() - 1] = b[0].clone();
            for op in OPS {
                let what = format!("{} n = {n}, {rhs} right-hand sides, {op:?}", entry.name);
                let from = (n + at) % LAYOUTS;
                let layouts = [n % LAYOUTS, from, if at % 2 == 0 { from } else { (n / 2 + at) % LAYOUTS }];
                let x = factored.solve(entry.variant, &b, op, layouts);
                assert_eq!(bits(&x[0]), bits(&x[cases.len() - 1]), "{what}: the batch matters");
                for (i, case) in cases.iter().enumerate() {
                    if factored.status[i] != 0 {
                        assert!(x[i].iter().all(|x| !x.is_finite()), "{what} {case:?}");
                        continue;
                    }
                    let ratio = factored.worst_ratio(i, &x[i], &b[i], op);
                    assert!(ratio < 4.0, "{what} {case:?}: {ratio}");
                }
                if op == OPS[0] {
                    let of = |i: usize| (&factored.a[i], &x[i], &b[i], &factored.lu[i], &factored.pivots[i * n..][..n]);
                    let (a, x, b, lu, pivots) = of(0);
                    let ratio = solution_ratio(a, x, b, lu, pivots, n);
                    assert!(ratio < 1.0, "{what}: {ratio} by components");
                }
            }
        }
    }
}

/// Neither the warps of a block, nor its neighbours, nor a layout change a bit of a solution.
fn blocks<T: Scalar>() {
    for (entry, n) in runs::<T>(Family::Getrs).filter(|&(_, n)| n == 33) {
        let rhs = 16 * 5 + 7;
        let factored = Factored::<T>::new(n, &CASES[..2]);
        let b = sides(&factored.a, n, rhs);
        for op in OPS {
            let expected = factored.solve(entry.variant, &b, op, [1, 1, 1]);
            for (times, layout) in [(60, 1), (100, 0), (1000, 3)] {
                let x = factored.solve_as_one_of(times, entry.variant, &b, op, [layout, 1, layout]);
                for (x, expected) in x.iter().zip(&expected) {
                    assert_eq!(bits(x), bits(expected), "{} {op:?} {times} layout {layout}", entry.name);
                }
            }
            // One right-hand side alone, which does not have the others in its tile.
            let one = |all: &[T]| (0..n).map(|i| all[i * rhs + 20]).collect::<Vec<T>>();
            let alone: Vec<_> = b.iter().map(|b| one(b)).collect();
            for (x, expected) in factored.solve(entry.variant, &alone, op, [1, 1, 1]).iter().zip(&expected) {
                assert_eq!(bits(x), bits(&one(expected)), "{} {op:?}", entry.name);
            }
        }
    }
}

/// A layout changes no bit.
fn layouts<T: Scalar>() {
    for (entry, n) in runs::<T>(Family::Getri).filter(|&(_, n)| n == 33) {
        let factored = Factored::<T>::new(n, &CASES[..2]);
        let (expected, _) = factored.invert(entry.variant, [0, 0]);
        for layout in 1..LAYOUTS {
            let (x, _) = factored.invert(entry.variant, [layout, (layout + 2) % LAYOUTS]);
            for (x, expected) in x.iter().zip(&expected) {
                assert_eq!(bits(x), bits(expected), "{} layout {layout}", entry.name);
            }
        }
    }
}

for_types! {
    inverses: inverses;
    ill_conditioned: ill_conditioned;
    solutions: solutions;
    blocks: blocks;
    layouts: layouts;
}
