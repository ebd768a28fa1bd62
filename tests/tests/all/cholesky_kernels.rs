//! Each kernel that factors positive definite matrices, in the emulator, at orders around its limits; and what the
//! kernels say of matrices that are not positive definite.

use warplu::resident::{CholeskyPlan, Size};
use warplu::{Algorithm, Batch, Device, Element, Scalar, Status, Structure, Triangle};
use warplu_tests::matrices::number;

use crate::cholesky::{Shape, check};

/// The kernels of a type, by their names without it.
fn kernels<T: Element>() -> Vec<&'static str> {
    let kernels = Device::sim().info().kernels().unwrap();
    let of_type = |(name, _): (&'static str, _)| name.strip_suffix(T::NAME)?.strip_suffix('_');
    kernels.into_iter().filter_map(of_type).filter(|name| name.starts_with("potrf_")).collect()
}

fn every_kernel<T: Element<Scalar = T>>() {
    let kernels = kernels::<T>();
    assert!(kernels.len() >= 10, "{kernels:?}");
    for name in kernels {
        let largest = name.strip_prefix("potrf_in_registers_n").map_or(50, |n| n.parse().unwrap());
        for n in [1, 7, 16, 17, 31, largest - 1, largest].into_iter().filter(|&n| 0 < n && n <= largest) {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                let device = Device::sim_with_seed(n as u64).with(Algorithm::Kernel(name));
                let layouts = (n % 2, 0);
                let (data, layout) =
                    crate::cholesky::definite::<T>(&Shape { n, batch: 3, rhs: 1, layouts, triangle, seed: 7 });
                let a = Batch::strided(&data, 3, n, n, layout).unwrap();
                let cholesky = device.cholesky(&a, triangle).unwrap();
                assert!(cholesky.status().all_ok(), "{name}, n = {n}");
                let factors = cholesky.factors().unwrap().view();
                for i in 0..3 {
                    let ratio = warplu::verify::definite_ratios::factors(&a, &factors, triangle, i);
                    assert!(ratio.passes(), "{name}, n = {n}, matrix {i}: {ratio:?}");
                }
            }
        }
    }
}
warplu_tests::for_types!(every_kernel: f32 f64 c32 c64);

/// The orders at which the choice passes from a kernel to the next.
fn chosen_kernels<T: Element>() {
    for n in [4, 5, 8, 9, 16, 17, 24, 25, 32, 33, 49, 65, 113, 146] {
        let shape = Shape { n, batch: 1, rhs: 1 + n % 3, layouts: (n % 2, 1), triangle: Triangle::Lower, seed: 5 };
        check::<T>(&Device::sim_with_seed(n as u64), &shape).unwrap();
    }
}
warplu_tests::for_types!(chosen_kernels: f32 f64 c32 c64);

/// By many blocks a matrix: large ones, and few that are not so large; 16-bit ones pass through f32.
fn many_blocks<T: Element>() {
    for (algorithm, n) in [(Algorithm::Latency, 129), (Algorithm::Auto, 514)] {
        let device = Device::sim_with_seed(3).with(algorithm);
        let plan = CholeskyPlan::<T>::new(&device, Size::order(n)).unwrap();
        assert!(plan.kernels().iter().any(|name| name.starts_with("steps_diagonal")), "{:?}", plan.kernels());
        for (triangle, layouts) in [(Triangle::Lower, (0, 0)), (Triangle::Upper, (1, 0))] {
            let shape = Shape { n, batch: 1, rhs: 1, layouts, triangle, seed: 9 };
            let (data, layout) = crate::cholesky::definite::<T>(&shape);
            let a = Batch::strided(&data, 1, n, n, layout).unwrap();
            let cholesky = device.cholesky(&a, triangle).unwrap();
            assert!(cholesky.status().all_ok(), "n = {n}");
            let factors = cholesky.factors().unwrap().view();
            let ratio = warplu::verify::definite_ratios::factors(&a, &factors, triangle, 0);
            assert!(ratio.passes(), "n = {n}: {ratio:?}");
        }
    }
}
warplu_tests::for_types!(many_blocks: f32 f64 c32 c64 f16);

fn statuses<T: Element>() {
    for n in [1, 3, 8, 20, 32, 40] {
        for k in [0, n / 2, n - 1] {
            for (pivot, status) in [
                (-3.0, Status::NotPositiveDefinite(k as u32 + 1)),
                (0.0, Status::NotPositiveDefinite(k as u32 + 1)),
                (f64::NAN, Status::NonFinite),
                (f64::INFINITY, Status::NonFinite),
            ] {
                let mut data = vec![number::<T>(0.0); 2 * n * n];
                for matrix in data.chunks_mut(n * n) {
                    (0..n).for_each(|i| matrix[i * n + i] = number(1.0));
                }
                data[k * n + k] = number(pivot);
                let sides: Vec<T> = vec![number(1.0); 2 * n];
                let (a, b) = (Batch::row_major(&data, 2, n, n).unwrap(), Batch::row_major(&sides, 2, n, 1).unwrap());
                let device = Device::sim();
                let cholesky = device.cholesky(&a, Triangle::Lower).unwrap();
                assert_eq!(*cholesky.status(), [status, Status::Ok], "n = {n}, k = {k}");
                let factors = cholesky.factors().unwrap();
                assert!(factors.matrix(0).iter().all(|x| x.to_c64().re.is_nan()));
                let solution = cholesky.solve(&b).unwrap();
                assert_eq!(solution.status, [status, Status::Ok], "n = {n}, k = {k}");
                let definite = device.with(Structure::PositiveDefinite(Triangle::Upper));
                let (inverse, det) = (definite.invert(&a).unwrap(), definite.det(&a).unwrap());
                assert_eq!(inverse.status, [status, Status::Ok], "n = {n}, k = {k}");
                assert_eq!(det.status, [status, Status::Ok], "n = {n}, k = {k}");
                for result in [&solution.x, &inverse.matrices] {
                    assert!(result.matrix(0).iter().all(|x| x.widen().to_c64().re.is_nan()));
                    assert!(result.matrix(1).iter().all(|x| x.widen().is_finite()));
                }
            }
        }
    }
}
warplu_tests::for_types!(statuses: f32 f64 c32 c64);
