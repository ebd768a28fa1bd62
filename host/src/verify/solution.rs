//! The test ratio of a solution whose factors are not there.

use super::ratios::{precision, worst};
use crate::{Batch, Element, Scalar, c64};

/// Of the solution of a system, whoever has solved it: `|b - A x| / (|A| |x| u)` in the 1-norm, the worst right-hand
/// side. Unlike [`ratios::solve`](super::ratios::solve) it needs no factors. The roundoff `u` is that of the type of
/// b and x; A may be known more exactly.
///
/// ```
/// use warplu::verify::{ratios, solution_ratio};
/// use warplu::{Batch, Device};
/// let a = [1.0, 2.0, 3.0, 4.0];
/// let a = Batch::row_major(&a, 1, 2, 2)?;
/// let b = Batch::row_major(&[5.0, 6.0], 1, 2, 1)?;
/// let x = Device::cpu().solve(&a, &b)?.x;
/// assert!(solution_ratio(&a, &b, &x.view(), 0) < ratios::LIMIT);
/// # Ok::<(), warplu::Error>(())
/// ```
#[must_use]
pub fn solution_ratio<A: Element, T: Element>(
    a: &Batch<'_, A>,
    b: &Batch<'_, T>,
    x: &Batch<'_, T>,
    index: usize,
) -> f64 {
    let (n, (u, least)) = (b.rows(), precision::<T>());
    let a = |i, j| a.get(index, i, j).widen().to_c64();
    let wide = |z: T| z.widen().to_c64();
    // Scaled to largest parts of 1, so that nothing overflows.
    let largest = |all: &mut dyn Iterator<Item = c64>| all.map(|z| z.re.abs().max(z.im.abs())).fold(0.0, f64::max);
    let size_a = largest(&mut (0..n * n).map(|at| a(at / n, at % n)));
    let a = |i, j| a(i, j) / size_a;
    let norm_a = (0..n).map(|j| (0..n).map(|i| a(i, j).norm()).sum()).fold(0.0, worst);
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
    (0..b.cols()).map(ratio).fold(0.0, worst)
}
