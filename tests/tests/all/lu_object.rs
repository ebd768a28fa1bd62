//! Factors as an object: made anew, from parts, brought over once, and checked.

use warplu::verify::Random;
use warplu::{Batch, Device, Element, Error, Lu, Op, Status};
use warplu_tests::compare::{assert_same, factors, pivots};
use warplu_tests::matrices::mixed;
use warplu_tests::results::OPS;
use warplu_tests::{devices, for_types};

/// Asserts that factors are those that another call made, and that what comes from them is the same too.
#[track_caller]
fn assert_same_factors<T: Element>(what: &str, got: &Lu<T>, wanted: &Lu<T>) {
    assert_eq!((got.batch(), got.n(), got.status()), (wanted.batch(), wanted.n(), wanted.status()), "{what}");
    // Without elements there is no order.
    assert!(got.n() == 0 || factors(got).layout() == factors(wanted).layout(), "{what}");
    assert_same(what, factors(got).as_slice(), factors(wanted).as_slice());
    assert_eq!(pivots(got), pivots(wanted), "{what}");
    let (n, batch) = (got.n(), got.batch());
    let b: Vec<T> = Random::new(8).elements(batch * n * 2);
    let b = Batch::row_major(&b, batch, n, 2).unwrap();
    for op in OPS {
        let [got, wanted] = [got, wanted].map(|lu| lu.solve(&b, op).unwrap());
        assert_same(what, got.x.as_slice(), wanted.x.as_slice());
        assert_eq!(got.status, wanted.status, "{what}");
    }
    let [got_inverse, wanted_inverse] = [got, wanted].map(|lu| lu.inverse().unwrap());
    assert_same(what, got_inverse.matrices.as_slice(), wanted_inverse.matrices.as_slice());
    assert_eq!(got_inverse.status, wanted_inverse.status, "{what}");
    let [got, wanted] = [got, wanted].map(|lu| lu.det().unwrap());
    assert_same(what, &got.sign, &wanted.sign);
    assert_eq!(got.status, wanted.status, "{what}");
}

fn factored_anew<T: Element>() {
    let few = 16 << 10;
    let others = [Device::sim().with_memory_limit(few), Device::sims(3).unwrap().with_memory_limit(few)];
    for device in devices(5).into_iter().chain(others) {
        let data = |seed: u64, batch: usize, n: usize| -> Vec<T> { mixed(&mut Random::new(seed), batch, n) };
        let first = data(1, 7, 9);
        let mut lu = device.lu(&Batch::row_major(&first, 7, 9, 9).unwrap()).unwrap();
        let old = device.lu(&Batch::row_major(&first, 7, 9, 9).unwrap()).unwrap();
        let clone = lu.clone();
        // A clone keeps what it has; the next ones are made in the same place, after their like, and of other sizes.
        for (seed, batch, n) in [(2, 7, 9), (3, 7, 9), (4, 9, 7), (5, 0, 9), (6, 7, 9), (7, 3, 0), (8, 2, 17)] {
            let next = data(seed, batch, n);
            for a in [Batch::row_major(&next, batch, n, n).unwrap(), Batch::column_major(&next, batch, n, n).unwrap()] {
                lu.refactor(&a).unwrap();
                assert_same_factors(&format!("{device}: {batch} of order {n}"), &lu, &device.lu(&a).unwrap());
            }
        }
        assert_same_factors("the clone", &clone, &old);
        let oblong = [T::narrow(warplu::Scalar::ONE); 6];
        assert!(lu.refactor(&Batch::row_major(&oblong, 1, 2, 3).unwrap()).is_err());
        assert_eq!(
            (lu.batch(), factors(&lu).as_slice().len(), pivots(&lu).len()),
            (0, 0, 0),
            "of nothing after an error"
        );
        lu.refactor(&Batch::row_major(&first, 7, 9, 9).unwrap()).unwrap();
        assert_same_factors("after an error", &lu, &old);
    }
}
for_types!(factored_anew);

fn made_from_parts<T: Element>() {
    for (device, (batch, n)) in devices(6)
        .into_iter()
        .chain([Device::sims(2).unwrap()])
        .flat_map(|d| [(7, 9), (3, 1), (4, 0), (0, 5), (2, 40)].map(|s| (d.clone(), s)))
    {
        let data: Vec<T> = mixed(&mut Random::new(1), batch, n);
        for a in [Batch::row_major(&data, batch, n, n).unwrap(), Batch::column_major(&data, batch, n, n).unwrap()] {
            let lu = device.lu(&a).unwrap();
            let parts = Lu::<T>::from_parts(&device, &factors(&lu).view(), pivots(&lu)).unwrap();
            assert_same_factors(&format!("{device}: {batch} of order {n}"), &parts, &lu);
        }
    }
}
for_types!(made_from_parts);

