//! Matrices that are worked on by themselves.

use numbers::scalar::c64;

use super::factor::{factor_alone, factor_with};
use super::inverse::invert_with;
use super::mirror::mirror;
use crate::element::CpuScalar;
use crate::lanes::Isa;
use crate::mat::Mat;
use crate::params::Params;
use crate::testing::{
    Random, assert_small, bits, distance, elsewhere, for_all_types, multiply, norm1, params, real, roundoff, wide,
};

for_all_types!(
    factors,
    products_are_added_up_first,
    inverses,
    the_first_bad_pivot_decides,
    threads_do_not_matter,
    vectors_do_not_matter,
    place_does_not_matter,
);

fn orders() -> impl Iterator<Item = usize> {
    (0..=20).chain([31, 32, 33, 48, 49, 65, 100, 130, 200])
}

/// A positive definite matrix, with NaN above its diagonal.
fn definite<T: CpuScalar>(random: &mut Random, n: usize) -> Mat<T> {
    let a = random.matrix::<T>(n, n);
    Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => T::NAN,
        std::cmp::Ordering::Equal => a[(i, j)] + real(2.0 * (n as f64).sqrt() + 1.0),
        std::cmp::Ordering::Greater => a[(i, j)],
    })
}

/// What its lower triangle stands for.
fn whole<T: CpuScalar>(a: &Mat<T>) -> Mat<c64> {
    let n = a.nrows();
    Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => a[(j, i)].to_c64().conj(),
        std::cmp::Ordering::Equal => c64::new(a[(i, j)].to_c64().re, 0.0),
        std::cmp::Ordering::Greater => a[(i, j)].to_c64(),
    })
}

fn adjoint(a: &Mat<c64>) -> Mat<c64> {
    Mat::from_fn(a.ncols(), a.nrows(), |i, j| a[(j, i)].conj())
}

/// `||A - L L^H|| / (n ||A|| u)` (`xPOT01`).
fn factors<T: CpuScalar>() {
    let mut random = Random(1);
    for n in orders() {
        let a = definite::<T>(&mut random, n);
        for params in params().chain([Params::default()]) {
            let what = format!("n = {n}, {params:?}");
            let mut l = a.clone();
            assert_eq!(factor_alone(l.as_mut(), false, params), 0, "{what}");
            for j in 0..n {
                assert!((0..j).all(|i| l[(i, j)] == T::ZERO) && l[(j, j)].to_c64().im == 0.0, "{what}");
            }
            let (a, l) = (whole(&a), wide(l.as_ref()));
            let residual = distance(&a, &multiply(&l, &adjoint(&l)));
            assert_small(residual, n as f64 * norm1(&a) * roundoff::<T>(), &what);
        }
    }
}

/// `||I - A X|| / (n ||A|| ||X|| u)` (`xPOT03`).
/// One by one, products would be rounded to the diagonal, which is larger: 5 to 6 in place of 2, and more with n.
fn products_are_added_up_first<T: CpuScalar>() {
    let (n, x) = (300, Random(5).matrix::<T>(300, 300));
    let x = wide(x.as_ref());
    let gram = multiply(&x, &adjoint(&x));
    let a = Mat::from_fn(n, n, |i, j| T::from_c64(gram[(i, j)] + c64::new(if i == j { n as f64 } else { 0.0 }, 0.0)));
    let mut l = a.clone();
    assert_eq!(factor_alone(l.as_mut(), false, Params::default()), 0);
    let (a, l) = (whole(&a), wide(l.as_ref()));
    let residual = distance(&a, &multiply(&l, &adjoint(&l))) / (norm1(&a) * roundoff::<T>());
    assert!(residual < 3.0, "{residual}");
}

fn inverses<T: CpuScalar>() {
    let mut random = Random(2);
    for n in orders() {
        let a = definite::<T>(&mut random, n);
        for params in params().chain([Params::default()]) {
            let (mut l, mut x) = (a.clone(), Mat::from_fn(n, n, |_, _| T::NAN));
            assert_eq!(factor_with(l.as_mut(), params), 0);
            invert_with(l.as_mut(), x.as_mut(), params);
            let (a, x) = (whole(&a), wide(x.as_ref()));
            let what = format!("n = {n}, {params:?}");
            assert!(adjoint(&x) == x, "{what}: the inverse is Hermitian");
            let scale = n as f64 * norm1(&a) * norm1(&x) * roundoff::<T>();
            for product in [multiply(&a, &x), multiply(&x, &a)] {
                assert_small(distance(&product, &Mat::identity(n)), scale, &what);
            }
        }
    }
}

fn the_first_bad_pivot_decides<T: CpuScalar>() {
    let mut random = Random(3);
    for n in [1, 2, 16, 17, 40, 100] {
        for k in [0, n / 2, n - 1] {
            for (pivot, status) in [(-1e3, -2 - k as i32), (f64::NAN, -1), (f64::INFINITY, -1)] {
                let mut a = definite::<T>(&mut random, n);
                a[(k, k)] = real(pivot);
                // Comes too late.
                if k + 1 < n && pivot < 0.0 {
                    a[(n - 1, k + 1)] = T::NAN;
                }
                assert_eq!(factor_alone(a.as_mut(), false, Params::default()), status, "n = {n}, k = {k}");
                assert!(a.elements().iter().all(|x| x.to_c64().re.is_nan()));
            }
        }
    }
}

/// The factor and the inverse.
fn results<T: CpuScalar>(a: &Mat<T>, params: Params) -> [Vec<(u64, u64)>; 2] {
    let (mut l, mut x) = (a.clone(), a.clone());
    assert_eq!(factor_alone(l.as_mut(), false, params), 0);
    let factor = bits(l.as_ref());
    mirror(l.as_mut(), params);
    invert_with(l.as_mut(), x.as_mut(), params);
    [factor, bits(x.as_ref())]
}

fn threads_do_not_matter<T: CpuScalar>() {
    for n in [64, 129, 320, 450] {
        let a = definite::<T>(&mut Random(4), n);
        let [one, many] = [false, true].map(|parallel| results(&a, Params { parallel, ..Params::default() }));
        assert!(one == many, "n = {n}");
    }
}

fn vectors_do_not_matter<T: CpuScalar>() {
    for n in [1, 7, 16, 33, 70, 150] {
        let a = definite::<T>(&mut Random(5), n);
        let fused = Isa::available().into_iter().filter(|isa| isa.has_groups());
        let all: Vec<_> = fused.map(|isa| results(&a, Params { isa, ..Params::default() })).collect();
        assert!(all.windows(2).all(|two| two[0] == two[1]), "n = {n}");
    }
}

fn place_does_not_matter<T: CpuScalar>() {
    for n in [1, 8, 33, 130] {
        let a = definite::<T>(&mut Random(6), n);
        let expected = &results(&a, Params::default())[0];
        let columns = elsewhere(a.as_ref(), |mut a| {
            (a.row_stride() == 1).then(|| {
                assert_eq!(factor_alone(a.rb_mut(), false, Params::default()), 0);
                bits(a.rb())
            })
        });
        assert!(columns.into_iter().flatten().all(|found| found == *expected), "n = {n}");
    }
}
