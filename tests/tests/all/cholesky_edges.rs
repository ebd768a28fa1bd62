//! Positive definite matrices on the CPU, and those that are not: statuses, forms of the calls, threads, real data.

use warplu::verify::{Random, definite_ratios, ratios};
use warplu::{Algorithm, Batch, BatchMut, Cholesky, Device, Element, Real, Scalar, Status, Structure, Triangle};
use warplu_tests::compare::assert_same;
use warplu_tests::devices;
use warplu_tests::judge::all_nan;
use warplu_tests::matrices::number;

use crate::cholesky::{Results, Shape, compute, definite};

/// L L^T of a unit lower triangle of integers times a diagonal: without rounding, so that pivots are exactly it.
fn of_pivots<T: Element>(n: usize, pivots: impl Fn(usize) -> f64) -> Vec<T> {
    let l = |i: usize, j: usize| if i == j { 1.0 } else { ((i + 2 * j) % 3) as f64 - 1.0 };
    let element = |i: usize, j: usize| (0..=i.min(j)).map(|p| l(i, p) * l(j, p) * pivots(p)).sum();
    (0..n * n).map(|at| number(element(at / n, at % n))).collect()
}

fn statuses_are_exact<T: Element>() {
    for n in [1, 2, 3, 5, 9, 17, 33, 64, 129, 150] {
        for k in [0, n / 2, n - 1] {
            for (pivot, status) in [
                (0.0, Status::NotPositiveDefinite(k as u32 + 1)),
                (-3.0, Status::NotPositiveDefinite(k as u32 + 1)),
                (f64::NAN, Status::NonFinite),
                (f64::INFINITY, Status::NonFinite),
            ] {
                let mut data = of_pivots::<T>(n, |p| if p == k && pivot.is_finite() { pivot } else { 1.0 });
                if !pivot.is_finite() {
                    data[k * n + k] = number(pivot);
                }
                data.extend(of_pivots::<T>(n, |_| 1.0));
                let b: Vec<T> = vec![number(1.0); 2 * n];
                let (a, b) = (Batch::row_major(&data, 2, n, n).unwrap(), Batch::row_major(&b, 2, n, 1).unwrap());
                for triangle in [Triangle::Lower, Triangle::Upper] {
                    let device = Device::cpu().with(Structure::PositiveDefinite(triangle));
                    let cholesky = device.cholesky(&a, triangle).unwrap();
                    let wanted = [status, Status::Ok];
                    assert_eq!(*cholesky.status(), wanted, "n = {n}, k = {k}");
                    assert!(cholesky.factors().unwrap().matrix(0).iter().all(|x| x.to_c64().re.is_nan()));
                    let logs = cholesky.det().unwrap().log_abs;
                    assert!(logs[0].to_f64().is_nan() && logs[1].to_f64() == 0.0);
                    let (x, y) = (cholesky.solve(&b).unwrap(), device.solve(&a, &b).unwrap());
                    let (v, w) = (cholesky.inverse().unwrap(), device.invert(&a).unwrap());
                    let det = device.det(&a).unwrap();
                    assert!(det.sign[0].to_c64().re.is_nan() && det.sign[1] == T::Scalar::ONE);
                    for statuses in [&x.status, &y.status, &v.status, &w.status, &det.status] {
                        assert_eq!(statuses[0], status, "n = {n}, k = {k}");
                    }
                    for result in [&x.x, &y.x, &v.matrices, &w.matrices] {
                        assert!(all_nan(result, 0));
                    }
                }
            }
        }
    }
}
warplu_tests::for_types!(statuses_are_exact: f32 f64 c32 c64);

/// Compact matrices to write, row by row.
fn in_rows<T: Element>(data: &mut [T], (batch, rows, cols): (usize, usize, usize)) -> BatchMut<'_, T> {
    BatchMut::row_major(data, batch, rows, cols).unwrap()
}

