//! The published algorithms through the public calls, in the emulator.

use papers::{Allocation, Columns, Correction, Interchange, Published, Strategy};
use proptest::prelude::*;
use warplu::verify::ratios;
use warplu::verify::{Random, make_definite};
use warplu::{Algorithm, Batch, Device, Element, Op, Status, c32, c64};
use warplu_tests::compare::assert_same;

/// Orders around the panels' widths, a warp and the largest block.
const ORDERS: [usize; 12] = [1, 2, 7, 8, 9, 14, 17, 28, 33, 40, 65, 70];

/// Every option of the batched LUs, none of which is the default of another.
fn block_lus() -> Vec<Published> {
    let mut all = Vec::new();
    for nb in [8, 10, 14, 16, 18, 24, 32] {
        for interchange in [Interchange::Sequential, Interchange::Grouped, Interchange::Delayed] {
            all.push(Published::LeftLooking { nb, interchange });
            if interchange != Interchange::Delayed {
                all.push(Published::RightLooking { nb, interchange });
            }
        }
    }
    all
}

/// Every option of the batched inversion.
fn inversions() -> Vec<Published> {
    let mut all = Vec::new();
    for nb in [8, 14, 16, 20, 24, 28] {
        for upper in [Correction::Timely, Correction::Delayed] {
            for lower in [Correction::Timely, Correction::Delayed] {
                for allocation in [Allocation::Static, Allocation::Dynamic] {
                    let columns = if upper == lower { Columns::Gather } else { Columns::Swap };
                    all.push(Published::Corrected { nb, upper, lower, allocation, columns });
                }
            }
        }
    }
    all
}

/// Three random matrices, of a type that changes with the turn, for every algorithm at a third of the orders.
fn each(algorithms: Vec<Published>, check: impl Fn(usize, &Device, Algorithm, usize)) {
    for (i, algorithm) in algorithms.into_iter().map(Algorithm::from).enumerate() {
        let device = Device::sim_with_seed(i as u64).with(algorithm);
        for (j, n) in ORDERS.into_iter().enumerate().filter(|(j, _)| (i + j) % 3 == 0) {
            check(i + j / 3, &device, algorithm, n);
        }
    }
}

fn random<T: Element>(n: usize, batch: usize) -> Vec<T> {
    Random::new((n * 1000 + batch) as u64).elements(batch * n * n)
}

#[test]
fn block_lu_is_right() {
    fn check<T: Element>(device: &Device, algorithm: Algorithm, n: usize) {
        let data: Vec<T> = random(n, 3);
        let a = Batch::column_major(&data, 3, n, n).unwrap();
        let lu = device.lu(&a).unwrap();
        let what = format!("{algorithm}, n = {n}, {}", T::NAME);
        assert_eq!(lu.all_pivots().unwrap(), Device::cpu().lu(&a).unwrap().all_pivots().unwrap(), "{what}");
        assert_eq!(*lu.status(), [Status::Ok; 3], "{what}");
        for b in 0..3 {
            let ratio = ratios::lu(&a, &lu, b).unwrap();
            assert!(ratio.passes(), "{what}: {ratio:?}");
        }
    }
    each(block_lus(), |turn, device, algorithm, n| match turn % 4 {
        0 => check::<f32>(device, algorithm, n),
        1 => check::<f64>(device, algorithm, n),
        2 => check::<c32>(device, algorithm, n),
        _ => check::<c64>(device, algorithm, n),
    });
}

#[test]
fn corrected_inversion_is_right() {
    fn check<T: Element>(device: &Device, algorithm: Algorithm, n: usize) {
        let data: Vec<T> = random(n, 3);
        let a = Batch::row_major(&data, 3, n, n).unwrap();
        let inverse = device.invert(&a).unwrap();
        let what = format!("{algorithm}, n = {n}, {}", T::NAME);
        assert_eq!(inverse.status, [Status::Ok; 3], "{what}");
        for b in 0..3 {
            let ratio = ratios::inverse(&a, &inverse.matrices.view(), b);
            assert!(ratio.passes(), "{what}: {ratio:?}");
        }
        let again = device.lu(&a).unwrap().inverse().unwrap();
        assert_same(&what, again.matrices.as_slice(), inverse.matrices.as_slice());
    }
    each(inversions(), |turn, device, algorithm, n| match turn % 4 {
        0 => check::<f32>(device, algorithm, n),
        1 => check::<f64>(device, algorithm, n),
        2 => check::<c32>(device, algorithm, n),
        _ => check::<c64>(device, algorithm, n),
    });
}

