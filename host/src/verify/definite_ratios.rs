//! LAPACK's test ratios of Cholesky factors and of solutions by them, as [`ratios`](super::ratios) has those of LU. For
//! inverses, [`ratios::inverse`](super::ratios::inverse) serves.
//!
//! ```
//! use warplu::verify::{definite_ratios, ratios};
//! use warplu::{Batch, Device, Triangle};
//! let data = [4.0, 2.0, 2.0, 3.0];
//! let a = Batch::row_major(&data, 1, 2, 2)?;
//! let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
//! let ratio = definite_ratios::factors(&a, &cholesky.factors()?.view(), Triangle::Lower, 0);
//! assert!(ratio.norm < ratios::LIMIT && ratio.component < ratios::COMPONENT_LIMIT);
//! # Ok::<(), warplu::Error>(())
//! ```

use super::ratios::{Ratio, is_complex, largest, over, precision};
use super::scaled::{Elements, Scaled, Wide, columns, compared, magnitudes, norm, product};
use super::system::System;
use crate::floats::times_power;
use crate::{Batch, Element, Scalar, Triangle, c64};
use kernels_cpu::mat::Mat;

/// `|A - L L^H|` of matrix `index`: over `n |A| u` in the 1-norm (xPOT01), and over `n u |L| |L^H|`. Only this triangle
/// of `a` and of the factors is looked at.
///
/// For 16-bit types u is that of the factors, f32.
///
/// ```
/// use warplu::verify::definite_ratios;
/// use warplu::{Batch, Device, Triangle};
/// let a = Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?;
/// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
/// assert!(definite_ratios::factors(&a, &cholesky.factors()?.view(), Triangle::Lower, 0).passes());
/// # Ok::<(), warplu::Error>(())
/// ```
#[must_use]
pub fn factors<T: Element>(
    a: &Batch<'_, T>,
    factors: &Batch<'_, T::Scalar>,
    triangle: Triangle,
    index: usize,
) -> Ratio {
    let ratio = if is_complex::<T>() { factors_in::<c64> } else { factors_in::<f64> };
    ratio(a.rows(), precision::<T::Scalar>(), &hermitian(a, triangle, index), &lower(factors, triangle, index))
}

fn factors_in<W: Wide>(n: usize, (u, least): (f64, f64), a: Elements<'_>, l: Elements<'_>) -> Ratio {
    let order = n as f64;
    let (a, l) = (Scaled::<W>::new(n, n, a), Scaled::<W>::new(n, n, l));
    let shift = shift(&a, &l);
    let (a, exponent, l) = (a.matrix, a.exponent, l.matrix);
    let which = compared(n);
    let right = columns(&adjoint(&l), &which);
    let scaled = product(&l, &right);
    let scaled = Mat::par_from_fn(n, which.len(), &|i, c| W::times(scaled[(i, c)].to_c64(), shift));
    let residual = columns(&a, &which).minus(&scaled);
    let size = product(&magnitudes(&l), &magnitudes(&right));
    let size = Mat::par_from_fn(n, which.len(), &|i, c| times_power(size[(i, c)], shift));
    let least = times_power(least, -exponent).max(f64::MIN_POSITIVE);
    let floor = order * least * (1.0 + largest(&size));
    Ratio {
        norm: norm(&residual) / (order * (norm(&a) * u + order * least)),
        component: over(&magnitudes(&residual), |i, j| order * u * size[(i, j)] + floor),
        right: 0.0,
    }
}

