//! Norms, condition numbers and growth of pivots of ragged batches.

use warplu::verify::{Random, ratios};
use warplu::{Device, Element, Error, Norm, Ragged, Real};
use warplu_tests::ragged::{Many, WAYS, beside};
use warplu_tests::{devices, for_types};

/// Each matrix has what it has alone.
fn quality<T: Element>() {
    let mut random = Random::new(9);
    let many = Many::<T>::squares(&mut random, &[3, 40, 3, 0, 33, 1, 40, 3, 9], false);
    let u = ratios::precision::<T::Scalar>().0;
    for way in 0..WAYS {
        let memory = many.placed(&mut random, way, beside());
        let a = memory.view();
        for device in devices(way as u64) {
            let lu = device.lu(&a).unwrap();
            for norm in [Norm::One, Norm::Infinity] {
                let (norms, growth) = (a.norms(norm).unwrap(), lu.growth(&a).unwrap());
                let conditions = lu.rcond(&norms).unwrap();
                assert_eq!(conditions.status, *lu.status());
                for b in 0..a.batch() {
                    let (one, what) = (many.one(b), format!("{device:?}, {norm}, matrix {b}"));
                    let alone = device.lu(&one).unwrap();
                    let own = one.norms(norm).unwrap();
                    let wanted = [own[0], alone.rcond(&own).unwrap().rcond[0], alone.growth(&one).unwrap()[0]];
                    for (x, y) in [norms[b], conditions.rcond[b], growth[b]].into_iter().zip(wanted) {
                        let (x, y) = (x.to_f64(), y.to_f64());
                        // Other strides than `one` has, in C order, may have another order of sums.
                        let limit = if way == 0 || way == 3 { 0.0 } else { 100.0 * u };
                        assert!(x.is_nan() && y.is_nan() || x == y || (x - y).abs() <= limit * y, "{what}: {x}, {y}");
                    }
                }
            }
        }
    }
}
for_types!(quality);

#[test]
fn quality_wants_the_matrices_that_were_factored() {
    let data = [2.0, 1.0, 1.0, 1.0, 4.0];
    let a = Ragged::row_major(&data, &[2, 1]).unwrap();
    let lu = Device::cpu().lu(&a).unwrap();
    let says = |error: Error, part: &str| assert!(error.to_string().contains(part), "{error}");
    let others = [Ragged::row_major(&data[..4], &[2]).unwrap(), Ragged::row_major(&data, &[1, 2]).unwrap()];
    says(lu.growth(&others[0]).unwrap_err(), "2 matrices have been factored, but there are 1");
    says(lu.growth(&others[1]).unwrap_err(), "the factors of matrix 0 are of order 2, but it is 1 x 1");
    says(lu.rcond(&others[0].norms(Norm::One).unwrap()).unwrap_err(), "norms");
}
