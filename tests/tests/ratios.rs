//! LAPACK's test ratios on every size class.

use warplu::verify::Random;
use warplu::{Batch, Device, Element};
use warplu_tests::for_types;
use warplu_tests::judge::{compute, judge};
use warplu_tests::matrices::{fill, layout};

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

/// The last order at which the inversion fits in 227 KiB of shared memory, and the next, which device memory holds.
fn sim_boundary<T: Element>() {
    let n = match T::NAME {
        "f64" => 169,
        "c64" => 119,
        _ => return,
    };
    let device = Device::sim_with_seed(1);
    let mut random = Random::new(5);
    let data: Vec<T> = random.elements(n * n);
    let a = Batch::column_major(&data, 1, n, n).unwrap();
    let lu = device.lu(&a).unwrap();
    assert!(warplu::verify::ratios::lu(&a, &lu, 0).passes());
    let inverse = lu.inverse().unwrap();
    assert!(warplu::verify::ratios::inverse(&a, &inverse.matrices, 0) < warplu::verify::ratios::LIMIT);
}
for_types!(sim_boundary: f64 c64);
