//! Factors of matrices of many orders as those of one: refined solutions, factors from elsewhere, other matrices in their
//! place; and what factors multiply to.

use warplu::verify::Random;
use warplu::{
    Batch, Device, Element, Error, Op, Ragged, RaggedCholesky, RaggedLu, Real, Scalar, Status, Triangle, c32, c64,
};
use warplu_tests::compare::assert_same;
use warplu_tests::ragged::{Many, WAYS, beside};
use warplu_tests::{devices, for_types};

const ORDERS: [usize; 7] = [3, 20, 3, 0, 33, 1, 3];
const SIDES: [usize; 7] = [2, 1, 2, 3, 2, 0, 1];

/// A column of a result as text of its bits, where it is not NaN.
fn told(x: impl Real) -> String {
    let x = x.to_f64();
    if x.is_nan() { "NaN".to_owned() } else { format!("{x:e}") }
}

/// Each solution becomes what it becomes alone, and has the bounds that it has there.
fn refined<T: Element<Scalar = T> + Scalar>() {
    let mut random = Random::new(12);
    let (a, b) = (Many::<T>::squares(&mut random, &ORDERS, false), Many::<T>::sides(&mut random, &ORDERS, &SIDES));
    for way in 0..WAYS {
        let (memory, sides) = (a.placed(&mut random, way, beside()), b.placed(&mut random, 0, beside()));
        for device in devices(way as u64) {
            let (op, what) = ([Op::None, Op::Transpose, Op::Adjoint][way % 3], format!("{device:?}, way {way}"));
            let lu = device.lu(&memory.view()).unwrap();
            let mut x = lu.solve(&sides.view(), op).unwrap().x;
            let bounds = lu.refine(&memory.view(), &sides.view(), &mut x.view_mut(), op).unwrap();
            assert_eq!(bounds.ferr.len(), SIDES.iter().sum::<usize>());
            let mut at = 0;
            for (m, &rhs) in SIDES.iter().enumerate() {
                let (own, side) = (a.one(m), b.one(m));
                let alone = device.lu(&own).unwrap();
                let mut wanted = alone.solve(&side, op).unwrap().x;
                let own_bounds = alone.refine(&own, &side, &mut wanted.view_mut(), op).unwrap();
                let status = if rhs > 0 { own_bounds.status[0] } else { bounds.status[m] };
                assert_eq!(bounds.status[m], status, "{what}, matrix {m}");
                if way == 0 || way == 3 {
                    assert_same(&what, x.matrix(m), wanted.as_slice());
                    for j in 0..rhs {
                        assert_eq!(told(bounds.ferr[at + j]), told(own_bounds.ferr[j]), "{what}, matrix {m}");
                        assert_eq!(told(bounds.berr[at + j]), told(own_bounds.berr[j]), "{what}, matrix {m}");
                    }
                }
                at += rhs;
            }
        }
    }
}
for_types!(refined: f32 f64 c32 c64);

#[test]
fn refined_by_cholesky_factors() {
    let a = [4.0_f64, 2.0, 2.0, 2.0, 9.0, 1.0, 2.0, 2.0, 1.0];
    let a = Ragged::row_major(&a, &[2, 1, 2]).unwrap(); // the last is not positive definite
    let b = Ragged::row_major(&[6.0, 4.0, 9.0, 1.0, 1.0], &[(2, 1), (1, 1), (2, 1)]).unwrap();
    for device in devices(2) {
        let cholesky = device.cholesky(&a, Triangle::Lower).unwrap();
        let mut x = cholesky.solve(&b).unwrap().x;
        let bounds = cholesky.refine(&a, &b, &mut x.view_mut()).unwrap();
        assert_eq!(*bounds.status, [Status::Ok, Status::Ok, Status::NotPositiveDefinite(2)]);
        assert!(bounds.berr[0] < 1e-15 && bounds.berr[1] < 1e-15 && bounds.ferr[2].is_nan() && bounds.berr[2].is_nan());
        assert!((x.matrix(0)[0] - 1.0).abs() < 1e-14 && x.matrix(1) == [1.0]);
    }
}