/// The algorithms that solve, and whether they pivot.
const SOLVERS: [Published; 4] = [
    Published::ELIMINATION,
    Published::Elimination { strategy: Strategy::RowsShared, threads: 64, pivoting: false },
    Published::ELEMENT_WISE,
    Published::ElementWise { tile: Some(16) },
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn systems_are_solved(
        n in 1_usize..40,
        batch in 1_usize..4,
        rhs in 1_usize..4,
        which in 0..SOLVERS.len(),
        seed: u64,
    ) {
        let algorithm = Algorithm::from(SOLVERS[which]);
        let device = Device::sim_with_seed(seed).with(algorithm);
        let mut random = Random::new(seed);
        let (mut a, b): (Vec<f64>, Vec<f64>) = (random.elements(batch * n * n), random.elements(batch * n * rhs));
        if !algorithm.pivots() {
            a.chunks_exact_mut(n * n).for_each(|matrix| make_definite(matrix, n));
        }
        let (a, b) = (Batch::row_major(&a, batch, n, n).unwrap(), Batch::column_major(&b, batch, n, rhs).unwrap());
        let (x, lu) = (device.solve(&a, &b).unwrap(), Device::cpu().lu(&a).unwrap());
        for i in 0..batch {
            let ratio = ratios::solve(&a, &lu, Op::None, &b, &x.x, i).unwrap();
            prop_assert!(ratio.passes(), "{algorithm}, n = {n}: {ratio:?}");
        }
    }

    #[test]
    fn hermitian_matrices_are_inverted(n in 1_usize..80, batch in 1_usize..4, which in 0..4_usize, seed: u64) {
        let block = [None, Some(1), Some(32), Some(64)][which];
        let bordering = Algorithm::from(Published::Bordering { block });
        let device = Device::sim_with_seed(seed).with(bordering);
        let mut a: Vec<c64> = Random::new(seed).elements(batch * n * n);
        a.chunks_exact_mut(n * n).for_each(|matrix| make_definite(matrix, n));
        let a = Batch::row_major(&a, batch, n, n).unwrap();
        let inverse = device.invert(&a).unwrap().matrices;
        for i in 0..batch {
            let ratio = ratios::inverse(&a, &inverse.view(), i);
            prop_assert!(ratio.passes(), "{bordering}, n = {n}: {ratio:?}");
        }
    }
}

#[test]
fn without_pivoting_a_singular_leading_block_is_named() {
    // The first is regular, but its leading block of order 1 is not; the second is the identity.
    let a = Batch::row_major(&[0.0_f64, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2, 2, 2).unwrap();
    let b = Batch::row_major(&[1.0, 2.0, 3.0, 4.0], 2, 2, 1).unwrap();
    let device = |published| Device::sim().with(Algorithm::from(published));
    let inverse = device(Published::Bordering { block: Some(1) }).invert(&a).unwrap();
    assert_eq!(inverse.status, [Status::Singular(1), Status::Ok]);
    let by_blocks = device(Published::BORDERING).invert(&a).unwrap();
    assert_eq!(by_blocks.status, [Status::Ok; 2], "rows of a block are interchanged");
    assert_eq!(by_blocks.matrices.as_slice(), [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert!(inverse.matrices.get(0, 0, 1).is_nan());
    assert_eq!(&inverse.matrices.as_slice()[4..], [1.0, 0.0, 0.0, 1.0]);

    let blind = Published::Elimination { strategy: Strategy::Columns, threads: 64, pivoting: false };
    let solution = device(blind).solve(&a, &b).unwrap();
    assert_eq!(solution.status, [Status::Singular(1), Status::Ok]);
    let solution = device(Published::ELIMINATION).solve(&a, &b).unwrap();
    assert_eq!(solution.x.as_slice(), [2.0, 1.0, 3.0, 4.0]);
}

#[test]
fn solutions_may_take_the_place_of_right_hand_sides() {
    use warplu::resident::{DeviceBatch, DeviceBatchMut, InPlace, Size, SolvePlan, of};
    let device = Device::sim().with(Algorithm::from(Published::ELIMINATION));
    let stream = device.stream().unwrap();
    let a = device.upload(&[2.0, 0.0, 0.0, 4.0]).unwrap();
    let (a, mut status) = (DeviceBatch::row_major(&a, 1, 2, 2).unwrap(), device.buffer(1).unwrap());
    for (rhs, b, wanted) in
        [(1, vec![2.0, 4.0], vec![1.0, 1.0]), (2, vec![2.0, 4.0, 4.0, 8.0], vec![1.0, 1.0, 2.0, 2.0])]
    {
        let mut x = device.upload(&b).unwrap();
        let mut place = DeviceBatchMut::column_major(&mut x, 1, 2, rhs).unwrap();
        let plan = SolvePlan::<f64>::new(&device, Size::order(2).rhs(rhs)).unwrap();
        plan.run(&stream, of::Solve { a: &a, b: InPlace, x: &mut place, status: &mut status }).unwrap();
        assert_eq!((x.to_vec().unwrap(), status.to_vec().unwrap()), (wanted, vec![0]));
    }
}
