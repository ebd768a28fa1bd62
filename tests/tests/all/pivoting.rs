//! LU without interchanges: matrices that need none, those that have no such factors, and boosted pivots.

use proptest::prelude::*;
use warplu::verify::Random;
use warplu::{Algorithm, Batch, BatchMut, Device, Element, Error, Op, Pivoting, Residual, Scalar, Status, c64};
use warplu_tests::compare::{assert_neighbours_do_not_matter, factors, pivots};
use warplu_tests::judge::{all_nan, judge};
use warplu_tests::matrices::{LAYOUTS, fill, from_fn, layout, number};
use warplu_tests::results::compute;
use warplu_tests::{devices, for_types, some_of, some_orders};

const BOOSTED: Pivoting = Pivoting::Boosted { threshold: 1e-3 };

/// A batch in a layout, with diagonals that dominate rows and columns.
fn dominant<T: Element>(random: &mut Random, (batch, n): (usize, usize), kind: usize) -> (Vec<T>, warplu::Layout) {
    let (layout, len) = layout(kind, batch, n, n);
    let mut data = fill::<T>(random, layout, len, (batch, n, n));
    let batch = if layout.batch_stride == 0 { batch.min(1) } else { batch };
    for (b, i) in (0..batch).flat_map(|b| (0..n).map(move |i| (b, i))) {
        let at = b * layout.batch_stride + i * (layout.row_stride + layout.col_stride);
        let sign = if i % 3 == 1 { -2.0 } else { 2.0 };
        data[at] = T::narrow(T::Scalar::from_c64(data[at].widen().to_c64() + sign * n as f64));
    }
    (data, layout)
}

/// Every operation, of a batch whose matrix `bad`, if there is one, has a zero row and column in the middle.
fn check<T: Element>(
    device: &Device,
    (batch, n, rhs): (usize, usize, usize),
    kind: usize,
    bad: Option<usize>,
    seed: u64,
) {
    let random = &mut Random::new(seed);
    let (mut data, layout) = dominant::<T>(random, (batch, n), kind);
    let bad = bad.filter(|_| layout.batch_stride > 0);
    for i in 0..n {
        if let Some(b) = bad {
            data[b * layout.batch_stride + i * layout.row_stride + n / 2 * layout.col_stride] = number(0.0);
            data[b * layout.batch_stride + n / 2 * layout.row_stride + i * layout.col_stride] = number(0.0);
        }
    }
    let sides: Vec<T> = random.elements(batch * n * rhs);
    let a = Batch::strided(&data, batch, n, n, layout).unwrap();
    let b = Batch::row_major(&sides, batch, n, rhs).unwrap();
    let what = format!("{device}, {} x {batch}, n = {n}, {rhs} sides, layout {kind}", T::NAME);
    for pivoting in [Pivoting::None, BOOSTED] {
        let device = device.with(pivoting);
        let results = compute(&device, &a, &b);
        assert!(pivots(&results.lu).chunks(n).all(|pivots| pivots.iter().enumerate().all(|(k, &p)| p == k as u32)));
        // Of a zero matrix, there is nothing that a pivot could be compared with.
        let ends = pivoting == Pivoting::None || n == 1;
        let status = |i| if ends && bad == Some(i) { Status::Singular(n as u32 / 2 + 1) } else { Status::Ok };
        let statuses: Vec<_> = (0..batch).map(status).collect();
        assert_eq!(results.lu.status()[..], statuses, "{what}, {pivoting}");
        if let Some(bad) = bad {
            let growth = results.lu.growth(&a).unwrap();
            if ends {
                // No factors, and nothing from them.
                assert!(all_nan(factors(&results.lu), bad) && growth[bad].to_c64().re.is_nan(), "{what}");
                assert!(
                    results.solutions.iter().all(|x| x.status[bad] == statuses[bad] && all_nan(&x.x, bad)),
                    "{what}"
                );
                assert!(results.inverses.iter().all(|x| x.status[bad] == statuses[bad] && all_nan(&x.matrices, bad)));
                assert!(results.dets.iter().all(|det| det.status[bad] == statuses[bad]), "{what}");
            } else {
                assert!(growth[bad].to_c64().re <= 2.0, "{what}");
                let pivot = factors(&results.lu).get(bad, n / 2, n / 2).to_c64();
                let largest =
                    (0..n * n).map(|e| a.get(bad, e / n, e % n).widen().abs1().to_c64().re).fold(0.0, f64::max);
                assert!((pivot.re / (1e-3 * largest) - 1.0).abs() < 1e-6 && pivot.im == 0.0, "{what}: {pivot}");
            }
        } else {
            judge(&what, &a, &b, &results);
        }
        if batch > 1 {
            assert_neighbours_do_not_matter(&what, &device, &a, &b, &results, batch - 1);
        }
    }
}

