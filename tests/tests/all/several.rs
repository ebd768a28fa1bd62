//! Several devices as one: the bits of one alone, whoever has which matrix.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan, Size, of};
use warplu::verify::{Options, Random, run};
use warplu::{Algorithm, Batch, BatchMut, Device, Element, Error, Norm, Op, Real, RealOf, Residual, Statuses};
use warplu_tests::compare::{assert_same, assert_same_results, factors, pivots};
use warplu_tests::for_types;
use warplu_tests::matrices::{fill, layout, mixed, number};
use warplu_tests::results::compute;

/// Two and three emulators, with and without little memory.
fn lists() -> [Device; 3] {
    let sims = |count| Device::sims(count).unwrap();
    [sims(2), sims(3), sims(3).with_memory_limit(40 << 10)]
}

/// Singular matrices and such with a NaN are among them; there are fewer matrices than devices, or none.
fn as_one<T: Element>() {
    for (batch, n, rhs) in [(0, 4, 1), (1, 5, 1), (2, 3, 2), (3, 0, 1), (7, 9, 3), (5, 33, 1), (41, 6, 2), (4, 3, 0)] {
        let mut random = Random::new(n as u64);
        let (a, b): (Vec<T>, Vec<T>) = (mixed(&mut random, batch, n), random.elements(batch * n * rhs));
        let a = Batch::column_major(&a, batch, n, n).unwrap();
        let b = Batch::row_major(&b, batch, n, rhs).unwrap();
        let wanted = compute(&Device::sim(), &a, &b);
        for device in lists() {
            let got = compute(&device, &a, &b);
            assert_same_results(&format!("{device}: {batch} of order {n}"), &got, &wanted);
            let bits = |all: &[RealOf<T>]| all.iter().map(|x| x.to_f64().to_bits()).collect::<Vec<_>>();
            let rcond = |lu: &warplu::Lu<T>| bits(&lu.rcond(&a.norms(Norm::One).unwrap()).unwrap().rcond);
            assert_eq!(rcond(&got.lu), rcond(&wanted.lu), "{device}: {batch} of order {n}");
        }
    }
}
for_types!(as_one);

/// Calls into the caller's memory, of any layout, and in place.
fn in_the_memory_of_the_caller<T: Element<Scalar = T>>() {
    let (batch, n, rhs) = (11, 7, 2);
    for kind in 0..6 {
        let mut random = Random::new(kind as u64);
        let (of_a, len_a) = layout(kind, batch, n, n);
        let (of_b, len_b) = layout(kind, batch, n, rhs);
        let data: Vec<T> = fill(&mut random, of_a, len_a, (batch, n, n));
        let sides: Vec<T> = fill(&mut random, of_b, len_b, (batch, n, rhs));
        let a = Batch::strided(&data, batch, n, n, of_a).unwrap();
        let b = Batch::strided(&sides, batch, n, rhs, of_b).unwrap();
        let results = |device: &Device| {
            let room = |len| vec![number::<T>(7.0); len];
            let mut all: Vec<(Vec<T>, Statuses)> = Vec::new();
            let mut swaps = vec![0; 2 * batch * n];
            let (first, second) = swaps.split_at_mut(batch * n);
            let mut keep = |mut out: Vec<T>, rhs, of, call: &mut dyn FnMut(&mut BatchMut<'_, T>) -> Statuses| {
                let status = call(&mut BatchMut::strided(&mut out, batch, n, rhs, of).unwrap());
                all.push((out, status));
            };
            keep(room(len_a), n, of_a, &mut |to| device.lu_into(&a, to, &mut *first).unwrap());
            keep(data.clone(), n, of_a, &mut |to| device.lu_in_place(to, &mut *second).unwrap());
            keep(room(len_a), n, of_a, &mut |to| device.invert_into(&a, to).unwrap());
            keep(data.clone(), n, of_a, &mut |to| device.invert_in_place(to).unwrap());
            let lu = device.lu(&a).unwrap();
            keep(room(len_b), rhs, of_b, &mut |to| device.solve_into(&a, &b, to).unwrap());
            keep(sides.clone(), rhs, of_b, &mut |to| device.solve_in_place(&a, to).unwrap());
            keep(room(len_b), rhs, of_b, &mut |to| lu.solve_into(&b, to, Op::Adjoint).unwrap());
            keep(sides.clone(), rhs, of_b, &mut |to| lu.solve_in_place(to, Op::Adjoint).unwrap());
            (all, swaps)
        };
        let (wanted, wanted_swaps) = results(&Device::sim());
        for device in lists() {
            let (got, swaps) = results(&device);
            for (at, (got, wanted)) in got.iter().zip(&wanted).enumerate() {
                assert_same(&format!("{device}, layout {kind}, call {at}"), &got.0, &wanted.0);
                assert_eq!(got.1, wanted.1);
            }
            assert_eq!(swaps, wanted_swaps);
        }
    }
}
for_types!(in_the_memory_of_the_caller: f32 c64);

/// Factors are divided, whichever call makes them or asks for them, and whichever size is next.
#[test]
fn factors_of_any_size() {
    let count = |batch: usize, n: usize, seed: u64| -> Vec<f64> { mixed(&mut Random::new(seed), batch, n) };
    for device in lists() {
        let mut lu = device.lu(&Batch::row_major(&[2.0], 1, 1, 1).unwrap()).unwrap();
        for (seed, (batch, n)) in
            [(7, 9), (7, 9), (2, 9), (1, 20), (0, 3), (12, 5), (3, 0), (12, 5)].into_iter().enumerate()
        {
            let data = count(batch, n, seed as u64);
            let a = Batch::row_major(&data, batch, n, n).unwrap();
            lu.refactor(&a).unwrap();
            let wanted = Device::sim().lu(&a).unwrap();
            assert_same("factors", factors(&lu).as_slice(), factors(&wanted).as_slice());
            assert_eq!((pivots(&lu), lu.status()), (pivots(&wanted), wanted.status()));
            let shared = lu.clone();
            assert_same(
                "inverses",
                shared.inverse().unwrap().matrices.as_slice(),
                wanted.inverse().unwrap().matrices.as_slice(),
            );
        }
    }
}

