//! Triangular matrices as callers have them: in place, of many sizes, in device memory, in any layout, with what is bad. What
//! they are worth as solutions, `verify` and the library's own tests say.

use warplu::resident::{DeviceBatch, DeviceBatchMut, InPlace, InversePlan, Size, of};
use warplu::verify::Random;
use warplu::{
    Algorithm, Batch, BatchMut, Device, Element, Layout, Op, Pivoting, Ragged, RaggedMut, Residual, Scalar, Status,
    Triangle, Triangular, c64,
};
use warplu_tests::compare::assert_same;
use warplu_tests::devices;
use warplu_tests::matrices::number;

/// All kinds of triangles.
fn kinds() -> impl Iterator<Item = Triangular> {
    let triangles = [Triangle::Lower, Triangle::Upper].into_iter();
    triangles.flat_map(|triangle| {
        [false, true].into_iter().flat_map(move |unit| {
            [Op::None, Op::Transpose, Op::Adjoint].into_iter().map(move |op| Triangular { triangle, unit, op })
        })
    })
}

/// Random matrices with large diagonals, as squares of which only a triangle may be read: the rest is NaN.
fn triangles<T: Element>(random: &mut Random, kind: Triangular, batch: usize, n: usize) -> Vec<T> {
    let element = |e: usize| {
        let (i, j) = (e / n % n, e % n);
        let is_read = match kind.triangle {
            Triangle::Lower => i >= j,
            Triangle::Upper => i <= j,
        };
        match is_read && !(kind.unit && i == j) {
            true if i == j => number(2.0 + random.unit()),
            true => T::narrow(T::Scalar::from_c64(random.element::<T>().widen().to_c64() / n as f64)),
            false => number(f64::NAN),
        }
    };
    (0..batch * n * n).map(element).collect()
}

/// As the whole matrices that the triangles stand for, by LU.
fn as_any_matrices<T: Element>() {
    for (device, kind) in devices(5).iter().flat_map(|device| kinds().map(move |kind| (device, kind))) {
        let (mut random, batch, rhs) = (Random::new(3), 3, 2);
        for n in [1, 3, 4, 9, 20] {
            let (data, sides) = (triangles::<T>(&mut random, kind, batch, n), random.elements::<T>(batch * n * rhs));
            let (t, b) =
                (Batch::row_major(&data, batch, n, n).unwrap(), Batch::column_major(&sides, batch, n, rhs).unwrap());
            let whole = t.triangular(kind).unwrap();
            let (x, wanted) = (device.with(kind).solve(&t, &b).unwrap(), device.solve(&whole.view(), &b).unwrap());
            assert!(x.status.all_ok());
            let u = 64.0 * warplu::verify::ratios::precision::<T>().0;
            for (x, y) in x.x.as_slice().iter().zip(wanted.x.as_slice()) {
                let (x, y): (c64, c64) = (x.widen().to_c64(), y.widen().to_c64());
                assert!((x - y).norm() <= u * (1.0 + y.norm()), "{device}, {kind}, n = {n}: {x} is not {y}");
            }
            let inverse = device.with(kind).invert(&t).unwrap().matrices;
            let (upper, lower) =
                ((kind.triangle == Triangle::Upper) == (kind.op == Op::None), |i: usize, j: usize| i > j);
            for (b, i, j) in (0..batch * n * n).map(|e| (e / (n * n), e / n % n, e % n)) {
                let x = inverse.get(b, i, j);
                assert!(i == j || lower(i, j) != upper || x.widen() == T::Scalar::ZERO, "{kind}: the other triangle");
                assert!(i != j || !kind.unit || x.widen() == T::Scalar::ONE, "{kind}: the diagonal");
            }
            let (det, wanted) = (device.with(kind).det(&t).unwrap(), device.det(&whole.view()).unwrap());
            for b in 0..batch {
                let (x, y) = (det.values[b].to_c64(), wanted.values[b].to_c64());
                assert!((x - y).norm() <= 8.0 * u * y.norm(), "{device}, {kind}, n = {n}: {x} is not {y}");
            }
            assert!(!kind.unit || det.values.iter().all(|&x| x == T::Scalar::ONE));
        }
    }
}
warplu_tests::for_types!(as_any_matrices);

