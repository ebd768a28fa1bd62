//! Determinants whose right value is known to the last bit: of permuted diagonal matrices, whose products are integers
//! times powers of two, and at the ends of each type's range.

use warplu::verify::Random;
use warplu::{Batch, Device, Element, Ragged, Scalar, Structure, Triangle, c64};
use warplu_tests::{devices, for_types};

/// Numbers up to this one have a product whose square is exact in double precision.
const FACTORS: usize = 11;

fn scalar<T: Element>(z: c64) -> T::Scalar {
    T::Scalar::from_c64(z)
}

/// The size of the diagonal's k-th element.
fn factor(k: usize) -> f64 {
    (if k < FACTORS { (k + 1) as f64 } else { 1.0 }) * [8.0, 0.125, 2.0, 0.5, 4.0, 0.25][k % 6]
}

/// A permuted diagonal matrix, a row cyclically below the next, and its determinant.
fn permuted<T: Element>(n: usize, shift: usize) -> (Vec<T>, T::Scalar) {
    let unit = |k: usize| match k % 5 {
        1 if size_of::<T::Scalar>() == 2 * size_of::<<T::Scalar as Scalar>::Real>() => c64::new(0.0, 1.0),
        3 => c64::new(-1.0, 0.0),
        _ => c64::new(1.0, 0.0),
    };
    let (mut a, mut det) = (vec![T::narrow(T::Scalar::ZERO); n * n], c64::new(1.0, 0.0));
    for k in 0..n {
        let z = unit(k) * factor(k);
        a[(k + shift) % n * n + k] = T::narrow(scalar::<T>(z));
        det *= z;
    }
    // A cycle of n rows is n - 1 interchanges.
    let is_odd = shift % n.max(1) * (n.max(1) - 1) % 2 == 1;
    (a, scalar::<T>(if is_odd { -det } else { det }))
}

fn exact<T: Element>() {
    let large = [(Device::cpu(), &[2, 3, 150][..])];
    for (device, orders) in devices(3).into_iter().map(|device| (device, &[1, 4, 7, 40][..])).chain(large) {
        for &n in orders {
            let parts: Vec<(Vec<T>, T::Scalar)> = (0..7).map(|shift| permuted::<T>(n, shift)).collect();
            let (a, wanted): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
            let a = a.concat();
            let batch = Batch::row_major(&a, 7, n, n).unwrap();
            let what = format!("{device}, n = {n}");
            assert_eq!(device.det(&batch).unwrap().values, wanted, "{what}");
            assert_eq!(device.lu(&batch).unwrap().det().unwrap().values, wanted, "{what}: from factors");
            let ragged = Ragged::row_major(&a, &[n; 7]).unwrap();
            assert_eq!(device.det(&ragged).unwrap().values, wanted, "{what}: many sizes");

            let squares: Vec<T> = (0..n * n)
                .map(|at| if at / n == at % n { factor(at / n).powi(2) } else { 0.0 })
                .map(|x| T::narrow(scalar::<T>(c64::new(x, 0.0))))
                .collect();
            let wanted = (0..n).map(factor).product::<f64>().powi(2);
            let wanted = [scalar::<T>(c64::new(wanted, 0.0))];
            let batch = Batch::row_major(&squares, 1, n, n).unwrap();
            for triangle in [Triangle::Lower, Triangle::Upper] {
                let definite = device.with(Structure::PositiveDefinite(triangle));
                assert_eq!(definite.det(&batch).unwrap().values, wanted, "{what}: positive definite");
                let cholesky = device.cholesky(&batch, triangle).unwrap();
                assert_eq!(cholesky.det().unwrap().values, wanted, "{what}: from Cholesky factors");
            }
        }
    }
}
for_types!(exact);

/// Values at both ends of the range, and of order 1 the element itself.
#[test]
fn ends_of_the_range() {
    let det32 = |device: &Device, d: &[f32]| {
        let n = d.len();
        let a: Vec<f32> = (0..n * n).map(|at| if at / n == at % n { d[at / n] } else { 0.0 }).collect();
        device.det(&Batch::row_major(&a, 1, n, n).unwrap()).unwrap().values[0]
    };
    let det64 = |device: &Device, d: &[f64]| {
        let n = d.len();
        let a: Vec<f64> = (0..n * n).map(|at| if at / n == at % n { d[at / n] } else { 0.0 }).collect();
        device.det(&Batch::row_major(&a, 1, n, n).unwrap()).unwrap().values[0]
    };
    for device in devices(4) {
        for x in [1e38_f32, f32::MAX, f32::MIN_POSITIVE, 1e-45, 5.0, -3e-39] {
            assert_eq!(det32(&device, &[x]), x, "{device}");
            assert_eq!(det32(&device, &[x, 1.0, 1.0]), x, "{device}");
        }
        assert_eq!(det32(&device, &[1e20, 1e20, 1e-20, 1e-20]), (1e20_f32 as f64 * 1e-20_f32 as f64).powi(2) as f32);
        assert_eq!(det32(&device, &[-1e20, 1e20]), f32::NEG_INFINITY, "{device}");
        assert_eq!(det32(&device, &[1e-30, 1e-30]), 0.0, "{device}");
        for x in [f64::MAX, f64::MIN_POSITIVE, 5e-324, 5.0, -1e-310] {
            assert_eq!(det64(&device, &[x]), x, "{device}");
            assert_eq!(det64(&device, &[2.0, x, 0.5]), x, "{device}");
        }
        assert_eq!(det64(&device, &[f64::MAX, -4.0, 0.125]), f64::MAX / -2.0, "{device}");
        assert_eq!(det64(&device, &[1e200; 5]), f64::INFINITY, "{device}");
        assert_eq!(det64(&device, &[1e-200; 5]), 0.0, "{device}");
        // Beyond the range on the way, in it at the end.
        let ends: Vec<f64> = (0..40).map(|k| if k < 20 { 2.0_f64.powi(1000) } else { 2.0_f64.powi(-1000) }).collect();
        assert_eq!(det64(&device, &ends), 1.0, "{device}");
    }
}

/// Of triangular random matrices, which are their own factors: within n roundings of the product of the diagonal.
#[test]
fn single_precision_is_rounded_once() {
    for device in devices(5) {
        for n in [2, 3, 5, 30] {
            let mut a: Vec<f32> = Random::new(n as u64).elements(n * n);
            for at in (0..n * n).filter(|at| at / n > at % n) {
                a[at] = 0.0;
            }
            let wanted: f64 = (0..n).map(|k| f64::from(a[k * n + k])).product();
            let det = device.det(&Batch::row_major(&a, 1, n, n).unwrap()).unwrap().values[0];
            assert!(
                (f64::from(det) - wanted).abs() <= 0.51 * f64::from(f32::EPSILON) * wanted.abs(),
                "{device}, n = {n}"
            );
        }
    }
}