/// The other triangle holds anything, and keeps it, also where a matrix is bad.
fn in_triangle<T: Element<Scalar = T> + Scalar>() {
    let mark = number::<T>(f64::NEG_INFINITY);
    for (turn, n) in [1, 2, 4, 9, 17, 33, 60, 140, 300].into_iter().enumerate() {
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let (batch, columns) = (if n > 100 { 2 } else { 5 }, turn % 2 == 1);
            // By columns, the one triangle is what by rows is the other.
            let by_rows = match triangle {
                Triangle::Lower if columns => Triangle::Upper,
                Triangle::Upper if columns => Triangle::Lower,
                _ => triangle,
            };
            let shape = Shape { n, batch, rhs: 1, layouts: (0, 0), triangle: by_rows, seed: 3 };
            let (mut data, _) = definite::<T>(&shape);
            let at = |i: usize, j: usize| if columns { j * n + i } else { i * n + j };
            let is_factor = |i: usize, j: usize| if triangle == Triangle::Lower { j <= i } else { i <= j };
            data.truncate(batch * n * n);
            data[at(n / 2, n / 2)] = number::<T>(-1.0); // of the first matrix
            let mut marked = data.clone();
            let all = || (0..batch).flat_map(|b| (0..n * n).map(move |k| (b * n * n, k / n, k % n)));
            all().filter(|&(_, i, j)| !is_factor(i, j)).for_each(|(b, i, j)| marked[b + at(i, j)] = mark);
            let from = if columns { Batch::column_major } else { Batch::row_major };
            for device in devices(turn as u64).into_iter().filter(|device| n < 200 || device.to_string() == "cpu") {
                let wanted = device.cholesky(&from(&data, batch, n, n).unwrap(), triangle).unwrap();
                let mut here = marked.clone();
                let make = if columns { BatchMut::column_major } else { BatchMut::row_major };
                let place = make(&mut here, batch, n, n);
                let status = device.cholesky_in_triangle(&mut place.unwrap(), triangle).unwrap();
                assert_eq!(status, *wanted.status(), "{device}, n = {n}");
                assert!(!status[0].is_ok() && status[1..].iter().all(|status| status.is_ok()), "{device}, n = {n}");
                let factors = wanted.factors().unwrap();
                let wanted = all().map(|(b, i, j)| if is_factor(i, j) { factors.get(b / n / n, i, j) } else { mark });
                let found = all().map(|(b, i, j)| here[b + at(i, j)]);
                assert_same("in a triangle", &found.collect::<Vec<_>>(), &wanted.collect::<Vec<_>>());
            }
        }
    }
}

warplu_tests::for_types!(in_triangle: f32 f64 c32 c64);

fn into_and_in_place<T: Element<Scalar = T>>() {
    for (n, batch, rhs) in [(0, 3, 2), (1, 2, 1), (4, 9, 3), (13, 20, 2), (60, 5, 1), (140, 2, 5), (5, 0, 1)] {
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let shape = Shape { n, batch, rhs, layouts: (0, 0), triangle, seed: 3 };
            let (data, _) = definite::<T>(&shape);
            let data = &data[..batch * n * n];
            let sides: Vec<T> = Random::new(4).elements(batch * n * rhs);
            let (a, b) =
                (Batch::row_major(data, batch, n, n).unwrap(), Batch::row_major(&sides, batch, n, rhs).unwrap());
            let device = Device::cpu();
            let cholesky = device.cholesky(&a, triangle).unwrap();
            let factors = cholesky.factors().unwrap().as_slice();
            let mut out = vec![number::<T>(0.0); data.len()];
            let (square, tall) = ((batch, n, n), (batch, n, rhs));
            assert!(device.cholesky_into(&a, triangle, &mut in_rows(&mut out, square)).unwrap().all_ok());
            assert_same("into", &out, factors);
            let mut here = data.to_vec();
            assert!(device.cholesky_in_place(&mut in_rows(&mut here, square), triangle).unwrap().all_ok());
            assert_same("in place", &here, factors);

            let parts = Cholesky::<T>::from_parts(&device, &cholesky.factors().unwrap().view(), triangle).unwrap();
            let (mut again, expected) = (cholesky.clone(), cholesky.solve(&b).unwrap());
            again.refactor(&a).unwrap();
            for cholesky in [&parts, &again] {
                assert_eq!((cholesky.n(), cholesky.batch(), cholesky.triangle()), (n, batch, triangle));
                assert_same("solution", cholesky.solve(&b).unwrap().x.as_slice(), expected.x.as_slice());
                let (mut x, mut y) = (vec![number::<T>(0.0); sides.len()], sides.clone());
                assert!(cholesky.solve_into(&b, &mut in_rows(&mut x, tall)).unwrap().all_ok());
                assert!(cholesky.solve_in_place(&mut in_rows(&mut y, tall)).unwrap().all_ok());
                assert_same("solution into", &x, expected.x.as_slice());
                assert_same("solution in place", &y, expected.x.as_slice());
                assert!(cholesky.inverse_into(&mut in_rows(&mut out, square)).unwrap().all_ok());
                assert_same("inverse into", &out, cholesky.inverse().unwrap().matrices.as_slice());
            }
            let definite = device.with(Structure::PositiveDefinite(triangle));
            let mut inverse = data.to_vec();
            assert!(definite.invert_in_place(&mut in_rows(&mut inverse, square)).unwrap().all_ok());
            assert_same("inverse in place", &inverse, definite.invert(&a).unwrap().matrices.as_slice());
            // Without right-hand sides, statuses are what there is to know.
            let none = Batch::row_major(&[], batch, n, 0).unwrap();
            assert!(definite.solve(&a, &none).unwrap().status.all_ok());
        }
    }
}
warplu_tests::for_types!(into_and_in_place: f32 f64 c32 c64);