/// Results have the same bits wherever matrices and results are, and whichever others there are.
#[test]
fn places_do_not_matter() {
    let (n, batch, rhs) = (11, 4, 3);
    for (device, kind) in devices(2).iter().flat_map(|device| kinds().map(move |kind| (device, kind))) {
        let (mut random, device) = (Random::new(8), device.with(kind));
        let (data, sides) = (triangles::<c64>(&mut random, kind, batch, n), random.elements::<c64>(batch * n * rhs));
        let (t, b) = (Batch::row_major(&data, batch, n, n).unwrap(), Batch::row_major(&sides, batch, n, rhs).unwrap());
        let (x, inverse) = (device.solve(&t, &b).unwrap().x, device.invert(&t).unwrap().matrices);
        let what = format!("{device}, {kind}");

        let mut in_place = sides.clone();
        let to = &mut BatchMut::row_major(&mut in_place, batch, n, rhs).unwrap();
        device.solve_in_place(&t, to).unwrap().check().unwrap();
        assert_same(&what, &in_place, x.as_slice());
        let mut in_place = data.clone();
        let to = &mut BatchMut::row_major(&mut in_place, batch, n, n).unwrap();
        device.invert_in_place(to).unwrap().check().unwrap();
        assert_same(&what, &in_place, inverse.as_slice());

        // With gaps between rows and matrices.
        let layout = Layout { batch_stride: (n + 2) * n + 5, row_stride: n + 2, col_stride: 1 };
        let mut spread = vec![c64::new(f64::NAN, 7.0); batch * layout.batch_stride];
        for (e, &x) in data.iter().enumerate() {
            spread[layout.batch_stride * (e / (n * n)) + layout.row_stride * (e / n % n) + e % n] = x;
        }
        let own = Batch::strided(&spread, batch, n, n, layout).unwrap();
        assert_same(&what, device.solve(&own, &b).unwrap().x.as_slice(), x.as_slice());

        let shapes = vec![n; batch];
        let ragged = Ragged::row_major(&data, &shapes).unwrap();
        let right = Ragged::row_major(&sides, &vec![(n, rhs); batch]).unwrap();
        assert_same(&what, device.solve(&ragged, &right).unwrap().x.as_slice(), x.as_slice());
        let mut all = data.clone();
        device.invert_in_place(&mut RaggedMut::row_major(&mut all, &shapes).unwrap()).unwrap().check().unwrap();
        assert_same(&what, &all, inverse.as_slice());

        let (mut memory, mut status) = (device.upload(&data).unwrap(), device.buffer::<i32>(batch).unwrap());
        let plan = InversePlan::<c64>::new(&device, Size::order(n).batch(batch)).unwrap();
        let mut to = DeviceBatchMut::row_major(&mut memory, batch, n, n).unwrap();
        let inverted = of::Inverse { a: InPlace, inverse: &mut to, status: &mut status };
        plan.run(&device.stream().unwrap(), inverted).unwrap();
        assert_same(&what, &memory.to_vec().unwrap(), inverse.as_slice());
        let from = device.upload(&data).unwrap();
        let of_a = DeviceBatch::row_major(&from, batch, n, n).unwrap();
        let mut to = DeviceBatchMut::row_major(&mut memory, batch, n, n).unwrap();
        let inverted = of::Inverse { a: &of_a, inverse: &mut to, status: &mut status };
        plan.run(&device.stream().unwrap(), inverted).unwrap();
        assert_same(&what, &memory.to_vec().unwrap(), inverse.as_slice());
    }
}

/// What is bad: zeros on the diagonal come first, then what is not finite, of the triangle and then of right-hand sides.
#[test]
fn what_is_bad_is_told() {
    let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for (device, bad) in devices(4).iter().flat_map(|device| numbers.map(|bad| (device, bad))) {
        for (n, at) in
            [(1, (0, 0)), (3, (2, 0)), (3, (1, 1)), (20, (19, 19)), (20, (12, 3)), (40, (0, 0)), (70, (69, 1))]
        {
            let mut all = vec![0.0; 4 * n * n];
            all.chunks_exact_mut(n * n).for_each(|t| (0..n).for_each(|i| t[i * n + i] = 1.0));
            all[n * n + at.0 * n + at.1] = bad;
            all[2 * n * n] = 0.0;
            all[2 * n * n + (n - 1) * n] = if n > 1 { bad } else { 0.0 };
            let mut sides = vec![1.0; 4 * n * 2];
            sides[3 * n * 2 + 1] = bad;
            let device = device.with(Triangular::LOWER);
            let (t, b) = (Batch::row_major(&all, 4, n, n).unwrap(), Batch::row_major(&sides, 4, n, 2).unwrap());
            let solution = device.solve(&t, &b).unwrap();
            let of_matrices = [Status::Ok, Status::NonFinite, Status::Singular(1), Status::Ok];
            let mut wanted = of_matrices;
            wanted[3] = Status::SideNotFinite(1);
            assert_eq!(*solution.status, wanted, "{device}, n = {n}, {bad} at {at:?}");
            for (b, j) in (0..4).flat_map(|b| (0..2).map(move |j| (b, j))) {
                let is_bad = b == 1 || b == 2 || b == 3 && j == 1;
                assert!((0..n).all(|i| solution.x.get(b, i, j).is_nan() == is_bad), "{device}, n = {n}");
            }
            let inverse = device.invert(&t).unwrap();
            assert_eq!(*inverse.status, of_matrices, "{device}, n = {n}, {bad} at {at:?}");
            assert!((0..4).all(|b| inverse.matrices.matrix(b).iter().all(|x| x.is_nan() == (b == 1 || b == 2))));
            let det = device.det(&t).unwrap();
            assert_eq!(*det.status, of_matrices, "{device}, n = {n}, {bad} at {at:?}");
            assert!(det.values[0] == 1.0 && det.values[1].is_nan() && det.values[2] == 0.0);
            // Without right-hand sides, the matrices are judged.
            let none = Batch::row_major(&[], 4, n, 0).unwrap();
            assert_eq!(*device.solve(&t, &none).unwrap().status, of_matrices, "{device}, n = {n}, {bad} at {at:?}");
        }
    }
    let none = Batch::<f64>::row_major(&[], 2, 0, 0).unwrap();
    for device in devices(1) {
        let device = device.with(Triangular::UPPER);
        assert!(device.invert(&none).unwrap().status.all_ok() && device.det(&none).unwrap().values == [1.0, 1.0]);
    }
}

