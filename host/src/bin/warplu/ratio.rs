//! The accuracy of one matrix's result, as LAPACK's tests measure it.

use warplu::verify::ratios;
use warplu::{Batch, Device, Element, Lu, Matrices, Scalar, c64};

/// Of an inverse.
pub(crate) fn inverse<T: Element>(a: &Batch<'_, T>, x: &Matrices<T>, index: usize) -> f64 {
    ratios::inverse(a, &x.view(), index)
}

/// Of factors.
pub(crate) fn factors<T: Element>(a: &Batch<'_, T>, lu: &Lu<T>, index: usize) -> f64 {
    ratios::lu(a, lu, index).norm
}

/// Of factors that are made for this.
pub(crate) fn refactored<T: Element>(device: &Device, a: &Batch<'_, T>, index: usize) -> warplu::Result<f64> {
    let n = a.rows();
    let matrix: Vec<_> = (0..n * n).map(|at| a.get(index, at / n, at % n)).collect();
    let a = Batch::c_order(&matrix, 1, n, n)?;
    Ok(factors(&a, &device.lu(&a)?, 0))
}

/// Of a solution: `|b - A x| / (|A| |x| u)` in the 1-norm, the worst right-hand side. Unlike the library's, it needs no
/// factors, which are not there.
pub(crate) fn solution<T: Element>(a: &Batch<'_, T>, b: &Batch<'_, T>, x: &Batch<'_, T>, index: usize) -> f64 {
    let (n, (u, least)) = (a.rows(), ratios::precision::<T>());
    let wide = |z: T| z.widen().to_c64();
    // Scaled to largest parts of 1, so that nothing overflows.
    let largest = |all: &mut dyn Iterator<Item = c64>| all.map(|z| z.re.abs().max(z.im.abs())).fold(0.0, f64::max);
    let size_a = largest(&mut (0..n * n).map(|at| wide(a.get(index, at / n, at % n))));
    let a = |i, j| wide(a.get(index, i, j)) / size_a;
    let norm_a = (0..n).map(|j| (0..n).map(|i| a(i, j).norm()).sum()).fold(0.0, ratios::worst);
    let ratio = |c| {
        let size_x = largest(&mut (0..n).map(|i| wide(x.get(index, i, c))));
        if size_x == 0.0 {
            return if (0..n).all(|i| wide(b.get(index, i, c)) == c64::new(0.0, 0.0)) { 0.0 } else { f64::INFINITY };
        }
        let x: Vec<_> = (0..n).map(|i| wide(x.get(index, i, c)) / size_x).collect();
        let product = |i| x.iter().enumerate().map(|(j, &x)| a(i, j) * x).sum::<c64>();
        let residual: f64 = (0..n).map(|i| (wide(b.get(index, i, c)) / size_a / size_x - product(i)).norm()).sum();
        let norm_x: f64 = x.iter().map(|x| x.norm()).sum();
        residual / (norm_a * (norm_x * u + n as f64 * (least / size_x)))
    };
    (0..b.cols()).map(ratio).fold(0.0, ratios::worst)
}
