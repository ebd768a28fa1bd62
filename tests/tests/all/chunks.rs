//! Batches that go through a device by chunks: the same bits whatever the chunks, and each matrix once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use warplu::verify::Random;
use warplu::{Batch, BatchMut, Device, Element, Error, Op};
use warplu_tests::compare::{assert_same, assert_same_results, factors, pivots};
use warplu_tests::matrices::mixed;
use warplu_tests::results::compute;
use warplu_tests::{devices, for_types};

/// The least memory limit with which a call goes through, found from what the error says.
#[track_caller]
fn least<R: std::fmt::Debug>(call: impl Fn(&Device) -> Result<R, Error>) -> usize {
    let mut limit = 1;
    loop {
        match call(&Device::sim().with_memory_limit(limit)) {
            Err(Error::Memory { needed, available }) if needed > limit && available == limit => limit = needed,
            Ok(_) => return limit,
            other => panic!("{limit} bytes: {other:?}"),
        }
    }
}

fn any_chunk<T: Element>() {
    let (batch, n, rhs) = (41, 7, 3);
    let mut random = Random::new(2);
    let (a, b): (Vec<T>, Vec<T>) = (mixed(&mut random, batch, n), random.elements(batch * n * rhs));
    let a = Batch::column_major(&a, batch, n, n).unwrap();
    let b = Batch::column_major(&b, batch, n, rhs).unwrap();
    let whole = compute(&Device::sim(), &a, &b);
    let limits = [
        least(|device| device.lu(&a)),
        least(|device| device.lu(&a)?.solve(&b, Op::None)),
        least(|device| device.lu(&a)?.inverse()),
        least(|device| device.invert(&a)),
        least(|device| device.solve(&a, &b)),
        least(|device| device.det(&a)),
    ];
    // One matrix at a time in one of the calls at least; a few; nearly all.
    let one = *limits.iter().max().unwrap();
    for limit in [one, one + 1, 2 * one, 5 * one, 20 * one, 60 * one] {
        let parts = compute(&Device::sim().with_memory_limit(limit), &a, &b);
        assert_same_results(&format!("{limit} bytes"), &parts, &whole);
    }
}
for_types!(any_chunk);

/// Factors beyond the limit, which are kept on the host, and within, which stay on the device.
fn factors_anywhere<T: Element>() {
    let n = 10;
    let one = n * n * size_of::<T::Scalar>() + 4 * n;
    for (batch, matrices) in [1, 2, 12].into_iter().flat_map(|batch| [4, 5, 6, 9, 15, 18, 30, 99].map(|m| (batch, m))) {
        let a: Vec<T> = mixed(&mut Random::new(3), batch, n);
        let a = Batch::row_major(&a, batch, n, n).unwrap();
        let wanted = Device::sim().lu(&a).unwrap();
        let device = Device::sim().with_memory_limit(matrices * one + 64);
        let fails = |e: Error| panic!("{batch} matrices, room for {matrices}: {e}");
        let mut lu = device.lu(&a).unwrap_or_else(fails);
        for _ in 0..2 {
            assert_same("factors", factors(&lu).as_slice(), factors(&wanted).as_slice());
            assert_eq!((pivots(&lu), lu.status()), (pivots(&wanted), wanted.status()));
            let inverse = lu.inverse().unwrap_or_else(|e| panic!("{batch} matrices, room for {matrices}: {e}"));
            assert_same("inverse", inverse.matrices.as_slice(), wanted.inverse().unwrap().matrices.as_slice());
            assert_eq!(lu.det().unwrap().status, *wanted.status());
            // And once more in the same place.
            lu.refactor(&a).unwrap();
        }
    }
}
for_types!(factors_anywhere);