/// A zero on the diagonal makes a determinant zero, whatever else there is.
#[test]
fn singular_determinants_are_zero() {
    for device in devices(3) {
        for other in [f64::NAN, f64::INFINITY, 3.0] {
            let t = [0.0, f64::NAN, 1.0, other];
            let det = device.with(Triangular::LOWER).det(&Batch::row_major(&t, 1, 2, 2).unwrap()).unwrap();
            assert_eq!(
                (det.values[0], det.sign[0], det.log_abs[0]),
                (0.0, 0.0, f64::NEG_INFINITY),
                "{device}, {other}"
            );
            assert_eq!(*det.status, [Status::Singular(1)]);
        }
    }
}

/// What is not there for triangular matrices is refused, and kernels for other steps do not matter.
#[test]
fn other_settings() {
    let t = Batch::row_major(&[2.0, f64::NAN, 1.0, 4.0], 1, 2, 2).unwrap();
    for device in devices(2) {
        let both = device.with(Triangular::LOWER).with(Residual::Both);
        assert!(both.invert(&t).unwrap_err().to_string().contains("triangular matrices have small left residuals"));
    }
    for kernel in ["gesv_in_registers_n8", "inverse_in_registers_n8", "getrf_global", "getrs_shared"] {
        let device = Device::sim().with(Triangular::LOWER).with(Algorithm::Kernel(kernel));
        assert_eq!(device.invert(&t).unwrap().matrices.as_slice(), [0.5, 0.0, -0.125, 0.25], "{kernel}");
    }
}

/// Inverses that overflow are not finite as a whole; solutions that do, column by column.
#[test]
fn overflow_is_told() {
    for device in devices(6) {
        let device = device.with(Triangular::UPPER);
        let t = [1e-200, 1.0, f64::NAN, 1e-200];
        let (t, b) =
            (Batch::row_major(&t, 1, 2, 2).unwrap(), Batch::row_major(&[1.0, 0.0, 0.0, 1.0], 1, 2, 2).unwrap());
        assert_eq!(*device.invert(&t).unwrap().status, [Status::NonFinite], "{device}");
        let solution = device.solve(&t, &b).unwrap();
        assert_eq!(*solution.status, [Status::SideNotFinite(1)], "{device}");
        assert!(solution.x.get(0, 0, 0) == 1e200 && solution.x.get(0, 0, 1).is_nan());
    }
}

/// Factors are what they are made of: by their triangles alone, a system is solved as by all.
#[test]
fn factors_by_their_triangles() {
    for device in devices(7) {
        let mut random = Random::new(5);
        for n in [2, 7, 33] {
            let (a, sides): (Vec<f64>, Vec<f64>) = (random.elements(2 * n * n), random.elements(2 * n));
            let (a, b) = (Batch::row_major(&a, 2, n, n).unwrap(), Batch::row_major(&sides, 2, n, 1).unwrap());
            let lu = device.with(Pivoting::Partial).lu(&a).unwrap();
            let wanted = lu.solve(&b, Op::None).unwrap().x;
            let factors = lu.factors().unwrap().view();
            let permuted: Vec<f64> = (0..2)
                .flat_map(|m| lu.permutation(m).unwrap().into_iter().map(move |row| (m, row as usize)))
                .map(|(m, row)| b.get(m, row, 0))
                .collect();
            let permuted = Batch::row_major(&permuted, 2, n, 1).unwrap();
            let unit = Triangular { unit: true, ..Triangular::LOWER };
            let y = device.with(unit).solve(&factors, &permuted).unwrap().x;
            let x = device.with(Triangular::UPPER).solve(&factors, &y.view()).unwrap().x;
            for (x, wanted) in x.as_slice().iter().zip(wanted.as_slice()) {
                assert!((x - wanted).abs() <= 1e-10 * (1.0 + wanted.abs()), "{device}, n = {n}");
            }
        }
    }
}

#[test]
fn devices_of_several_machines_share_batches() {
    let device = Device::sims(2).unwrap().with(Triangular::LOWER);
    let data: Vec<f64> = (0..8).flat_map(|b| [f64::from(b + 1), f64::NAN, 1.0, 1.0]).collect();
    let inverse = device.invert(&Batch::row_major(&data, 8, 2, 2).unwrap()).unwrap().check().unwrap();
    for b in 0..8 {
        let x = 1.0 / (b + 1) as f64;
        assert_eq!(inverse.matrix(b), [x, 0.0, -x, 1.0]);
    }
}
