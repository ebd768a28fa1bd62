//! What LAPACK's test programs demand, for all instruction sets, and left residuals of inverses of notorious matrices.

use numbers::scalar::{Scalar, c64};

use super::batch::{Batch, Place, factor_batch, inverse_batch, solve_batch};
use super::{Random, for_all_types, modulus, orders, real, roundoff};
use crate::element::CpuScalar;
use crate::lanes::Isa;

for_all_types!(random_matrices, notorious_matrices);

/// LAPACK's threshold for test ratios.
const THRESHOLD: f64 = 30.0;

fn multiply(a: &[c64], b: &[c64], n: usize) -> Vec<c64> {
    let mut product = vec![c64::new(0.0, 0.0); b.len()];
    for j in 0..b.len() / n {
        for k in 0..n {
            for i in 0..n {
                product[j * n + i] += a[k * n + i] * b[j * n + k];
            }
        }
    }
    product
}

/// The largest column sum; NaN where there is one.
fn norm1(a: &[c64], n: usize) -> f64 {
    let sums = a.chunks_exact(n).map(|column| column.iter().map(|&x| modulus(x)).sum());
    sums.fold(0.0, |largest: f64, sum: f64| if sum <= largest { largest } else { sum })
}

fn distance(a: &[c64], b: &[c64], n: usize) -> f64 {
    norm1(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>(), n)
}

fn wide<S: Scalar>(a: &[S]) -> Vec<c64> {
    a.iter().map(|x| x.to_c64()).collect()
}

fn identity(n: usize) -> Vec<c64> {
    (0..n * n).map(|e| real(f64::from(u8::from(e % n == e / n)))).collect()
}

fn random_matrices<S: CpuScalar>() {
    let mut random = Random(1);
    for (n, _) in orders() {
        let (matrices, sides) = (random.matrices::<S>(5, n, n), random.matrices::<S>(5, n, 1));
        for isa in Isa::for_groups() {
            let a = || Batch::<S>::of(Place::Columns, &matrices, n, n);
            let (mut lu, mut x, mut inverse) = (a(), Batch::<S>::of(Place::Columns, &sides, n, 1), a());
            let (pivots, status) = factor_batch(isa, &mut lu, None);
            assert_eq!(status, [0; 5]);
            assert_eq!(solve_batch(isa, &mut a(), &mut x, None), [0; 5]);
            assert_eq!(inverse_batch(isa, &mut inverse, None), [0; 5]);
            for w in 0..5 {
                let (lu, x, inverse) = (&lu.matrices()[w], &x.matrices()[w], &inverse.matrices()[w]);
                let (a, b) = (wide(&matrices[w]), wide(&sides[w]));
                let (lu, x, inverse) = (wide(lu), wide(x), wide(inverse));
                let unit = n as f64 * roundoff::<S>();
                let mut pa = a.clone();
                for k in 0..n {
                    for j in 0..n {
                        pa.swap(j * n + k, j * n + pivots[w * n + k] as usize);
                    }
                }
                let part = |lower: bool| -> Vec<c64> {
                    (0..n * n)
                        .map(|e| match (e % n, e / n) {
                            (i, j) if lower && i == j => real(1.0),
                            (i, j) if (i > j) == lower => lu[e],
                            _ => real(0.0),
                        })
                        .collect()
                };
                let ratio = distance(&multiply(&part(true), &part(false), n), &pa, n) / (norm1(&a, n) * unit);
                assert!(ratio < THRESHOLD, "{isa:?}, n = {n}: PA - LU, {ratio}");
                let ratio = distance(&multiply(&a, &x, n), &b, n) / (norm1(&a, n) * norm1(&x, n) * unit);
                assert!(ratio < THRESHOLD, "{isa:?}, n = {n}: AX - B, {ratio}");
                assert_left_inverse::<S>(&inverse, &a, n, &format!("{isa:?}, n = {n}"));
            }
        }
    }
}

/// `||I - XA|| / (n ||A|| ||X|| u)` (`xGET03`).
fn assert_left_inverse<S: Scalar>(x: &[c64], a: &[c64], n: usize, what: &str) {
    let residual = distance(&multiply(x, a, n), &identity(n), n);
    let ratio = residual / (norm1(a, n) * norm1(x, n) * n as f64 * roundoff::<S>());
    assert!(ratio < THRESHOLD, "{what}: I - XA, {ratio}");
}

/// Ill-conditioned matrices, and some whose elements grow.
fn notorious<S: Scalar>(n: usize) -> Vec<(&'static str, Vec<S>)> {
    let make = |f: &dyn Fn(f64, f64) -> f64| (0..n * n).map(|e| real(f((e % n) as f64, (e / n) as f64))).collect();
    let pascal = |i: f64, j: f64| (1..=j as i32).fold(1.0, |x, k| x * (i + f64::from(k)) / f64::from(k));
    let wilkinson = |i: f64, j: f64| match (i, j) {
        _ if j + 1.0 == n as f64 || i == j => 1.0,
        _ if i > j => -1.0,
        _ => 0.0,
    };
    vec![
        ("Hilbert", make(&|i, j| 1.0 / (i + j + 1.0))),
        ("Pascal", make(&pascal)),
        ("Cauchy", make(&|i, j| 1.0 / (i + 1.5 * j + 0.7))),
        ("Vandermonde", make(&|i, j| ((i + 1.0) / n as f64).powi(j as i32))),
        ("Wilkinson", make(&wilkinson)),
        ("graded", make(&|i, j| (1.0 + f64::from(i == j)) * (-(i + 2.0 * j)).exp2())),
    ]
}

fn notorious_matrices<S: CpuScalar>() {
    for n in [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24] {
        for (name, a) in notorious::<S>(n) {
            for isa in Isa::for_groups() {
                let mut x = Batch::<S>::of(Place::Columns, std::slice::from_ref(&a), n, n);
                // What is singular to working precision may overflow or have a zero pivot; the rest must be good.
                if inverse_batch(isa, &mut x, None) == [0] {
                    let x = wide(&x.matrices()[0]);
                    assert_left_inverse::<S>(&x, &wide(&a), n, &format!("{name}, {isa:?}, n = {n}"));
                } else {
                    assert!(n > 5, "{name}, {isa:?}, n = {n}: is regular");
                }
            }
        }
    }
}
