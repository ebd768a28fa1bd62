//! Operations by many blocks on GPUs without clusters, in the emulator.

use numbers::op::Op;
use numbers::scalar::c64;

use super::*;
use crate::backend::Backend;
use crate::batch::Batch;
use crate::choice::Limits;
use crate::device::Device;
use crate::element::Element;
use crate::is_exhaustive;

/// The emulator of a GPU without clusters.
fn device() -> Device {
    Device::new(Backend::sim_of(Limits { tier: 86, shared_bytes: 99 << 10 }, 1))
}

/// All operations on matrices that are too large for a block, whose second one is that of another batch, too.
fn check<T: Element<Scalar = T> + Scalar>(n: usize, tolerance: f64) {
    let mut state = n as u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let a: Vec<T> = (0..2 * n * n).map(|_| T::from_c64(c64::new(random(), random()))).collect();
    let both = Batch::row_major(&a, 2, n, n).unwrap();
    let second = Batch::row_major(&a[n * n..], 1, n, n).unwrap();
    let b: Vec<T> = (0..2 * n).map(|_| T::from_c64(c64::new(random(), random()))).collect();
    let sides = Batch::row_major(&b, 2, n, 1).unwrap();

    let lu = device().lu(&both).unwrap();
    let alone = device().lu(&second).unwrap();
    assert_eq!(lu.factors().unwrap().as_slice()[n * n..], *alone.factors().unwrap().as_slice());
    assert_eq!(lu.pivots(1).unwrap(), alone.pivots(0).unwrap());
    let inverse = alone.inverse().unwrap().matrices;
    let solutions = [device().solve(&both, &sides).unwrap().x, lu.solve(&sides, Op::None).unwrap().x];
    let multiply = |a: &[T], x: &[T], i: usize| {
        (0..n).fold(c64::new(0.0, 0.0), |sum, k| sum + a[i * n + k].to_c64() * x[k].to_c64())
    };
    for x in &solutions {
        for m in 0..2 {
            let (a, x) = (&a[m * n * n..][..n * n], &x.as_slice()[m * n..][..n]);
            let largest = x.iter().map(|x| x.to_c64().norm()).fold(1.0, f64::max);
            for i in 0..n {
                let residual = (multiply(a, x, i) - b[m * n + i].to_c64()).norm();
                assert!(residual < tolerance * largest, "n = {n}, matrix {m}, row {i}: {residual}");
            }
        }
    }
    // A column of A^-1 solves for one of the unit matrix.
    let column: Vec<T> = (0..n).map(|i| inverse.as_slice()[i * n + 7]).collect();
    let largest = column.iter().map(|x| x.to_c64().norm()).fold(1.0, f64::max);
    for i in 0..n {
        let residual = (multiply(&a[n * n..], &column, i) - f64::from(u8::from(i == 7))).norm();
        assert!(residual < 10.0 * tolerance * largest, "n = {n}, inverse, row {i}: {residual}");
    }
}

#[test]
fn without_clusters() {
    check::<f32>(515, 1e-3);
    if is_exhaustive() {
        check::<c64>(513, 1e-11);
    }
}

#[test]
fn they_take_launches_of_columns() {
    let kernels = |device: &Device| {
        let size = Problem { n: 600, batch: 1, rhs: 1 };
        ByBlocks::<f64>::new(&device.single().unwrap(), size, Given::Matrices, &mut Space::default())
            .unwrap()
            .unwrap()
            .names()
    };
    assert!(kernels(&device()).contains(&"steps_column_f64"));
    assert!(!kernels(&Device::sim()).contains(&"steps_column_f64"));
}
