//! Solve by a cluster a right-hand side, in the emulator: clusters of all sizes, orders around the ends of strips, all
//! operations and layouts, and bit for bit what a warp a right-hand side gives.

#![cfg(not(target_arch = "nvptx64"))]

#[macro_use]
#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::batch::{LAYOUTS, launch, launch_as};
use common::cases::{CASES, Case};
use common::extent::is_exhaustive;
use common::factored::{Factored, OPS, sides};
use common::measure::bits;
use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::operation::GetrsArgs;
use kernels_gpu::shape::Shape;
use kernels_gpu::table;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use numbers::status::side_not_finite;
use simt::cpu::Memory;

/// The launch by clusters of so many blocks.
fn by_clusters<T: Scalar>(blocks: u32) -> impl Fn(&Memory, Problem, GetrsArgs<T>) {
    move |memory, problem, args| {
        let entry = table::find(Family::Getrs, Variant::ClusterPerRhs, T::KIND).unwrap();
        let clusters = problem.batch * u64::from(problem.rhs);
        let shape = Shape { blocks: clusters * u64::from(blocks), cluster: blocks, ..entry.shape(&problem) };
        launch_as(memory, entry, shape, (problem.n, u64::from(problem.n + blocks)), args);
    }
}

/// The launch by a warp a right-hand side.
fn by_warps<T: Scalar>(memory: &Memory, problem: Problem, args: GetrsArgs<T>) {
    let fits = |variant: &Variant| matches!(variant, Variant::WarpPerRhs { n, .. } if u32::from(*n) >= problem.n);
    let variants = table::entries().filter(|entry| entry.kind == T::KIND).map(|entry| entry.variant);
    launch::<T, _>(memory, Family::Getrs, variants.into_iter().find(fits).unwrap(), problem, args);
}

/// Solutions in several layouts, by clusters of `blocks` blocks, against those by warps.
fn check<T: Scalar>(n: usize, blocks: u32, rhs: usize, cases: &[Case]) {
    let factored = Factored::<T>::new(n, cases);
    let b = sides(&factored.a, n, rhs);
    for (i, op) in OPS.into_iter().enumerate() {
        let layouts = [(n + i) % LAYOUTS, (n / 2 + i) % LAYOUTS, (n + blocks as usize) % LAYOUTS];
        let (x, status) = factored.solve_by(by_clusters(blocks), &b, op, layouts);
        let (expected, _) = factored.solve_by(by_warps, &b, op, [0; 3]);
        for (i, case) in cases.iter().enumerate() {
            let what = format!("{} n = {n}, {blocks} blocks, {rhs} right-hand sides, {op:?}, {case:?}", T::KIND.name());
            let is_finite = expected[i].iter().all(|x| x.is_finite());
            if is_finite || rhs > 1 {
                assert_eq!(bits(&x[i]), bits(&expected[i]), "{what}");
            } else {
                assert!(x[i].iter().all(|x| !x.is_finite()), "{what}");
            }
            if rhs == 1 {
                let expected =
                    if is_finite || factored.status[i] != 0 { factored.status[i] } else { side_not_finite(0) };
                assert_eq!(status[i], expected, "{what}");
            }
            if factored.status[i] == 0 && is_finite {
                let ratio = factored.worst_ratio(i, &x[i], &b[i], op);
                assert!(ratio < 4.0, "{what}: {ratio}");
            }
        }
    }
}

fn strips<T: Scalar>() {
    check::<T>(1, 1, 1, &CASES);
    check::<T>(7, 2, 1, &CASES);
    check::<T>(31, 4, 2, &CASES[1..4]);
    check::<T>(32, 1, 1, &CASES);
    check::<T>(33, 1, 3, &CASES[..3]);
    check::<T>(65, 1, 1, &CASES);
    check::<T>(97, 8, 1, &CASES[4..]);
    check::<T>(161, 1, 1, &CASES[..3]);
}

/// Several runs of strips a block, to and fro; and more strips than warps.
fn runs<T: Scalar>() {
    check::<T>(300, 2, 1, &CASES[..1]);
    check::<T>(290, 1, 1, &CASES[2..3]);
    check::<T>(419, 2, 1, &CASES[..1]);
}

for_types! {
    strips: strips;
    runs: runs;
}

/// How many blocks a cluster has does not matter, bit for bit, also above the largest order of the warps' kernels.
#[test]
fn clusters_agree() {
    let factored = Factored::<f32>::new(1059, &[Case::Random]);
    let b = sides(&factored.a, factored.n, 1);
    for op in OPS {
        let solve = |blocks| factored.solve_by(by_clusters(blocks), &b, op, [1; 3]).0.remove(0);
        let one = solve(1);
        let ratio = factored.worst_ratio(0, &one, &b[0], op);
        assert!(ratio < 4.0, "{op:?}: {ratio}");
        for &blocks in if is_exhaustive() { &[4, 16][..] } else { &[16] } {
            assert_eq!(bits(&solve(blocks)), bits(&one), "{blocks} blocks, {op:?}");
        }
    }
}

/// Of a large system, many products that are each too small to change the sum do so together.
#[test]
fn small_products_add_up() {
    let (n, small) = (1059, 2_f32.powi(-25));
    let is_small = |i: usize, j: usize| i < j && (i == 0 || j == n - 1);
    let element = |i: usize, j: usize| if i == j { 1.0 } else { small * f32::from(is_small(i, j)) };
    let factored = Factored::of(n, vec![(0..n * n).map(|e| element(e / n, e % n)).collect()]);
    for (op, row) in [(OPS[0], 0), (OPS[1], n - 1), (OPS[2], n - 1)] {
        let x = factored.solve_by(by_clusters(4), &[vec![1.0; n]], op, [0; 3]).0.remove(0);
        let error = x[row] - (1.0 - (n - 1) as f32 * small);
        // Those of the last strip's 32 columns may be lost.
        assert!(error.abs() <= 33.0 * small, "{op:?}: {error:e}");
    }
}

/// Interchanges with earlier rows, which no LU leaves, but a caller may have.
#[test]
fn interchanges_of_any_kind() {
    let n = 75;
    let mut factored = Factored::<f64>::new(n, &[Case::Random, Case::Ties]);
    factored.pivots = (0..2 * n as u32).map(|k| k * 29 % n as u32).collect();
    let b = sides(&factored.a, n, 1);
    for op in OPS {
        let (x, _) = factored.solve_by(by_clusters(2), &b, op, [0; 3]);
        let (expected, _) = factored.solve_by(by_warps, &b, op, [0; 3]);
        assert!(x.iter().zip(&expected).all(|(x, expected)| bits(x) == bits(expected)), "{op:?}");
    }
}

/// A solution that overflows is all NaN, and its status says so, wherever the overflow begins.
#[test]
fn solutions_that_overflow() {
    for (n, row) in [(40, 39), (40, 0), (100, 64)] {
        let mut factored = Factored::<f32>::new(n, &[Case::Random, Case::Random]);
        factored.lu[1] = (0..n * n).map(|e| if e % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
        factored.lu[1][row * (n + 1)] = 1e-30;
        let b = vec![vec![1e30; n]; 2];
        for op in OPS {
            let (x, status) = factored.solve_by(by_clusters(2), &b, op, [0; 3]);
            assert_eq!(status, [0, side_not_finite(0)], "n = {n}, {op:?}");
            assert!(x[0].iter().all(|x| x.is_finite()) && x[1].iter().all(|x| x.is_nan()), "n = {n}, {op:?}");
        }
    }
}