#[test]
fn progress_counts_every_matrix_once() {
    let (batch, n) = (33, 5);
    let data: Vec<f64> = Random::new(3).elements(batch * n * n);
    let a = Batch::row_major(&data, batch, n, n).unwrap();
    let b = Batch::row_major(&data[..batch * n], batch, n, 1).unwrap();
    for limit in [3000, 10 << 10, usize::MAX] {
        for device in devices(1) {
            let count = Arc::new(AtomicUsize::new(0));
            let counter = count.clone();
            let device = device.with_memory_limit(limit).with_progress(move |matrices| {
                assert!(matrices > 0);
                counter.fetch_add(matrices, Ordering::Relaxed);
            });
            let counted = |what: &str, wanted: usize| {
                assert_eq!(count.swap(0, Ordering::Relaxed), wanted, "{device}, {limit} bytes: {what}");
            };
            let lu = device.lu(&a).unwrap();
            counted("LU", batch);
            let _ = lu.solve(&b, Op::None).unwrap();
            counted("solution from factors", batch);
            let _ = lu.inverse().unwrap();
            counted("inverse from factors", batch);
            let _ = lu.det().unwrap();
            counted("determinant from factors", batch);
            lu.factors().unwrap();
            counted("factors, which are finished already", 0);
            let _ = device.invert(&a).unwrap();
            counted("inverse", batch);
            let _ = device.det(&a).unwrap();
            counted("determinant", batch);
            let _ = device.solve(&a, &b).unwrap();
            counted("solution", batch);
            let mut x = data.clone();
            let mut x = BatchMut::row_major(&mut x, batch, n, n).unwrap();
            let _ = device.invert_in_place(&mut x).unwrap();
            counted("inverse in place", batch);
            let mut pinned = device.pinned::<f64>(batch * n * n).unwrap();
            pinned.copy_from_slice(&data);
            let mut pinned = BatchMut::row_major(&mut pinned, batch, n, n).unwrap();
            let _ = device.lu_in_place(&mut pinned, &mut vec![0; batch * n]).unwrap();
            counted("LU in page-locked memory", batch);
        }
    }
}

/// Right-hand sides of 3 MB for each matrix: beyond a slot, so that one matrix passes in several pieces.
#[test]
fn a_matrix_may_be_larger_than_a_slot() {
    let (batch, rhs) = (3, 200_000);
    // Rounding has no part in these.
    let a: Vec<f64> = [[2.0, 1.0, 1.0, 1.0], [0.0, 4.0, 2.0, 1.0], [1.0, 0.0, 0.0, -2.0]].concat();
    let x: Vec<f64> = (0..batch * 2 * rhs).map(|k| (k % 1013) as f64 - 500.0).collect();
    let at = |k: usize, i: usize| (k / (2 * rhs) * 2 + i) * rhs + k % rhs; // C order
    let b: Vec<f64> = (0..batch * 2 * rhs)
        .map(|k| {
            let row = &a[(k / (2 * rhs) * 2 + k / rhs % 2) * 2..][..2];
            row[0] * x[at(k, 0)] + row[1] * x[at(k, 1)]
        })
        .collect();
    let a = Batch::row_major(&a, batch, 2, 2).unwrap();
    let sides = Batch::row_major(&b, batch, 2, rhs).unwrap();
    for device in devices(1) {
        assert_eq!(device.solve(&a, &sides).unwrap().x.as_slice(), x, "{device}");
        let lu = device.lu(&a).unwrap();
        let mut turned = vec![0.0; b.len()];
        let mut out = BatchMut::column_major(&mut turned, batch, 2, rhs).unwrap();
        assert!(lu.solve_into(&sides, &mut out, Op::None).unwrap().all_ok());
        let wanted = |k: usize| x[at(k / (2 * rhs) * 2 * rhs + k / 2 % rhs, k % 2)];
        assert!(turned.iter().enumerate().all(|(k, &x)| x == wanted(k)), "{device}: from C order to column-major");
    }
}

/// Copies of several MiB, in pieces that end anywhere.
fn large_buffers<T: Element>() {
    let len = (5 << 20) / size_of::<T>() + 12_345;
    let mut data: Vec<T> = Random::new(7).elements(len);
    for device in devices(1) {
        let mut buffer = device.upload(&data).unwrap();
        assert!(buffer.to_vec().unwrap() == data, "{device}");
        let range = 1_001..len - 77;
        assert!(buffer.slice(range.clone()).unwrap().to_vec().unwrap() == data[range.clone()], "{device}: a range");
        data[range.clone()].reverse();
        buffer.slice_mut(range.clone()).unwrap().copy_from(&data[range]).unwrap();
        let mut back = device.pinned::<T>(len).unwrap();
        buffer.copy_to(&mut back).unwrap();
        assert!(*back == data, "{device}: to page-locked memory");
    }
}
for_types!(large_buffers: f32 c64 f16);

#[test]
fn too_little_memory_is_an_error() {
    let data = vec![1.0_f64; 3 * 20 * 20];
    let a = Batch::row_major(&data, 3, 20, 20).unwrap();
    let b = Batch::row_major(&data[..60], 3, 20, 1).unwrap();
    let small = Device::sim().with_memory_limit(1000);
    let errors =
        [small.lu(&a).map(drop), small.invert(&a).map(drop), small.solve(&a, &b).map(drop), small.det(&a).map(drop)];
    for error in errors {
        assert!(matches!(error, Err(Error::Memory { needed, available: 1000 }) if needed > 1000), "{error:?}");
    }
    // A device's limit is its own.
    assert!(Device::sim().lu(&a).unwrap().solve(&b, Op::None).is_ok());
}
