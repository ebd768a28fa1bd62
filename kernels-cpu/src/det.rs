//! Determinants from LU factors.

use super::view::MatRef;
use numbers::det_product::{DetParts, LogProduct};
use numbers::scalar::{Real, Scalar, c64};

use crate::element::CpuScalar;
use crate::transfer::at;

/// The determinant from A's factors and their status: zero if A is singular, NaN if the factors are not finite.
///
/// # Panics
/// If the shapes do not fit.
pub(crate) fn determinant<T: CpuScalar>(lu: MatRef<'_, T>, pivots: &[u32], status: i32) -> LogProduct {
    let n = pivots.len();
    assert!(lu.shape() == (n, n), "determinant needs square factors and a pivot a row");
    if status < 0 {
        return LogProduct::NAN;
    }
    pivots.iter().enumerate().fold(LogProduct::ONE, |product, (k, &pivot)| {
        let product = product.times(lu[(k, k)].to_c64());
        if pivot as usize == k { product } else { product.negate() }
    })
}

/// Writes the determinant of matrix b.
///
/// # Safety
/// The places are there, and nobody else touches them.
pub(crate) unsafe fn write<S: Scalar>(det: DetParts<S, S::Real>, b: usize, product: LogProduct) {
    // SAFETY: the caller's promise.
    unsafe { write_parts(det, b, product.value(), product.phase(), product.log_abs()) };
}

/// As [`write`], from a product's value, its phase and the logarithm of its magnitude.
///
/// # Safety
/// As there.
pub(crate) unsafe fn write_parts<S: Scalar>(det: DetParts<S, S::Real>, b: usize, value: c64, phase: c64, log_abs: f64) {
    // SAFETY: the caller's promise.
    unsafe {
        at(det.value, b).write(S::from_c64(value));
        at(det.phase, b).write(S::from_c64(phase));
        at(det.log_abs, b).write(Real::from_f64(log_abs));
    }
}

#[cfg(test)]
mod tests {
    use crate::mat::Mat;

    use super::super::factor::factor;
    use super::super::testing::{Random, for_all_types, huge, is_complex, real, roundoff, tiny};
    use super::*;

    for_all_types!(empty, permutations, products_of_a_diagonal, small_matrices, extremes, singular, not_finite);

    fn det<T: CpuScalar>(a: &Mat<T>) -> (c64, f64) {
        let (mut lu, mut pivots) = (a.clone(), vec![0; a.nrows()]);
        let status = factor(lu.as_mut(), &mut pivots);
        let product = determinant(lu.as_ref(), &pivots, status);
        (product.phase(), product.log_abs())
    }

    fn empty<T: CpuScalar>() {
        assert_eq!(det(&Mat::<T>::zeros(0, 0)), (c64::new(1.0, 0.0), 0.0));
    }

    fn permutations<T: CpuScalar>() {
        let mut random = Random(1);
        for n in 1..20 {
            let mut a = Mat::<T>::identity(n);
            let mut sign = 1.0;
            for _ in 0..n {
                let (i, j) = (random.bits() as usize % n, random.bits() as usize % n);
                for c in 0..n {
                    let x = a[(i, c)];
                    a[(i, c)] = a[(j, c)];
                    a[(j, c)] = x;
                }
                sign = if i == j { sign } else { -sign };
            }
            assert_eq!(det(&a), (c64::new(sign, 0.0), 0.0));
        }
    }

    fn products_of_a_diagonal<T: CpuScalar>() {
        let mut random = Random(2);
        for n in [1, 2, 10, 40] {
            let entries = random.matrix::<T>(n, 1);
            let a = Mat::from_fn(n, n, |i, j| if i == j { entries[(i, 0)] } else { T::ZERO });
            let (phase, log_abs) = det(&a);
            let expected: c64 = (0..n).map(|i| entries[(i, 0)].to_c64()).product();
            let tolerance = roundoff::<T>() * 4.0 + 1e-15 * n as f64;
            assert!((phase - expected / expected.norm()).norm() < tolerance);
            assert!((log_abs - expected.norm().ln()).abs() < tolerance * expected.norm().ln().abs().max(1.0));
            assert!(is_complex::<T>() || (phase.re.abs() == 1.0 && phase.im == 0.0));
        }
    }

    fn small_matrices<T: CpuScalar>() {
        let mut random = Random(3);
        for _ in 0..100 {
            let a = random.matrix::<T>(3, 3);
            let x = |i: usize, j: usize| a[(i, j % 3)].to_c64();
            let minor = |j| x(1, j + 1) * x(2, j + 2) - x(1, j + 2) * x(2, j + 1);
            let expected: c64 = (0..3).map(|j| x(0, j) * minor(j)).sum();
            let (phase, log_abs) = det(&a);
            assert!((phase * log_abs.exp() - expected).norm() < 200.0 * roundoff::<T>());
        }
    }

    fn extremes<T: CpuScalar>() {
        for x in [tiny::<T>(), huge::<T>()] {
            let a = Mat::from_fn(50, 50, |i, j| if i == j { real::<T>(-x) } else { T::ZERO });
            // Rounded to the type first: `huge` is not a number of each.
            let log = 50.0 * real::<T>(x).to_c64().re.ln();
            let (phase, log_abs) = det(&a);
            assert_eq!(phase, c64::new(1.0, 0.0));
            assert!((log_abs - log).abs() <= 2.0 * roundoff::<T>() * log.abs());
        }
    }

    fn singular<T: CpuScalar>() {
        let zero = c64::new(0.0, 0.0);
        assert_eq!(det(&Mat::from_fn(5, 5, |_, _| real::<T>(3.0))), (zero, f64::NEG_INFINITY));
        assert_eq!(det(&Mat::<T>::zeros(1, 1)), (zero, f64::NEG_INFINITY));
    }

    fn not_finite<T: CpuScalar>() {
        for a in [
            Mat::of([[T::ONE, T::NAN], [T::ZERO, T::ONE]]),
            Mat::of([[T::ZERO, real(f64::INFINITY)], [T::ZERO, T::ONE]]),
        ] {
            let (phase, log_abs) = det(&a);
            assert!(phase.re.is_nan() && log_abs.is_nan());
            assert!(!is_complex::<T>() || phase.im.is_nan());
        }
    }
}
