//! Matrices that ask for care, and a plain LU.

use kernels_gpu::lu::NON_FINITE;
use kernels_gpu::scalar::{Scalar, c64};
use kernels_gpu::small::number::Number;

/// The kinds of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Random,
    /// All entries so small, or so large, that pivots are divided by.
    Tiny,
    Huge,
    Subnormal,
    /// Entries are 1 and -1.
    Ties,
    /// Of two candidates that agree in their first 32 bits the second is the larger.
    NearTies,
    ZeroColumn,
    Zero,
    Nan,
    Infinite,
}

/// A batch of all kinds; the first and the last matrix are the same.
pub(crate) const CASES: [Case; 11] = [
    Case::Random,
    Case::Tiny,
    Case::Ties,
    Case::Zero,
    Case::Subnormal,
    Case::ZeroColumn,
    Case::Nan,
    Case::NearTies,
    Case::Huge,
    Case::Infinite,
    Case::Random,
];

/// Numbers between -1 and 1, from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn real(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn number<T: Scalar>(&mut self) -> T {
        T::from_c64(c64::new(self.real(), self.real()))
    }
}

/// Whether the parts are f32.
pub(crate) fn is_single<T: Scalar>() -> bool {
    size_of::<T::Real>() == 4
}

/// A matrix, row-major.
pub(crate) fn matrix<T: Scalar>(case: Case, n: usize, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    let place = (seed % n as u64) as usize;
    let scale = match case {
        Case::Tiny => 2_f64.powi(if is_single::<T>() { -100 } else { -900 }),
        Case::Huge => 2_f64.powi(if is_single::<T>() { 100 } else { 900 }),
        Case::Subnormal => 2_f64.powi(if is_single::<T>() { -130 } else { -1030 }),
        _ => 1.0,
    };
    let mut a: Vec<T> = (0..n * n)
        .map(|e| match case {
            Case::Ties => T::from_c64(c64::new(random.real().signum(), random.real().signum())),
            Case::Zero => T::ZERO,
            Case::ZeroColumn if e % n == place => T::ZERO,
            Case::NearTies if e % n == 0 => T::from_c64(c64::new(
                0.75 + (e / n % 3) as f64 * 2_f64.powi(if is_single::<T>() { -23 } else { -50 }),
                0.0,
            )),
            _ => T::from_c64(random.number::<c64>() * scale),
        })
        .collect();
    match case {
        Case::Nan => a[place * n + (place + 1) % n] = T::NAN,
        Case::Infinite => a[place * n + (place + 1) % n] = T::from_c64(c64::new(f64::INFINITY, 0.0)),
        _ => {}
    }
    a
}

/// Factors and pivots as LAPACK's unblocked algorithm has them, with the kernels' arithmetic; and the status.
pub(crate) fn factor<T: Number>(a: &[T], n: usize) -> (Vec<T>, Vec<u32>, i32) {
    let (mut x, mut pivots, mut status) = (a.to_vec(), vec![], 0);
    for k in 0..n {
        let pivot = (k..n).fold(k, |best, i| if x[i * n + k].abs1() > x[best * n + k].abs1() { i } else { best });
        pivots.push(pivot as u32);
        (0..n).for_each(|c| x.swap(k * n + c, pivot * n + c));
        let diagonal = x[k * n + k];
        if diagonal == T::ZERO && status == 0 {
            status = k as i32 + 1;
        }
        for i in k + 1..n {
            if diagonal != T::ZERO {
                let (value, reciprocal) = (x[i * n + k], diagonal.reciprocal());
                x[i * n + k] =
                    if reciprocal == T::ZERO { value.divide(diagonal.divisor()) } else { value * reciprocal };
            }
            for c in k + 1..n {
                x[i * n + c] = x[i * n + c].sub_mul(x[i * n + k], x[k * n + c]);
            }
        }
    }
    let finite = x.iter().all(|value| value.is_finite());
    (x, pivots, if finite { status } else { NON_FINITE })
}

/// Unit roundoff.
pub(crate) fn roundoff<T: Scalar>() -> f64 {
    2_f64.powi(if is_single::<T>() { -24 } else { -53 })
}

/// |x|.
pub(crate) fn magnitude(x: c64) -> f64 {
    x.re.hypot(x.im)
}

/// The largest element of |x| relative to that of `scale`, element by element; 0 / 0 is 0, NaN stays.
pub(crate) fn largest_ratio(x: &[c64], scale: &[f64], floor: f64) -> f64 {
    let ratios = x.iter().zip(scale).map(|(x, s)| magnitude(*x) / (s + floor));
    ratios.fold(0.0, |worst: f64, r| if r.is_nan() || r > worst { r } else { worst })
}

/// 1-norm.
pub(crate) fn norm(x: &[c64], n: usize) -> f64 {
    (0..n)
        .map(|j| (0..n).map(|i| magnitude(x[i * n + j])).sum::<f64>())
        .fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

/// Product of an n x n and an n x m matrix, both row-major.
pub(crate) fn product<T: Copy + std::ops::Mul<Output = T> + std::iter::Sum<T>>(
    a: &[T],
    b: &[T],
    n: usize,
    m: usize,
) -> Vec<T> {
    (0..n * m).map(|e| (0..n).map(|k| a[e / m * n + k] * b[k * m + e % m]).sum()).collect()
}