/// The orders at which the choice passes from a kernel to the next, panels and blocks of rows end.
fn all_sizes<T: Element>() {
    for n in some_orders([1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 23, 24, 25, 31, 32, 33, 40, 47, 64, 65, 100]) {
        for device in devices(n as u64) {
            let batch = if n < 64 { [5, 9, 2][n % 3] } else { 2 };
            check::<T>(&device, (batch, n, 1 + n % 3), n % LAYOUTS, None, n as u64);
            check::<T>(&device, (batch, n, 1), 0, Some(batch / 2), n as u64);
        }
    }
    check::<T>(&Device::cpu(), (2, 200, 3), 3, None, 1);
}
for_types!(all_sizes);

/// More rows than a block has threads, and panels that shared memory makes narrow.
fn large<T: Element>() {
    for n in some_orders([257, 300]) {
        check::<T>(&Device::sim_with_seed(1), (1, n, 1), n % 2, None, 3);
    }
    check::<T>(&Device::cpu(), (1, 700, 2), 1, None, 4);
}
for_types!(large: f32 c64);

/// Each kernel, also where the choice has another.
fn every_kernel<T: Element<Scalar = T>>() {
    let kernels = Device::sim().info().kernels().unwrap();
    let of_type = |(name, _): (&'static str, _)| name.strip_suffix(T::NAME)?.strip_suffix('_');
    let names: Vec<_> =
        kernels.into_iter().filter_map(of_type).filter(|name| name.starts_with("getrf_nopiv_")).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    for name in names {
        let largest = name.strip_prefix("getrf_nopiv_in_registers_n").map_or(39, |n| n.parse().unwrap());
        for n in [1, 3, largest - 1, largest].into_iter().filter(|&n| 0 < n && n <= largest) {
            let device = Device::sim_with_seed(n as u64).with(Algorithm::Kernel(name));
            check::<T>(&device, (3, n, 1), n % LAYOUTS, None, 11);
        }
        let random = &mut Random::new(2);
        let (data, layout) = dominant::<T>(random, (1, largest + 1), 0);
        let a = Batch::strided(&data, 1, largest + 1, largest + 1, layout).unwrap();
        let device = Device::sim().with(Algorithm::Kernel(name)).with(Pivoting::None);
        assert_eq!(device.lu(&a).is_ok(), name.ends_with("global"), "{name}");
    }
}
for_types!(every_kernel: f32 f64 c32 c64);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(some_of(48)))]

    #[test]
    fn any_batch(n in 1_usize..48, batch in 1_usize..9, rhs in 1_usize..4, kind in 0..LAYOUTS, bad in any::<bool>(), seed: u64) {
        for device in devices(seed) {
            let shape = (batch, n, rhs);
            let bad = bad.then_some(batch / 2);
            check::<f64>(&device, shape, kind, bad, seed);
            check::<warplu::c32>(&device, shape, kind, bad, seed);
        }
    }
}

/// Boosted factors are those of a matrix that differs on the diagonal only, by no more than twice the threshold, and a
/// few steps of refinement lead from them to the solution of the matrix itself.
fn boosted_factors_are_of_a_matrix_nearby<T: Element>() {
    let threshold = 1e-3;
    for device in devices(1) {
        for n in [2, 8, 15, 32, 37] {
            // Zeros all along the diagonal but for the last element; regular.
            let a = from_fn::<T>(n, |i, j| match i + j {
                k if k == n - 1 => 1.0,
                k if k == 2 * n - 2 => 0.5,
                k => f64::from(u32::from(i != j)) * 0.25 / (1.0 + k as f64) / n as f64,
            });
            let a = Batch::row_major(&a, 1, n, n).unwrap();
            let none = device.with(Pivoting::None).lu(&a).unwrap();
            assert_eq!(none.status()[0], Status::Singular(1), "n = {n}");
            let boosted = device.with(Pivoting::Boosted { threshold }).lu(&a).unwrap();
            assert_eq!(boosted.status()[0], Status::Ok, "n = {n}");
            let lu = boosted.factors().unwrap();
            let element = |i: usize, j: usize| lu.get(0, i, j).to_c64();
            let one = c64::new(1.0, 0.0);
            let u = warplu::verify::ratios::precision::<T>().0;
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let l = |k: usize| if k == i { one } else { element(i, k) };
                let terms = (0..=i.min(j)).map(|k| (l(k) * element(k, j), l(k).norm() * element(k, j).norm()));
                let (sum, size) = terms.fold((c64::new(0.0, 0.0), 0.0), |(s, t), (x, y)| (s + x, t + y));
                let change = (sum - a.get(0, i, j).widen().to_c64()).norm();
                let allowed = if i == j { 2.0 * threshold } else { 0.0 };
                assert!(change <= allowed + 4.0 * n as f64 * u * size, "{device}, n = {n}, ({i}, {j}): {change}");
            }
            let growth = boosted.growth(&a).unwrap()[0].to_c64().re;
            assert!(growth > 1.0 && growth.is_finite(), "{growth}");
        }
    }
}
for_types!(boosted_factors_are_of_a_matrix_nearby: f32 f64 c32 c64);