/// `|b - A x|` of matrix `index`: over `|A| |x| u` in the 1-norm (xPOT02), the worst right-hand side, and over
/// `3 n u |L| |L^H| |x|`.
///
/// ```
/// use warplu::verify::definite_ratios;
/// use warplu::{Batch, Device, Triangle};
/// let (a, b) = (Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?, Batch::row_major(&[6.0, 4.0], 1, 2, 1)?);
/// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
/// let x = cholesky.solve(&b)?.x;
/// let factors = (&cholesky.factors()?.view(), Triangle::Lower);
/// assert!(definite_ratios::solve(&a, factors, &b, &x.view(), 0).passes());
/// # Ok::<(), warplu::Error>(())
/// ```
#[must_use]
pub fn solve<T: Element>(
    a: &Batch<'_, T>,
    (factors, triangle): (&Batch<'_, T::Scalar>, Triangle),
    b: &Batch<'_, T>,
    x: &Batch<'_, T>,
    index: usize,
) -> Ratio {
    let system = System {
        n: a.rows(),
        rhs: b.cols(),
        precision: precision::<T>(),
        a: &hermitian(a, triangle, index),
        b: &|i, c| b.get(index, i, c).widen().to_c64(),
        x: &|i, c| x.get(index, i, c).widen().to_c64(),
    };
    let ratio = if is_complex::<T>() { solve_in::<c64> } else { solve_in::<f64> };
    ratio(&system, &lower(factors, triangle, index))
}

fn solve_in<W: Wide>(system: &System<'_>, l: Elements<'_>) -> Ratio {
    let n = system.n;
    let (a, l) = (Scaled::<W>::new(n, n, system.a), Scaled::<W>::new(n, n, l));
    let shift = shift(&a, &l);
    let l = magnitudes(&l.matrix);
    let upper = l.transposed();
    system.ratio(&a, &|x| {
        let bound = product(&l, &product(&upper, x));
        Mat::from_fn(n, 1, |i, _| times_power(bound[(i, 0)], shift))
    })
}

/// The matrix that a triangle stands for.
fn hermitian<T: Element>(a: &Batch<'_, T>, triangle: Triangle, index: usize) -> impl Fn(usize, usize) -> c64 + Sync {
    move |i, j| {
        let is_here = if triangle == Triangle::Lower { i >= j } else { i <= j };
        match (is_here, i == j) {
            (_, true) => c64::new(a.get(index, i, i).widen().to_c64().re, 0.0),
            (true, false) => a.get(index, i, j).widen().to_c64(),
            (false, false) => a.get(index, j, i).widen().to_c64().conj(),
        }
    }
}

/// L of A = L L^H, whichever of the two factors is there.
fn lower<S: Element>(f: &Batch<'_, S>, triangle: Triangle, index: usize) -> impl Fn(usize, usize) -> c64 + Sync {
    move |i, j| match (triangle, i >= j) {
        (_, false) => c64::new(0.0, 0.0),
        (Triangle::Lower, true) => f.get(index, i, j).widen().to_c64(),
        (Triangle::Upper, true) => f.get(index, j, i).widen().to_c64().conj(),
    }
}

/// The power of two that brings L L^H of the scaled L to the scale of A.
fn shift<W>(a: &Scaled<W>, l: &Scaled<W>) -> i32 {
    l.exponent.saturating_mul(2).saturating_sub(a.exponent)
}

fn adjoint<W: Wide>(l: &Mat<W>) -> Mat<W> {
    Mat::par_from_fn(l.ncols(), l.nrows(), &|i, j| l[(j, i)].conj())
}

#[cfg(test)]
mod tests {
    use super::super::ratios::{COMPONENT_LIMIT, LIMIT};
    use super::*;
    use crate::Device;

    /// A 3 x 3 matrix times `scale`, its factors, and those of another matrix.
    fn check(scale: f64, triangle: Triangle) {
        let data = [4.0, 2.0, 1.0, 2.0, 5.5, 3.0, 1.0, 3.0, 10.0].map(|x| x * scale);
        let mut other = data;
        other[4] *= 1.0 + 1e-12;
        let (a, other) = (Batch::row_major(&data, 1, 3, 3).unwrap(), Batch::row_major(&other, 1, 3, 3).unwrap());
        let [good, bad] = [&a, &other].map(|a| Device::cpu().cholesky(a, triangle).unwrap());
        let (good_factors, bad_factors) = (good.factors().unwrap().view(), bad.factors().unwrap().view());
        assert!(factors(&a, &good_factors, triangle, 0).passes(), "{scale}");
        let ratio = factors(&a, &bad_factors, triangle, 0);
        assert!(!(ratio.norm < LIMIT) && !(ratio.component < COMPONENT_LIMIT), "{scale}: {ratio:?}");
        let b = Batch::row_major(&[1.0, -2.0, 0.5], 1, 3, 1).unwrap();
        let (x, y) = (good.solve(&b).unwrap().x, bad.solve(&b).unwrap().x);
        let given = (&good_factors, triangle);
        assert!(solve(&a, given, &b, &x.view(), 0).passes() && !solve(&a, given, &b, &y.view(), 0).passes());
    }

    #[test]
    fn tells_good_from_bad_at_any_scale() {
        for scale in [1.0, 1e-290, 1e290] {
            check(scale, Triangle::Lower);
            check(scale, Triangle::Upper);
        }
    }

    #[test]
    fn nan_never_passes() {
        let (fine, broken) = ([1.0, 0.0, 0.0, 1.0], [f64::NAN; 4]);
        let (a, l) = (Batch::row_major(&fine, 1, 2, 2).unwrap(), Batch::row_major(&broken, 1, 2, 2).unwrap());
        assert!(!factors(&a, &l, Triangle::Lower, 0).passes());
    }
}
