//! Inputs: random batches in many layouts, and matrices that are hard in a known way.

use warplu::verify::Random;
use warplu::{Element, Layout, Scalar, c64};

/// A number of storage type `T`.
pub fn number<T: Element>(re: f64) -> T {
    T::narrow(T::Scalar::from_c64(c64::new(re, 0.0)))
}

/// A matrix from its elements, row by row.
pub fn from_fn<T: Element>(n: usize, at: impl Fn(usize, usize) -> f64) -> Vec<T> {
    (0..n * n).map(|k| number(at(k / n, k % n))).collect()
}

/// The ways in which a batch can lie in memory.
pub const LAYOUTS: usize = 7;

/// The layout of way `kind` for `batch` matrices of `rows` x `cols`, and the elements that it spans.
#[must_use]
pub fn layout(kind: usize, batch: usize, rows: usize, cols: usize) -> (Layout, usize) {
    let (batch_stride, row_stride, col_stride) = match kind {
        0 => (rows * cols, cols, 1),
        1 => (rows * cols, 1, rows),
        2 => (rows * (cols + 3) + 5, cols + 3, 1),
        3 => (cols * (rows + 2) + 7, 1, rows + 2),
        4 => (1, batch * cols, batch),
        5 => (3 * rows * cols + 1, 3 * cols, 3),
        _ => (0, cols, 1), // the same matrix again and again
    };
    let last = |count: usize| count.saturating_sub(1);
    let len = last(batch) * batch_stride + last(rows) * row_stride + last(cols) * col_stride + 1;
    (Layout { batch_stride, row_stride, col_stride }, len.max(batch * rows * cols))
}

/// Elements for a layout; those between the matrices are NaN.
pub fn fill<T: Element>(
    random: &mut Random,
    layout: Layout,
    len: usize,
    (batch, rows, cols): (usize, usize, usize),
) -> Vec<T> {
    let mut data = vec![T::narrow(T::Scalar::NAN); len];
    for b in 0..batch {
        for i in 0..rows {
            for j in 0..cols {
                // Well enough conditioned for 16-bit results, and yet not diagonally dominant.
                let shift =
                    if (i + rows / 2) % rows == j && size_of::<T>() == 2 { 2.0 * (rows as f64).sqrt() } else { 0.0 };
                let x: T = random.element();
                let shifted = T::Scalar::to_c64(x.widen()) + shift;
                data[b * layout.batch_stride + i * layout.row_stride + j * layout.col_stride] =
                    T::narrow(T::Scalar::from_c64(shifted));
            }
        }
    }
    data
}

/// A product of a permutation, a unit lower and an upper triangle of few bits each, so that LU with partial pivoting is
/// exact up to column `zero`, if there is one, which has a pivot of exactly 0.
pub fn exact<T: Element>(random: &mut Random, n: usize, zero: Option<usize>) -> Vec<T> {
    let mut pick = |values: &[f64]| values[random.below(values.len())];
    let mut lower = vec![0.0; n * n];
    let mut upper = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            // At most two entries a row of L below the diagonal keep the products short.
            lower[i * n + j] = if i == j {
                1.0
            } else if i > j && i - j <= 2 {
                pick(&[-0.5, 0.0, 0.5])
            } else {
                0.0
            };
            upper[i * n + j] = if i == j {
                pick(&[-2.0, 1.0, 4.0])
            } else if i < j {
                pick(&[-1.0, 0.0, 1.0])
            } else {
                0.0
            };
        }
    }
    if let Some(k) = zero {
        upper[k * n + k] = 0.0;
    }
    let mut rows: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        rows.swap(i, random.below(i + 1));
    }
    from_fn(n, |i, j| (0..n).map(|k| lower[rows[i] * n + k] * upper[k * n + j]).sum())
}

/// Random matrices of order `n`, row by row; the third of each five is singular, the fifth has a NaN.
pub fn mixed<T: Element>(random: &mut Random, batch: usize, n: usize) -> Vec<T> {
    let mut data = random.elements(batch * n * n);
    for (b, matrix) in data.chunks_exact_mut((n * n).max(1)).enumerate() {
        match b % 5 {
            2 => matrix[..n].fill(T::narrow(T::Scalar::ZERO)),
            4 => matrix[n * n - 1] = T::narrow(T::Scalar::NAN),
            _ => {}
        }
    }
    data
}