#[test]
fn refinement_makes_good_for_boosted_pivots() {
    // The first pivot is tiny: as it is, it spoils the solution, and boosted it leaves one that refinement improves.
    let a = [1e-17, 1.0, 1.0, 1.0];
    let (a, b) = (Batch::row_major(&a, 1, 2, 2).unwrap(), Batch::row_major(&[1.0, 2.0], 1, 2, 1).unwrap());
    for device in devices(2) {
        let none = device.with(Pivoting::None).lu(&a).unwrap();
        assert!(none.growth(&a).unwrap()[0] > 1e16);
        let error = |x: f64| (x - 1.0).abs();
        assert!(error(none.solve(&b, Op::None).unwrap().x.get(0, 0, 0)) > 0.5);
        let lu = device.with(Pivoting::Boosted { threshold: 1e-5 }).lu(&a).unwrap();
        let mut x = lu.solve(&b, Op::None).unwrap().x;
        assert!(error(x.get(0, 0, 0)) > 1e-7);
        let _bounds = lu.refine(&a, &b, &mut x.view_mut(), Op::None).unwrap();
        assert!(error(x.get(0, 0, 0)) < 1e-12 && error(x.get(0, 1, 0)) < 1e-12, "{x:?}");
    }
}

#[test]
fn all_ways_to_factor_have_the_same_bits() {
    let (n, batch) = (11, 4);
    let (data, layout) = dominant::<f64>(&mut Random::new(9), (batch, n), 0);
    let a = Batch::strided(&data, batch, n, n, layout).unwrap();
    for device in devices(3) {
        let device = device.with(BOOSTED);
        let lu = device.lu(&a).unwrap();
        let expected = lu.factors().unwrap();
        let (mut to, mut pivots) = (vec![0.0; data.len()], vec![9; batch * n]);
        let mut view = BatchMut::row_major(&mut to, batch, n, n).unwrap();
        assert_eq!(device.lu_into(&a, &mut view, &mut pivots).unwrap(), *lu.status());
        assert_eq!(to, expected.as_slice());
        let mut place = data.clone();
        let mut view = BatchMut::row_major(&mut place, batch, n, n).unwrap();
        assert_eq!(device.lu_in_place(&mut view, &mut pivots).unwrap(), *lu.status());
        assert_eq!(place, expected.as_slice());
        let mut again = Device::cpu().lu(&Batch::row_major(&[1.0], 1, 1, 1).unwrap()).unwrap();
        again = device.lu(&again.factors().unwrap().view()).unwrap();
        again.refactor(&a).unwrap();
        assert_eq!(again.factors().unwrap().as_slice(), expected.as_slice());
        let residual = device.with(Residual::Both);
        assert_eq!(residual.invert(&a).unwrap().matrices, lu.inverse().unwrap().matrices);
        // Without a batch, or order.
        assert_eq!(device.lu(&Batch::<f64>::row_major(&[], 0, 5, 5).unwrap()).unwrap().batch(), 0);
        let empty = Batch::<f64>::row_major(&[], 3, 0, 0).unwrap();
        assert_eq!(device.lu(&empty).unwrap().growth(&empty).unwrap(), [1.0; 3]);
    }
    let several = Device::sims(3).unwrap().with(BOOSTED).lu(&a).unwrap();
    let one = Device::sim().with(BOOSTED).lu(&a).unwrap();
    assert_eq!(several.factors().unwrap().as_slice(), one.factors().unwrap().as_slice());
}

#[test]
fn faults_are_named_with_their_remedy() {
    let a = Batch::row_major(&[1.0, 2.0, 3.0, 4.0], 1, 2, 2).unwrap();
    let message = |device: Device| match device.lu(&a) {
        Err(error @ Error::Unsupported(_)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    for threshold in [0.0, -1.0, 1.5, f64::NAN, f64::INFINITY] {
        let device = Device::cpu().with(Pivoting::Boosted { threshold });
        assert!(message(device.clone()).contains("above 0 and at most 1"));
        assert!(device.solve(&a, &a).is_err() && device.invert(&a).is_err() && device.det(&a).is_err());
    }
    let kernel = |name| Device::sim().with(Algorithm::Kernel(name));
    assert!(message(kernel("getrf_global").with(Pivoting::None)).contains("with the pivoting `partial`"));
    assert!(message(kernel("getrf_nopiv_global")).contains("with the pivoting `none` or `boosted`"));
    let inverts = kernel("inverse_in_thread").with(Pivoting::None);
    assert!(inverts.invert(&a).unwrap_err().to_string().contains("leaves no LU factors"));
    let lu = Device::cpu().lu(&a).unwrap();
    let other = Batch::row_major(&[1.0], 1, 1, 1).unwrap();
    assert!(lu.growth(&other).unwrap_err().to_string().contains("give those that were factored"));
}