/// From what factors tell of themselves, the same are made.
fn from_parts<T: Element>() {
    let mut random = Random::new(31);
    let a = Many::<T>::squares(&mut random, &ORDERS, false);
    let b = Many::<T>::sides(&mut random, &ORDERS, &SIDES);
    for (device, way) in devices(6).iter().zip([1, 2]) {
        let (memory, sides) = (a.placed(&mut random, way, beside()), b.placed(&mut random, 0, beside()));
        let lu = device.lu(&memory.view()).unwrap();
        let factors: Vec<T::Scalar> = (0..ORDERS.len())
            .flat_map(|m| {
                let own = lu.factors(m).unwrap();
                let n = ORDERS[m];
                (0..n * n).map(|e| own.get(0, e / n, e % n)).collect::<Vec<_>>()
            })
            .collect();
        let pivots: Vec<u32> = (0..ORDERS.len()).flat_map(|m| lu.pivots(m).unwrap().to_vec()).collect();
        let parts = Ragged::row_major(&factors, &ORDERS).unwrap();
        let again = RaggedLu::<T>::from_parts(device, &parts, &pivots).unwrap();
        assert_eq!(again.status(), lu.status());
        let [x, y] = [&lu, &again].map(|lu| lu.solve(&sides.view(), Op::Adjoint).unwrap().x.into_vec());
        for (x, y) in x.into_iter().zip(y) {
            let (x, y): (c64, c64) = (x.widen().to_c64(), y.widen().to_c64());
            // Factors in another order of elements may be solved with in another order of sums.
            let u = 1e4 * warplu::verify::ratios::precision::<T>().0;
            assert!(x.is_nan() && y.is_nan() || (x - y).norm() <= u * (1.0 + x.norm()), "{device:?}: {x}, {y}");
        }
        let none = RaggedLu::<T>::from_parts(device, &parts, &pivots[1..]).unwrap_err().to_string();
        assert!(none.contains("the slice for the pivots must have 63 elements, but it has 62"), "{none}");
        let mut beyond = pivots.clone();
        beyond[24] = 5; // row 1 of the third matrix
        let none = RaggedLu::<T>::from_parts(device, &parts, &beyond).unwrap_err().to_string();
        assert!(none.contains("pivot 1 of matrix 2 is 5, but rows are counted from 0 to 2"), "{none}");
        let wrong = Ragged::row_major(&factors[..6], &[(2, 3)]).unwrap();
        assert!(matches!(RaggedLu::<T>::from_parts(device, &wrong, &[0, 1]), Err(Error::Shape(_))));
    }
}
for_types!(from_parts);

#[test]
fn cholesky_factors_from_parts() {
    for (device, triangle) in devices(1).into_iter().zip([Triangle::Lower, Triangle::Upper]) {
        let l = [2.0, 7.0, 7.0, 3.0, 4.0]; // 7 stands where it may not be read, or is off the diagonal
        let factors = Ragged::row_major(&l, &[2, 1]).unwrap();
        let cholesky = RaggedCholesky::<f64>::from_parts(&device, &factors, triangle).unwrap();
        assert_eq!(cholesky.det().unwrap().values, [36.0, 16.0]);
        assert_eq!(cholesky.triangle(), triangle);
    }
}

/// Other matrices in the place of those before, also of other orders, and clones keep what they have.
#[test]
fn refactored() {
    let (first, second) = ([2.0, 1.0, 1.0, 1.0, 4.0, 3.0], [3.0, 0.0, 0.0, 3.0, 5.0, 0.0]);
    for device in devices(3) {
        let mut lu = device.lu(&Ragged::row_major(&first, &[2, 1, 1]).unwrap()).unwrap();
        let kept = lu.clone();
        lu.refactor(&Ragged::row_major(&second, &[2, 1, 1]).unwrap()).unwrap();
        assert_eq!(lu.det().unwrap().values, [9.0, 5.0, 0.0]);
        assert_eq!(*lu.status(), [Status::Ok, Status::Ok, Status::Singular(1)]);
        assert_eq!(kept.det().unwrap().values, [1.0, 4.0, 3.0]);
        drop(kept);
        lu.refactor(&Ragged::column_major(&first, &[2, 1, 1]).unwrap()).unwrap();
        assert_eq!(lu.det().unwrap().values, [1.0, 4.0, 3.0]);
        // As many of each order, of other orders.
        lu.refactor(&Ragged::row_major(&[1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 5.0, 7.0], &[3, 1, 1]).unwrap())
            .unwrap();
        assert_eq!(lu.det().unwrap().values, [6.0, 5.0, 7.0]);
        lu.refactor(&Ragged::row_major(&first[..5], &[1, 2]).unwrap()).unwrap();
        assert_eq!((lu.batch(), lu.n(0), lu.n(1)), (2, 1, 2));
        assert_eq!(lu.det().unwrap().values, [2.0, 3.0]);
        assert!(lu.refactor(&Ragged::row_major(&first, &[(2, 3)]).unwrap()).is_err());
        assert_eq!(lu.batch(), 0, "after an error there are factors of nothing");
        lu.refactor(&Ragged::row_major(&first, &[2, 1, 1]).unwrap()).unwrap();
        assert_eq!(lu.batch(), 3);
    }
}