#[test]
fn what_does_not_fit_is_told() {
    let (device, data) = (Device::cpu(), [1.0; 6]);
    let oblong = Batch::row_major(&data, 1, 2, 3).unwrap();
    assert!(device.cholesky(&oblong, Triangle::Lower).unwrap_err().to_string().contains("must be square"));
    let one = Batch::row_major(&data[..1], 1, 1, 1).unwrap();
    let cholesky = device.cholesky(&one, Triangle::Lower).unwrap();
    assert!(cholesky.solve(&Batch::row_major(&data, 1, 2, 3).unwrap()).is_err());
    let kernel = device.with("kernel:getrf_global".parse::<Algorithm>().unwrap());
    assert!(kernel.cholesky(&one, Triangle::Lower).unwrap_err().to_string().contains("device `cuda`"));
    // Factors that are none.
    let parts =
        Cholesky::<f64>::from_parts(&Device::cpu(), &Batch::row_major(&[-1.0], 1, 1, 1).unwrap(), Triangle::Lower);
    assert_eq!(*parts.unwrap().status(), [Status::NonFinite]);
}

/// Bits do not depend on the number of threads.
#[test]
fn threads_do_not_matter() {
    for n in [100, 150, 650] {
        let shape = Shape { n, batch: 1, rhs: 3, layouts: (1, 1), triangle: Triangle::Lower, seed: 1 };
        let (data, _) = definite::<f64>(&shape);
        let sides: Vec<f64> = Random::new(2).elements(3 * n);
        let results = [1, 3, 8].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let a = Batch::column_major(&data[..n * n], 1, n, n).unwrap();
                compute(&Device::cpu(), &a, &Batch::column_major(&sides, 1, n, 3).unwrap(), Triangle::Lower)
            })
        });
        for other in &results[1..] {
            let factors = |r: &Results<f64>| r.cholesky.factors().unwrap().as_slice().to_vec();
            assert_same("factors", &factors(other), &factors(&results[0]));
            for k in 0..2 {
                assert_same("solutions", other.solutions[k].as_slice(), results[0].solutions[k].as_slice());
                assert_same("inverses", other.inverses[k].as_slice(), results[0].inverses[k].as_slice());
            }
        }
    }
}

/// Covariances of real data, which are ill-conditioned, some singular.
#[test]
fn covariances() {
    for (name, singular) in [
        ("breast_cancer_cov_n30_f32", false),
        ("digits_cov_n64_f32", false),
        ("digits_cov_singular_n64_f32", true),
        ("patch_cov_n108_f32", false),
        ("patch_cov_n192_f32", false),
    ] {
        let (shape, data) = warplu_tests::data::npy::<f32>(&format!("real/{name}.npy"));
        let (batch, n) = (shape[0], shape[1]);
        let a = Batch::row_major(&data, batch, n, n).unwrap();
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let cholesky = Device::cpu().cholesky(&a, triangle).unwrap();
            let b: Vec<f32> = Random::new(1).elements(batch * n * 2);
            let b = Batch::row_major(&b, batch, n, 2).unwrap();
            let (factors, x, inverse) =
                (cholesky.factors().unwrap().view(), cholesky.solve(&b).unwrap(), cholesky.inverse().unwrap());
            let mut bad = 0;
            for (i, &status) in cholesky.status().iter().enumerate() {
                if !status.is_ok() {
                    assert!(matches!(status, Status::NotPositiveDefinite(_)), "{name}: {status}");
                    bad += 1;
                    continue;
                }
                let ratio = definite_ratios::factors(&a, &factors, triangle, i);
                assert!(ratio.passes(), "{name}, factors {i}: {ratio:?}");
                if x.status[i].is_ok() {
                    let ratio = definite_ratios::solve(&a, (&factors, triangle), &b, &x.x.view(), i);
                    assert!(ratio.passes(), "{name}, solution {i}: {ratio:?}");
                }
                if inverse.status[i].is_ok() {
                    let ratio = ratios::inverse(&a, &inverse.matrices.view(), i);
                    assert!(ratio.passes(), "{name}, inverse {i}: {ratio:?}");
                }
            }
            assert_eq!(bad > 0, singular, "{name}: {bad} of {batch} are not positive definite");
        }
    }
}
