//! The accuracy of one matrix's result, as LAPACK's tests measure it.

use warplu::verify::{definite_ratios, ratios};
use warplu::{Batch, Device, Element, Op, Scalar, Structure, Triangle, c64};

use crate::failure::Result;
use crate::matrix::Matrix;

/// Of factors in a file, which are rounded to its type there.
pub(crate) fn stored_factors<T: Element>(a: &Batch<'_, T>, lu: &Batch<'_, T>, pivots: &[u32]) -> f64 {
    let n = lu.rows();
    let wide: Vec<_> = (0..n * n).map(|at| lu.get(0, at / n, at % n).widen()).collect();
    let ratio = |lu: Batch<'_, T::Scalar>| ratios::factors(a, &lu, pivots, 0).norm;
    // Over the roundoff of the type that they are computed with, which is finer than that of 16-bit files.
    let rounding = ratios::precision::<T::Scalar>().0 / ratios::precision::<T>().0;
    Batch::c_order(&wide, 1, n, n).map_or(f64::NAN, ratio) * rounding
}

/// Of Cholesky factors in a file, which are rounded to its type there.
pub(crate) fn stored_cholesky<T: Element>(a: &Batch<'_, T>, factors: &Batch<'_, T>, triangle: Triangle) -> f64 {
    let n = factors.rows();
    let wide: Vec<_> = (0..n * n).map(|at| factors.get(0, at / n, at % n).widen()).collect();
    let ratio = |l: Batch<'_, T::Scalar>| definite_ratios::factors(a, &l, triangle, 0).norm;
    // Over the roundoff of the type that they are computed with, as of LU.
    let rounding = ratios::precision::<T::Scalar>().0 / ratios::precision::<T>().0;
    Batch::c_order(&wide, 1, n, n).map_or(f64::NAN, ratio) * rounding
}

/// Of the factors of a matrix that are made for this.
pub(crate) fn refactored<T: Element>(device: &Device, structure: Structure, a: &Batch<'_, T>) -> warplu::Result<f64> {
    match structure {
        Structure::PositiveDefinite(triangle) => {
            let cholesky = device.cholesky(a, triangle)?;
            Ok(definite_ratios::factors(a, &cholesky.factors()?.view(), triangle, 0).norm)
        }
        _ => Ok(ratios::lu(a, &device.lu(a)?, 0)?.norm),
    }
}

/// The matrix that is worked on: of a structure that says so, what one triangle stands for.
pub(crate) fn with_structure<T: Element>(a: &Matrix<T>, structure: Structure) -> Result<Vec<T>> {
    let a = a.view()?;
    match structure {
        Structure::PositiveDefinite(triangle) => Ok(a.hermitian(triangle)?.into_c_order()?),
        _ => Ok((0..a.rows() * a.cols()).map(|at| a.get(0, at / a.cols(), at % a.cols())).collect()),
    }
}

/// Of a solution: `|b - A x| / (|A| |x| u)` in the 1-norm, the worst right-hand side. Unlike the library's, it needs no
/// factors, which are not there.
pub(crate) fn solution<T: Element>(a: &Batch<'_, T>, b: &Batch<'_, T>, x: &Batch<'_, T>, index: usize) -> f64 {
    residual(|i, j| a.get(index, i, j).widen().to_c64(), b, x, index)
}

/// The same of a solution by factors: A is their product.
pub(crate) fn solution_by_factors<T: Element>(
    lu: &Batch<'_, T>,
    pivots: &[u32],
    op: Op,
    b: &Batch<'_, T>,
    x: &Batch<'_, T>,
) -> f64 {
    let n = lu.rows();
    let at = |i, j| lu.get(0, i, j).widen().to_c64();
    let mut rows: Vec<Vec<c64>> = (0..n)
        .map(|i| {
            // Row i of L U: L's is left of the diagonal, where it is 1.
            let mut row: Vec<_> = (0..n).map(|j| if j < i { c64::new(0.0, 0.0) } else { at(i, j) }).collect();
            for k in 0..i {
                row.iter_mut().enumerate().skip(k).for_each(|(j, sum)| *sum += at(i, k) * at(k, j));
            }
            row
        })
        .collect();
    // The interchanges were done from the first to the last.
    for (k, &pivot) in pivots.iter().enumerate().rev() {
        rows.swap(k, pivot as usize);
    }
    let a = |i: usize, j: usize| match op {
        Op::None => rows[i][j],
        Op::Transpose => rows[j][i],
        Op::Adjoint => rows[j][i].conj(),
    };
    residual(a, b, x, 0)
}

fn residual<T: Element>(a: impl Fn(usize, usize) -> c64, b: &Batch<'_, T>, x: &Batch<'_, T>, index: usize) -> f64 {
    let (n, (u, least)) = (b.rows(), ratios::precision::<T>());
    let wide = |z: T| z.widen().to_c64();
    // Scaled to largest parts of 1, so that nothing overflows.
    let largest = |all: &mut dyn Iterator<Item = c64>| all.map(|z| z.re.abs().max(z.im.abs())).fold(0.0, f64::max);
    let size_a = largest(&mut (0..n * n).map(|at| a(at / n, at % n)));
    let a = |i, j| a(i, j) / size_a;
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