/// Factors multiply to the matrices that they are of.
fn reconstructed<T: Element>() {
    let mut random = Random::new(8);
    for (n, device) in [1, 2, 9, 40].into_iter().flat_map(|n| devices(n as u64).map(|device| (n, device))) {
        let data: Vec<T> = random.elements(2 * n * n);
        let a = Batch::column_major(&data, 2, n, n).unwrap();
        let u = 40.0 * n as f64 * warplu::verify::ratios::precision::<T::Scalar>().0;
        let near = |x: &warplu::Matrices<T::Scalar>, a: &Batch<'_, T>| {
            for (b, i, j) in (0..2 * n * n).map(|e| (e / (n * n), e / n % n, e % n)) {
                let (x, y): (c64, c64) = (x.get(b, i, j).to_c64(), a.get(b, i, j).widen().to_c64());
                assert!((x - y).norm() <= u * (n as f64).sqrt(), "{device:?}, n = {n}: {x}, {y}");
            }
        };
        near(&device.lu(&a).unwrap().reconstruct().unwrap(), &a);
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let mut data: Vec<T> = random.elements(2 * n * n);
            data.chunks_mut(n * n).for_each(|matrix| warplu::verify::make_definite(matrix, n));
            let a = Batch::row_major(&data, 2, n, n).unwrap().hermitian(triangle).unwrap();
            let cholesky = device.cholesky(&a.view(), triangle).unwrap();
            assert!(cholesky.status().all_ok());
            let x = cholesky.reconstruct().unwrap();
            let scaled = |x: f64| x / (2.0 * n as f64);
            for (x, y) in x.as_slice().iter().zip(a.as_slice()) {
                let (x, y): (c64, c64) = (x.to_c64(), y.widen().to_c64());
                assert!(scaled((x - y).norm()) <= u, "{device:?}, n = {n}, {triangle}: {x}, {y}");
            }
        }
    }
    let singular: Vec<T> = vec![random.element(); 4];
    let lu = Device::cpu().lu(&Batch::row_major(&singular, 1, 2, 2).unwrap()).unwrap();
    assert_eq!(lu.reconstruct().unwrap().as_slice()[..1], [singular[0].widen()], "singular matrices have factors, too");
}
for_types!(reconstructed);

#[test]
fn residuals_are_differences() {
    let a = [c32::new(1.0, 2.0), c32::new(0.0, 1.0)];
    let (a, x) = (Batch::row_major(&a, 1, 1, 2).unwrap(), [c32::new(2.0, 0.0), c32::new(0.0, 1.0)]);
    let (x, b) = (Batch::column_major(&x, 1, 2, 1).unwrap(), [c32::new(1.0, 5.0)]);
    let residual = a.residual(&x, &Batch::row_major(&b, 1, 1, 1).unwrap()).unwrap();
    assert_eq!(residual.as_slice(), [c32::new(0.0, 1.0)]);
    let error = a.residual(&a, &a).unwrap_err().to_string();
    assert!(error.contains("`x` must be of shape (1, 2, 2), but it is of (1, 1, 2)"), "{error}");
    let none = Batch::<f64>::row_major(&[], 3, 0, 0).unwrap();
    assert_eq!(none.residual(&none, &none).unwrap().batch(), 3);
}
