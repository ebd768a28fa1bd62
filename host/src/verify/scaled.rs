//! Matrices in f64 or complex f64, scaled by powers of two.

use crate::floats::{times_power, worst};
use crate::{Scalar, c64};
use kernels_cpu::calls::multiply;
use kernels_cpu::mat::Mat;
use kernels_cpu::parallel;
use numbers::element::Arithmetic;

/// The types that ratios are computed in.
pub(super) trait Wide: Arithmetic + Scalar<Real = f64> {
    /// `z * 2^exponent`.
    fn times(z: c64, exponent: i32) -> Self {
        Self::from_c64(c64::new(times_power(z.re, exponent), times_power(z.im, exponent)))
    }

    /// The product of two matrices: no generic function, which each crate that calls it would compile anew.
    fn multiply(a: &Mat<Self>, b: &Mat<Self>) -> Mat<Self>;
}

impl Wide for f64 {
    fn multiply(a: &Mat<Self>, b: &Mat<Self>) -> Mat<Self> {
        multiply(a, b)
    }
}

impl Wide for c64 {
    fn multiply(a: &Mat<Self>, b: &Mat<Self>) -> Mat<Self> {
        multiply(a, b)
    }
}

/// A matrix's elements by their place, of whatever type.
pub(super) type Elements<'a> = &'a (dyn Fn(usize, usize) -> c64 + Sync);

/// A matrix of largest part about 1; `matrix * 2^exponent` is the one that was given.
#[derive(Debug)]
pub(super) struct Scaled<W> {
    pub(super) matrix: Mat<W>,
    pub(super) exponent: i32,
}

impl<W: Wide> Scaled<W> {
    pub(super) fn new(rows: usize, cols: usize, at: Elements<'_>) -> Self {
        let largest_of =
            |j: usize| (0..rows).map(|i| at(i, j)).fold(0.0_f64, |largest, z| largest.max(z.re.abs()).max(z.im.abs()));
        let largest = parallel::reduce(cols, &largest_of, f64::max);
        let exponent = if largest > 0.0 && largest < f64::INFINITY { largest.log2().floor() as i32 } else { 0 };
        Self { matrix: Mat::par_from_fn(rows, cols, &|i, j| W::times(at(i, j), -exponent)), exponent }
    }
}

/// Columns that are compared of large matrices.
const MANY: usize = 2048;

/// The columns in which matrices of order `n` are compared: all, or of large ones as many as take seconds, from the
/// first to the last.
pub(super) fn compared(n: usize) -> Vec<usize> {
    let count = n.min(MANY);
    (0..count).map(|c| c * (n - 1) / (count - 1).max(1)).collect()
}

/// These columns of a matrix.
pub(super) fn columns<W: Wide>(a: &Mat<W>, which: &[usize]) -> Mat<W> {
    Mat::par_from_fn(a.nrows(), which.len(), &|i, c| a[(i, which[c])])
}

/// The product of two matrices.
pub(super) fn product<W: Wide>(a: &Mat<W>, b: &Mat<W>) -> Mat<W> {
    W::multiply(a, b)
}

/// The magnitudes of a matrix's elements.
pub(super) fn magnitudes<W: Wide>(a: &Mat<W>) -> Mat<f64> {
    Mat::par_from_fn(a.nrows(), a.ncols(), &|i, j| {
        let z = a[(i, j)].to_c64();
        if z.im == 0.0 { z.re.abs() } else { z.norm() }
    })
}

/// The 1-norm: the largest column sum of magnitudes; NaN if an element is.
pub(super) fn norm<W: Wide>(a: &Mat<W>) -> f64 {
    let magnitudes = magnitudes(a);
    let sum = |j: usize| (0..a.nrows()).map(|i| magnitudes[(i, j)]).sum::<f64>();
    parallel::reduce(a.ncols(), &sum, worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compared_columns_are_spread_from_the_first_to_the_last() {
        assert!(compared(0).is_empty());
        assert_eq!(compared(1), [0]);
        assert_eq!(compared(MANY), (0..MANY).collect::<Vec<_>>());
        let some = compared(3 * MANY);
        assert_eq!((some.len(), some[0], some[MANY - 1]), (MANY, 0, 3 * MANY - 1));
        assert!(some.windows(2).all(|pair| (1..=4).contains(&(pair[1] - pair[0]))));
    }
}