#[test]
fn parts_that_do_not_fit() {
    let data = [4.0_f64, 2.0, 0.25, 1.5, 1.0, 0.0, 0.0, 1.0];
    let lu = Batch::row_major(&data, 2, 2, 2).unwrap();
    for device in devices(1) {
        let says = |pivots: &[u32], part: &str| match Lu::<f64>::from_parts(&device, &lu, pivots) {
            Err(Error::Shape(text)) => assert!(text.contains(part), "{text}"),
            other => panic!("{other:?}"),
        };
        says(&[1, 1, 1, 2], "pivot 1 of matrix 1 is 2, but rows are counted from 0 to 1: subtract 1 from LAPACK's");
        says(&[u32::MAX, 1, 1, 1], "pivot 0 of matrix 0 is 4294967295");
        says(&[1, 1, 1], "the slice for the pivots must have 4 elements, but it has 3");
        let oblong = Batch::row_major(&data, 1, 2, 4).unwrap();
        assert!(matches!(Lu::<f64>::from_parts(&device, &oblong, &[0, 1]), Err(Error::Shape(_))));
        // Statuses are found in the factors.
        let bad = [1.0, 2.0, 3.0, 0.0, f64::NAN, 0.0, 0.0, 1.0];
        let lu = Lu::<f64>::from_parts(&device, &Batch::row_major(&bad, 2, 2, 2).unwrap(), &[0, 1, 0, 1]).unwrap();
        assert_eq!(*lu.status(), [Status::Singular(2), Status::NonFinite]);
    }
}

#[test]
fn factors_are_brought_over_once() {
    let data: Vec<f64> = Random::new(2).elements(5 * 36);
    for device in devices(1) {
        let lu = device.lu(&Batch::row_major(&data, 5, 6, 6).unwrap()).unwrap();
        let first = factors(&lu).as_slice().as_ptr();
        assert_eq!(factors(&lu).as_slice().as_ptr(), first);
        assert_eq!(factors(&lu.clone()).as_slice().as_ptr(), first, "clones share them");
        assert_eq!(pivots(&lu).as_ptr(), lu.pivots(0).unwrap().as_ptr());
        // Many who ask at once get the same.
        let lu = device.lu(&Batch::row_major(&data, 5, 6, 6).unwrap()).unwrap();
        let asked: Vec<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| factors(&lu).as_slice().as_ptr().addr())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(asked.iter().all(|&start| start == factors(&lu).as_slice().as_ptr().addr()));
    }
}

#[test]
fn bad_matrices_are_an_error_where_none_are_taken() {
    let a = [1.0, 2.0, 2.0, 4.0, 1.0, 0.0, 0.0, 1.0, f64::NAN, 0.0, 0.0, 1.0];
    let b = [1.0; 6];
    for device in devices(1) {
        let a = Batch::row_major(&a, 3, 2, 2).unwrap();
        let b = Batch::row_major(&b, 3, 2, 1).unwrap();
        let lu = device.lu(&a).unwrap();
        let errors = [
            lu.clone().check().map(drop),
            lu.solve(&b, Op::None).unwrap().check().map(drop),
            lu.inverse().unwrap().check().map(drop),
            device.invert(&a).unwrap().check().map(drop),
            device.solve(&a, &b).unwrap().check().map(drop),
            device.det(&a).unwrap().status.check(),
        ];
        let text = "2 of 3 matrices cannot be used; the first is matrix 0, which is singular (U[1][1] is zero)";
        for error in errors {
            let error = error.unwrap_err();
            assert!(matches!(error, Error::BadMatrices { bad: 2, batch: 3, first: 0, status: Status::Singular(2) }));
            // What `main` shows of an error that it returns is for people too.
            assert_eq!((error.to_string(), format!("{error:?}")), (text.to_owned(), text.to_owned()));
        }
        assert_eq!(lu.status().bad().collect::<Vec<_>>(), [(0, Status::Singular(2)), (2, Status::NonFinite)]);
        assert!(!lu.status().all_ok());
        let good = [2.0, 1.0, 1.0, 1.0];
        let good = Batch::row_major(&good, 1, 2, 2).unwrap();
        assert!(device.lu(&good).unwrap().check().unwrap().status().all_ok());
        assert_eq!(device.invert(&good).unwrap().check().unwrap().as_slice(), [1.0, -1.0, -1.0, 2.0]);
    }
}

/// What results offer beside their elements.
#[test]
fn results_are_taken_apart() {
    let a = [2.0_f64, 0.0, 0.0, 4.0, 0.0, 2.0, 1.0, 0.0];
    for device in devices(1) {
        let mut inverse = device.invert(&Batch::column_major(&a, 2, 2, 2).unwrap()).unwrap().matrices;
        assert_eq!((inverse.matrix(1), inverse[(1, 0, 1)]), (&[0.0, 1.0, 0.5, 0.0][..], 0.5));
        assert_eq!(inverse.iter().map(|matrix| matrix[(0, 0)]).collect::<Vec<_>>(), [0.5, 0.0]);
        assert!(device.invert_in_place(&mut inverse.view_mut()).unwrap().all_ok());
        assert_eq!(inverse.as_slice(), a);
        assert_eq!(inverse.into_row_major().unwrap(), [2.0, 0.0, 0.0, 4.0, 0.0, 1.0, 2.0, 0.0]);
        let det = device.det(&Batch::column_major(&a, 2, 2, 2).unwrap()).unwrap();
        assert_eq!(det.sign, [1.0, -1.0]);
        assert!(det.values.iter().zip([8.0, -2.0]).all(|(x, wanted)| (x - wanted).abs() < 1e-14));
        assert_eq!(det.status.into_vec(), [Status::Ok; 2]);
    }
}
