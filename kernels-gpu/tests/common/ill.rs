//! Ill-conditioned matrices.

use numbers::scalar::{Scalar, c64};

use super::cases::Random;

/// The kinds of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ill {
    Hilbert,
    /// Columns, or rows, or both, of very different sizes.
    GradedColumns,
    GradedRows,
    Graded,
    /// Upper triangular, and nearly singular without a small pivot.
    Kahan,
    /// Its LU grows most: 1 on the diagonal and in the last column, -1 below.
    Growth,
}

pub(crate) const ILL: [Ill; 6] =
    [Ill::Hilbert, Ill::GradedColumns, Ill::GradedRows, Ill::Graded, Ill::Kahan, Ill::Growth];

/// One of them, row-major.
pub(crate) fn matrix<T: Scalar>(kind: Ill, n: usize) -> Vec<T> {
    let mut random = Random(n as u64);
    let turn = c64::new(0.3_f64.cos(), 0.3_f64.sin()); // the real types keep the real part
    (0..n * n)
        .map(|e| {
            let (i, j) = (e / n, e % n);
            let mut graded = |power: usize| random.number::<c64>() * 0.8_f64.powi(power as i32);
            T::from_c64(match kind {
                Ill::Hilbert => turn / (i + j + 1) as f64,
                Ill::GradedColumns => graded(j),
                Ill::GradedRows => graded(i),
                Ill::Graded => graded(i + j),
                Ill::Kahan => {
                    let (sine, cosine) = 1.2_f64.sin_cos();
                    let entry = if i == j { 1.0 } else { -cosine };
                    turn * if j < i { 0.0 } else { sine.powi(i as i32) * entry }
                }
                Ill::Growth => turn * if i == j || j == n - 1 { 1.0 } else { -f64::from(j < i) },
            })
        })
        .collect()
}
