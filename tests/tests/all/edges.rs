//! Empty batches, wrong shapes, names: the calls on host memory at their edges.

use warplu::verify::Random;
use warplu::{Batch, Device, Element, Error, Layout, Op, Status, bf16, f16};
use warplu_tests::results::compute;
use warplu_tests::{devices, for_types};

fn empty<T: Element>() {
    let elements: Vec<T> = Random::new(1).elements(18);
    for device in devices(1) {
        for (batch, n, rhs) in [(0, 3, 1), (0, 0, 0), (5, 0, 2), (2, 3, 0), (0, 3, 0), (1, 0, 0)] {
            let a = Batch::row_major(&elements[..batch * n * n], batch, n, n).unwrap();
            let b = Batch::row_major(&elements[..batch * n * rhs], batch, n, rhs).unwrap();
            let results = compute(&device, &a, &b);
            assert_eq!((results.lu.batch(), results.lu.n()), (batch, n));
            assert_eq!(**results.lu.status(), vec![Status::Ok; batch]);
            for solution in &results.solutions {
                assert_eq!((solution.x.batch(), solution.x.rows(), solution.x.cols()), (batch, n, rhs));
                assert_eq!((solution.x.as_slice().len(), solution.status.len()), (batch * n * rhs, batch));
            }
            for inverse in &results.inverses {
                assert_eq!((inverse.matrices.as_slice().len(), inverse.status.len()), (batch * n * n, batch));
            }
            for det in &results.dets {
                assert_eq!((det.sign.len(), det.log_abs.len(), det.status.len()), (batch, batch, batch));
                if n == 0 {
                    // The determinant of the empty matrix is 1.
                    let zero_log = det.log_abs.iter().all(|&x| warplu::Real::to_f64(x) == 0.0);
                    assert!(zero_log && det.sign.iter().all(|&x| x == <T::Scalar as warplu::Scalar>::ONE));
                }
            }
        }
    }
}
for_types!(empty);

/// Asserts that a call fails with a shape error whose message holds `part`.
#[track_caller]
fn assert_shape_error<T: std::fmt::Debug>(result: Result<T, Error>, part: &str) {
    match result {
        Err(error @ Error::Shape(_)) => assert!(error.to_string().contains(part), "{error}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn wrong_shapes_are_errors() {
    let data = [1.0_f32; 24];
    assert_shape_error(Batch::row_major(&data, 2, 3, 3), "18 elements, but the slice holds 24");
    assert_shape_error(Batch::column_major(&data, usize::MAX, 3, 3), "more than any memory holds");
    let far = Layout { batch_stride: 9, row_stride: 8, col_stride: 1 };
    assert_shape_error(Batch::strided(&data, 2, 3, 3, far), "strides (9, 8, 1)");
    let overflow = Layout { batch_stride: usize::MAX, row_stride: 3, col_stride: 1 };
    assert_shape_error(Batch::strided(&data, 3, 3, 3, overflow), "beyond the slice");
    for device in devices(1) {
        let oblong = Batch::row_major(&data, 4, 2, 3).unwrap();
        assert_shape_error(device.lu(&oblong), "2 x 3: they must be square");
        assert_shape_error(device.invert(&oblong), "square");
        assert_shape_error(device.det(&oblong), "square");
        assert_shape_error(device.solve(&oblong, &oblong), "square");
        let a = Batch::row_major(&data, 6, 2, 2).unwrap();
        let lu = device.lu(&a).unwrap();
        for b in [Batch::row_major(&data, 4, 2, 3).unwrap(), Batch::row_major(&data, 6, 4, 1).unwrap()] {
            assert_shape_error(device.solve(&a, &b), "`b` must hold 6 matrices of 2 x ");
            assert_shape_error(lu.solve(&b, Op::None), "`b` must hold 6 matrices of 2 x ");
        }
    }
}

#[test]
fn device_names() {
    for name in ["cpu", "sim"] {
        assert_eq!(Device::by_name(name).unwrap().to_string(), name);
    }
    for name in ["", "gpu", "CPU", "cuda:", "cuda:x", "cuda:-1", "sim:"] {
        match Device::by_name(name) {
            Err(error @ Error::UnknownDevice(_)) => {
                assert!(error.to_string().contains("auto, cpu, sim, cuda"), "{error}")
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    let none = Device::by_name("sim:0").unwrap_err();
    assert_eq!(none.to_string(), "a device is made of 1 to 64 emulators, not of 0");
}

#[test]
fn permutations_follow_from_the_pivots() {
    let data: Vec<f64> = Random::new(4).elements(3 * 36);
    let a = Batch::row_major(&data, 3, 6, 6).unwrap();
    for device in devices(1) {
        let lu = device.lu(&a).unwrap();
        for b in 0..3 {
            let mut sorted = lu.permutation(b).unwrap();
            // Row 0 of U is row permutation[0] of A.
            for j in 0..6 {
                assert_eq!(lu.factors().unwrap().get(b, 0, j), a.get(b, sorted[0] as usize, j));
            }
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
            assert_eq!(lu.pivots(b).unwrap(), &lu.all_pivots().unwrap()[6 * b..][..6]);
        }
    }
}

/// 16-bit results are those of f32, rounded once.
fn rounded_once<T: Element<Scalar = f32>>() {
    let (n, batch) = (9, 5);
    let stored: Vec<T> = Random::new(5).elements(batch * n * n);
    let wide: Vec<f32> = stored.iter().map(|&x| x.widen()).collect();
    let a = Batch::row_major(&stored, batch, n, n).unwrap();
    let wide = Batch::row_major(&wide, batch, n, n).unwrap();
    for device in devices(1) {
        let (lu, wide_lu) = (device.lu(&a).unwrap(), device.lu(&wide).unwrap());
        assert_eq!(lu.factors().unwrap(), wide_lu.factors().unwrap());
        assert_eq!(lu.all_pivots().unwrap(), wide_lu.all_pivots().unwrap());
        let (inverse, wide_inverse) = (device.invert(&a).unwrap(), device.invert(&wide).unwrap());
        let rounded: Vec<T> = wide_inverse.matrices.as_slice().iter().map(|&x| T::narrow(x)).collect();
        assert_eq!(inverse.matrices.as_slice(), rounded);
        let (x, wide_x) = (device.solve(&a, &a).unwrap().x, device.solve(&wide, &wide).unwrap().x);
        let rounded: Vec<T> = wide_x.as_slice().iter().map(|&x| T::narrow(x)).collect();
        assert_eq!(x.as_slice(), rounded);
    }
}

#[test]
fn half_results_are_rounded_once() {
    rounded_once::<f16>();
    rounded_once::<bf16>();
}
