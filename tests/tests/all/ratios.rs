//! LAPACK's test ratios on every size class.

use warplu::verify::Random;
use warplu::verify::ratios;
use warplu::{Algorithm, Batch, Device, Element, Op, Pivoting, Scalar};
use warplu_tests::judge::judge;
use warplu_tests::matrices::{fill, layout};
use warplu_tests::results::compute;
use warplu_tests::{for_types, is_exhaustive};

/// Judges every operation on random matrices.
fn check<T: Element>(device: &Device, n: usize, batch: usize, rhs: usize) {
    let mut random = Random::new(n as u64);
    let kind = n % 2; // C order and column-major in turn
    let (a_layout, a_len) = layout(kind, batch, n, n);
    let (b_layout, b_len) = layout(kind, batch, n, rhs);
    let a = fill::<T>(&mut random, a_layout, a_len, (batch, n, n));
    let b: Vec<T> = random.elements(b_len);
    let a = Batch::strided(&a, batch, n, n, a_layout).unwrap();
    let b = Batch::strided(&b, batch, n, rhs, b_layout).unwrap();
    judge(&format!("{device} {} n = {n}", T::NAME), &a, &b, &compute(device, &a, &b));
}

fn cpu_small_orders<T: Element>() {
    for n in 1..=66 {
        check::<T>(&Device::cpu(), n, [5, 1, 17][n % 3], 1 + n % 9);
    }
}
for_types!(cpu_small_orders);

fn cpu_larger_orders<T: Element>() {
    for n in [96, 100, 127, 128, 129, 130, 190, 255, 256, 257] {
        check::<T>(&Device::cpu(), n, 2, 1 + n % 4);
    }
    check::<T>(&Device::cpu(), 512, 1, 2);
}
for_types!(cpu_larger_orders);

fn sim_small_orders<T: Element>() {
    for n in 1..=66 {
        let batch = if n <= 32 { [5, 1, 3][n % 3] } else { 1 };
        check::<T>(&Device::sim_with_seed(n as u64), n, batch, 1 + n % 9);
    }
}
for_types!(sim_small_orders);

/// Where diagonals dominate, numbers are divided by them and little else: rounding errors do not add up with the order,
/// as they would in sums that are cut off instead of rounded.
fn sums_are_rounded<T: Element>() {
    for (n, algorithm) in [(100, Algorithm::Auto), (160, Algorithm::Auto), (160, Algorithm::Latency)] {
        let mut random = Random::new(n as u64);
        let mut data: Vec<T> = random.elements(n * n);
        for i in 0..n {
            data[i * n + i] = T::narrow(T::Scalar::from_c64((2.0 * n as f64).into()));
        }
        let b: Vec<T> = random.elements(n * 6);
        let (a, b) = (Batch::row_major(&data, 1, n, n).unwrap(), Batch::row_major(&b, 1, n, 6).unwrap());
        for pivoting in [Pivoting::Partial, Pivoting::None] {
            let device = Device::sim().with(algorithm).with(pivoting);
            let lu = device.lu(&a).unwrap();
            let at_once = device.solve(&a, &b).unwrap();
            for x in [lu.solve(&b, Op::None).unwrap(), at_once] {
                let ratio = ratios::solve(&a, &lu, Op::None, &b, &x.x, 0).unwrap();
                assert!(ratio.norm < 6.0, "{} n = {n}, {algorithm}, {pivoting}: {ratio:?}", T::NAME);
            }
        }
    }
}
for_types!(sums_are_rounded: f32 c32);

/// By many blocks a matrix. One order will do, and the smallest, that of few matrices, mostly does: the kernels have
/// tests of their own at all their limits.
#[test]
fn sim_many_blocks() {
    check::<f32>(&Device::sim().with(Algorithm::Latency), 208, 1, 6);
    if is_exhaustive() {
        check::<f32>(&Device::sim(), 514, 1, 2);
    }
}

/// By the choice for few matrices: with a block each, and with many.
fn sim_few<T: Element>() {
    let few = Device::sim().with(Algorithm::Latency);
    check::<T>(&few, 9, 2, 2);
    check::<T>(&few, 40, 2, 1);
    check::<T>(&few, 120, 1, 6);
    if is_exhaustive() {
        check::<T>(&few, 208, 1, 1);
    }
    check::<T>(&Device::cpu().with(Algorithm::Latency), 40, 2, 1);
}
for_types!(sim_few: f32 c64);

/// Orders around those at which 227 KiB of shared memory no longer hold the matrix: first the inversion, then the
/// factorization moves to device memory.
fn sim_boundaries<T: Element>() {
    let orders: &[usize] = match T::NAME {
        "f32" => &[239, 242],
        "f64" => &[160, 169, 172],
        "c32" => &[169, 172],
        _ => &[112, 119, 122],
    };
    for &n in orders {
        let device = Device::sim_with_seed(1);
        let mut random = Random::new(5);
        let (data, b): (Vec<T>, Vec<T>) = (random.elements(n * n), random.elements(n * 33));
        let (a, b) = (Batch::column_major(&data, 1, n, n).unwrap(), Batch::column_major(&b, 1, n, 33).unwrap());
        let lu = device.lu(&a).unwrap();
        assert!(ratios::lu(&a, &lu, 0).unwrap().passes(), "LU, n = {n}");
        assert!(ratios::inverse(&a, &lu.inverse().unwrap().matrices.view(), 0).passes(), "inverse, n = {n}");
        for op in [Op::None, Op::Adjoint] {
            let ratio = ratios::solve(&a, &lu, op, &b, &lu.solve(&b, op).unwrap().x, 0).unwrap();
            assert!(ratio.passes(), "{op:?}, n = {n}: {ratio:?}");
        }
    }
}
for_types!(sim_boundaries: f32 f64 c32 c64);