/// By many blocks a matrix, for which each machine has its own workspace, and by factors.
#[test]
fn other_kernels() {
    let (batch, n, rhs) = (3, 66, 6);
    let mut random = Random::new(1);
    let (a, b): (Vec<f32>, Vec<f32>) = (mixed(&mut random, batch, n), random.elements(batch * n * rhs));
    let (a, b) = (Batch::row_major(&a, batch, n, n).unwrap(), Batch::row_major(&b, batch, n, rhs).unwrap());
    let with = |device: Device| device.with(Algorithm::Latency).with(Residual::Both);
    let wanted = compute(&with(Device::sim()), &a, &b);
    assert_same_results("latency", &compute(&with(Device::sims(2).unwrap()), &a, &b), &wanted);
}

#[test]
fn what_cannot_be_done_is_said_as_by_one() {
    let a = Batch::row_major(&[1.0_f64; 0], 0, 40, 40).unwrap();
    for device in [Device::sim(), Device::sims(3).unwrap()] {
        let device = device.with(Algorithm::Kernel("getrf_in_registers_n32"));
        let error = device.lu(&a).unwrap_err();
        assert!(matches!(&error, Error::Unsupported(_)) && error.to_string().contains("order 32"), "{error}");
    }
    let a = [1.0_f64; 3 * 100];
    let a = Batch::row_major(&a, 3, 10, 10).unwrap();
    let error = Device::sims(2).unwrap().with_memory_limit(100).invert(&a).unwrap_err();
    let Error::OneOfSeveral { device, source } = &error else { panic!("{error}") };
    assert!(device == "sim" && matches!(**source, Error::Memory { available: 100, .. }), "{error}");
}

#[test]
fn progress_counts_every_matrix_once() {
    let (batch, n) = (33, 5);
    let data: Vec<f64> = Random::new(3).elements(batch * n * n);
    let a = Batch::row_major(&data, batch, n, n).unwrap();
    for device in lists() {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let device = device.with_progress(move |matrices| {
            counter.fetch_add(matrices, Ordering::Relaxed);
        });
        let counted = |what: &str, wanted| assert_eq!(count.swap(0, Ordering::Relaxed), wanted, "{device}: {what}");
        drop(device.invert(&a).unwrap());
        counted("inverse", batch);
        let lu = device.lu(&a).unwrap();
        counted("lu", batch);
        lu.factors().unwrap();
        counted("factors", 0);
        drop(lu.inverse().unwrap());
        counted("inverse from factors", batch);
        drop(lu.rcond(&a.norms(Norm::One).unwrap()).unwrap());
        counted("condition numbers", batch);
        for one in device.devices() {
            drop(one.det(&a).unwrap());
        }
        counted("each by itself", device.devices().len() * batch);
    }
}

#[test]
fn resident_work_is_of_one() {
    let both = Device::sims(2).unwrap();
    for error in [both.upload(&[1.0]).map(drop), both.stream().map(drop), both.pivots(1, 1).map(drop)] {
        let error = error.unwrap_err();
        assert!(matches!(error, Error::Unsupported(_)) && error.to_string().contains("Device::devices()"), "{error}");
    }
    let error = InversePlan::<f64>::new(&both, Size::order(2)).unwrap_err().to_string();
    assert!(error.contains("choose one"), "{error}");
    let error = run(&both, &Options::default(), |_| {}).unwrap_err().to_string();
    assert!(error.contains("choose one"), "{error}");
    let [one, other] = <[Device; 2]>::try_from(both.devices()).unwrap();
    let plan = InversePlan::<f64>::new(&one, Size::order(1)).unwrap();
    let stream = one.stream().unwrap();
    for (device, works) in [(&one, true), (&other, false)] {
        let (a, mut x, mut status) =
            (device.upload(&[2.0]).unwrap(), device.buffer(1).unwrap(), device.buffer::<i32>(1).unwrap());
        let mut to = DeviceBatchMut::row_major(&mut x, 1, 1, 1).unwrap();
        let operands =
            of::Inverse { a: &DeviceBatch::row_major(&a, 1, 1, 1).unwrap(), inverse: &mut to, status: &mut status };
        let done = plan.run(&stream, operands);
        match done {
            Ok(()) => assert!(works && x.to_vec().unwrap() == [0.5]),
            Err(error) => assert!(!works && error.to_string().contains("of one device"), "{error}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any number of devices and matrices, with any limit that holds a few of them.
    #[test]
    fn any_division(count in 1_usize..6, batch in 0_usize..14, n in 1_usize..12, kib in 8_usize..40, seed: u64) {
        let mut random = Random::new(seed);
        let (a, b): (Vec<f32>, Vec<f32>) = (mixed(&mut random, batch, n), random.elements(batch * n));
        let (a, b) = (Batch::row_major(&a, batch, n, n).unwrap(), Batch::row_major(&b, batch, n, 1).unwrap());
        let device = Device::sims(count).unwrap().with_memory_limit(kib << 10);
        assert_same_results("any", &compute(&device, &a, &b), &compute(&Device::sim(), &a, &b));
    }
}
