//! Norms and residuals.

use std::ops::{AddAssign, Mul};

use numbers::scalar::{Scalar, c64};

/// Whether the parts are f32.
pub(crate) fn is_single<T: Scalar>() -> bool {
    size_of::<T::Real>() == 4
}

/// Unit roundoff.
fn roundoff<T: Scalar>() -> f64 {
    2_f64.powi(if is_single::<T>() { -24 } else { -53 })
}

/// |x|.
fn magnitude(x: c64) -> f64 {
    x.re.hypot(x.im)
}

/// The largest element of |x| relative to that of `scale`, element by element; 0 / 0 is 0, NaN stays.
fn largest_ratio(x: &[c64], scale: &[f64], floor: f64) -> f64 {
    let ratios = x.iter().zip(scale).map(|(x, s)| magnitude(*x) / (s + floor));
    ratios.fold(0.0, |worst: f64, r| if r.is_nan() || r > worst { r } else { worst })
}

/// 1-norm.
fn norm(x: &[c64], n: usize) -> f64 {
    (0..n)
        .map(|j| (0..n).map(|i| magnitude(x[i * n + j])).sum::<f64>())
        .fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

/// Product of an n x n and an n x m matrix, both row-major.
pub(crate) fn product<T: Copy + Default + AddAssign + Mul<Output = T>>(a: &[T], b: &[T], n: usize, m: usize) -> Vec<T> {
    let mut product = vec![T::default(); n * m];
    for (row, a) in product.chunks_exact_mut(m).zip(a.chunks_exact(n)) {
        for (&a, b) in a.iter().zip(b.chunks_exact(m)) {
            row.iter_mut().zip(b).for_each(|(x, &b)| *x += a * b);
        }
    }
    product
}

/// What rounding of subnormal numbers adds to a residual.
fn floor<T: Scalar>() -> f64 {
    if is_single::<T>() { 32.0 * 2_f64.powi(-149) } else { 32.0 * f64::from_bits(1) }
}

/// Bit patterns, with one for all NaN.
pub(crate) fn bits<T: Scalar>(x: &[T]) -> Vec<(u64, u64)> {
    let bits = |part: f64| if part.is_nan() { u64::MAX } else { part.to_bits() };
    x.iter().map(|x| (bits(x.to_c64().re), bits(x.to_c64().im))).collect()
}

fn wide<T: Scalar>(x: &[T]) -> Vec<c64> {
    x.iter().map(|x| x.to_c64()).collect()
}

fn magnitudes(x: &[c64]) -> Vec<f64> {
    x.iter().map(|&x| magnitude(x)).collect()
}

/// |L||U| of factors, and LU itself.
fn lu_product<T: Scalar>(lu: &[T], n: usize) -> (Vec<f64>, Vec<c64>) {
    let lu = wide(lu);
    let part = |keep: &dyn Fn(usize, usize) -> bool| -> Vec<c64> {
        (0..n * n).map(|e| if keep(e / n, e % n) { lu[e] } else { c64::ZERO }).collect()
    };
    let (mut l, u) = (part(&|i, j| j < i), part(&|i, j| j >= i));
    (0..n).for_each(|i| l[i * n + i] = c64::ONE);
    (product(&magnitudes(&l), &magnitudes(&u), n, n), product(&l, &u, n, n))
}

/// The component-wise residual of factors: `max |PA - LU| / (n u |L||U|)`.
pub(crate) fn lu_ratio<T: Scalar>(a: &[T], factors: &[T], pivots: &[u32], n: usize) -> f64 {
    let (scale, lu) = lu_product(factors, n);
    let mut pa = wide(a);
    for (k, &pivot) in pivots.iter().enumerate() {
        (0..n).for_each(|c| pa.swap(k * n + c, pivot as usize * n + c));
    }
    let residual: Vec<_> = pa.iter().zip(&lu).map(|(x, y)| x - y).collect();
    let u = n as f64 * roundoff::<T>();
    largest_ratio(&residual, &scale, floor::<T>() / u) / u
}

/// The left and the right residual of an inverse: `||I - XA|| / (n ||A|| ||X|| u)`, and that of AX.
pub(crate) fn inverse_ratios<T: Scalar>(a: &[T], x: &[T], n: usize) -> [f64; 2] {
    let (a, x) = (wide(a), wide(x));
    let bound = n as f64 * norm(&a, n) * norm(&x, n) * roundoff::<T>();
    [product(&x, &a, n, n), product(&a, &x, n, n)].map(|mut residual| {
        (0..n).for_each(|i| residual[i * n + i] -= c64::ONE);
        norm(&residual, n) / bound
    })
}

/// The component-wise residual of solutions: `max |b - Ax| / (3 n u P^T|L||U||x|)`.
pub(crate) fn solution_ratio<T: Scalar>(a: &[T], x: &[T], b: &[T], factors: &[T], pivots: &[u32], n: usize) -> f64 {
    let rhs = b.len() / n;
    let x = wide(x);
    let ax = product(&wide(a), &x, n, rhs);
    let residual: Vec<_> = wide(b).iter().zip(&ax).map(|(b, ax)| b - ax).collect();
    let mut scale = product(&lu_product(factors, n).0, &magnitudes(&x), n, rhs);
    for k in (0..n).rev() {
        (0..rhs).for_each(|c| scale.swap(k * rhs + c, pivots[k] as usize * rhs + c));
    }
    let u = 3.0 * n as f64 * roundoff::<T>();
    largest_ratio(&residual, &scale, floor::<T>() / u) / u
}
