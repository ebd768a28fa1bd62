//! Matrices that ask for care, and a plain LU.

use numbers::scalar::{Scalar, c64};
use numbers::status::NON_FINITE;

use super::measure::{is_single, product};

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

/// Factors and pivots as LAPACK's unblocked algorithm has them, and the status. Multipliers come from `divide`.
pub(crate) fn factor<T: Scalar>(a: &[T], n: usize, divide: impl Fn(T, T) -> T) -> (Vec<T>, Vec<u32>, i32) {
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
                x[i * n + k] = divide(x[i * n + k], diagonal);
            }
            for c in k + 1..n {
                x[i * n + c] = x[i * n + c].sub_mul(x[i * n + k], x[k * n + c]);
            }
        }
    }
    let finite = x.iter().all(|value| value.is_finite());
    (x, pivots, if finite { status } else { NON_FINITE })
}

/// Right-hand sides of solutions of about 1, whatever the matrix: shape (n, rhs).
pub(crate) fn side<T: Scalar>(a: &[T], n: usize, rhs: usize) -> Vec<T> {
    let mut random = Random(n as u64);
    let x: Vec<c64> = (0..n * rhs).map(|_| random.number()).collect();
    let a: Vec<_> = a.iter().map(|a| a.to_c64()).collect();
    product(&a, &x, n, rhs).into_iter().map(T::from_c64).collect()
}
