//! The published algorithms, in the emulator.

use proptest::prelude::*;
use warplu::verify::ratios::{self, LIMIT};
use warplu::{
    Algorithm, Allocation, Batch, Columns, Correction, Device, Element, Interchange, Scalar, Status, c32, c64,
};
use warplu_tests::compare::assert_same;
use warplu_tests::matrices;

/// Orders around the panels' widths, a warp and the largest block.
const ORDERS: [usize; 12] = [1, 2, 7, 8, 9, 14, 17, 28, 33, 40, 65, 70];

fn devices() -> [Device; 2] {
    [Device::sim_with_seed(1), Device::sim_with_seed(99)]
}

fn block_lus() -> Vec<Algorithm> {
    let mut all = Vec::new();
    for nb in [8, 10, 14, 16, 18, 24, 32] {
        for interchange in [Interchange::Sequential, Interchange::Grouped, Interchange::Delayed] {
            all.push(Algorithm::LeftLooking { nb, interchange });
            if interchange != Interchange::Delayed {
                all.push(Algorithm::RightLooking { nb, interchange });
            }
        }
    }
    all
}

fn random<T: Element>(n: usize, batch: usize) -> Vec<T> {
    warplu::verify::Random::new((n * 1000 + batch) as u64).elements(batch * n * n)
}

fn check_lu<T: Element>(device: &Device, algorithm: Algorithm, n: usize) {
    let data: Vec<T> = random(n, 3);
    let a = Batch::column_major(&data, 3, n, n).unwrap();
    let device = device.clone().with_algorithm(algorithm);
    let lu = device.lu(&a).unwrap_or_else(|e| panic!("{algorithm}, n = {n}, {}: {e}", T::NAME));
    let cpu = Device::cpu().lu(&a).unwrap();
    assert_eq!(lu.all_pivots(), cpu.all_pivots(), "{algorithm}, n = {n}, {}", T::NAME);
    assert_eq!(lu.status(), [Status::Ok; 3], "{algorithm}, n = {n}");
    for b in 0..3 {
        let ratio = ratios::lu(&a, &lu, b);
        assert!(ratio.passes(), "{algorithm}, n = {n}, {}: {ratio:?}", T::NAME);
    }
}

#[test]
fn block_lu_is_right() {
    for device in devices() {
        for (i, algorithm) in block_lus().into_iter().enumerate() {
            for (j, n) in ORDERS.into_iter().enumerate() {
                match (i + j) % 4 {
                    0 => check_lu::<f32>(&device, algorithm, n),
                    1 => check_lu::<f64>(&device, algorithm, n),
                    2 => check_lu::<c32>(&device, algorithm, n),
                    _ => check_lu::<c64>(&device, algorithm, n),
                }
            }
        }
    }
}

fn inversions() -> Vec<Algorithm> {
    let mut all = Vec::new();
    for nb in [8, 14, 16, 20, 24, 28] {
        for upper in [Correction::Timely, Correction::Delayed] {
            for lower in [Correction::Timely, Correction::Delayed] {
                let allocation = if nb % 3 == 2 { Allocation::Static } else { Allocation::Dynamic };
                let columns = if upper == lower { Columns::Gather } else { Columns::Swap };
                all.push(Algorithm::Corrected { nb, upper, lower, allocation, columns });
            }
        }
    }
    all
}

fn check_inverse<T: Element>(device: &Device, algorithm: Algorithm, n: usize) {
    let data: Vec<T> = random(n, 3);
    let a = Batch::column_major(&data, 3, n, n).unwrap();
    let device = device.clone().with_algorithm(algorithm);
    let inverse = device.invert(&a).unwrap_or_else(|e| panic!("{algorithm}, n = {n}, {}: {e}", T::NAME));
    assert_eq!(inverse.status, [Status::Ok; 3], "{algorithm}, n = {n}");
    for b in 0..3 {
        let ratio = ratios::inverse(&a, &inverse.matrices, b);
        assert!(ratio < LIMIT, "{algorithm}, n = {n}, {}: {ratio}", T::NAME);
    }
    let again = device.lu(&a).unwrap().inverse().unwrap();
    assert_same("from factors", again.matrices.as_slice(), inverse.matrices.as_slice());
}

#[test]
fn corrected_inversion_is_right() {
    for device in devices() {
        for (i, algorithm) in inversions().into_iter().enumerate() {
            for (j, n) in ORDERS.into_iter().enumerate() {
                match (i + j) % 4 {
                    0 => check_inverse::<f32>(&device, algorithm, n),
                    1 => check_inverse::<f64>(&device, algorithm, n),
                    2 => check_inverse::<c32>(&device, algorithm, n),
                    _ => check_inverse::<c64>(&device, algorithm, n),
                }
            }
        }
    }
}
