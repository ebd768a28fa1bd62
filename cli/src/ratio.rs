//! The accuracy of one matrix's result, as LAPACK's tests measure it.

use warplu::verify::{definite_ratios, ratios, solution_ratio};
use warplu::{Batch, Device, Element, Op, Scalar, Structure, Triangle, c64};

use crate::failure::Result;

/// Of factors in a file, which are rounded to its type there.
pub(crate) fn stored_factors<T: Element>(a: &Batch<'_, T>, lu: &Batch<'_, T>, pivots: &[u32]) -> f64 {
    let n = lu.rows();
    let wide: Vec<_> = (0..n * n).map(|at| lu.get(0, at / n, at % n).widen()).collect();
    let ratio = |lu: Batch<'_, T::Scalar>| ratios::factors(a, &lu, pivots, 0).norm;
    // Over the roundoff of the type that they are computed with, which is finer than that of 16-bit files.
    let rounding = ratios::precision::<T::Scalar>().0 / ratios::precision::<T>().0;
    Batch::row_major(&wide, 1, n, n).map_or(f64::NAN, ratio) * rounding
}

/// Of Cholesky factors in a file, which are rounded to its type there.
pub(crate) fn stored_cholesky<T: Element>(a: &Batch<'_, T>, factors: &Batch<'_, T>, triangle: Triangle) -> f64 {
    let n = factors.rows();
    let wide: Vec<_> = (0..n * n).map(|at| factors.get(0, at / n, at % n).widen()).collect();
    let ratio = |l: Batch<'_, T::Scalar>| definite_ratios::factors(a, &l, triangle, 0).norm;
    // Over the roundoff of the type that they are computed with, as of LU.
    let rounding = ratios::precision::<T::Scalar>().0 / ratios::precision::<T>().0;
    Batch::row_major(&wide, 1, n, n).map_or(f64::NAN, ratio) * rounding
}

/// Of the factors of a matrix that are made for this; those of a triangular one are of what that stands for.
pub(crate) fn refactored<T: Element>(device: &Device, structure: Structure, a: &Batch<'_, T>) -> warplu::Result<f64> {
    match structure {
        Structure::Triangular(triangular) => refactored(device, Structure::General, &a.triangular(triangular)?.view()),
        Structure::PositiveDefinite(triangle) => {
            let cholesky = device.cholesky(a, triangle)?;
            Ok(definite_ratios::factors(a, &cholesky.factors()?.view(), triangle, 0).norm)
        }
        _ => Ok(ratios::lu(a, &device.lu(a)?, 0)?.norm),
    }
}

/// The matrix that is worked on: of a structure that says so, what one triangle stands for.
pub(crate) fn with_structure<T: Element>(a: &Batch<'_, T>, structure: Structure) -> Result<Vec<T>> {
    match structure {
        Structure::PositiveDefinite(triangle) => Ok(a.hermitian(triangle)?.into_row_major()?),
        Structure::Triangular(triangular) => Ok(a.triangular(triangular)?.into_row_major()?),
        _ => Ok((0..a.rows() * a.cols()).map(|at| a.get(0, at / a.cols(), at % a.cols())).collect()),
    }
}

/// Of a solution by factors, as [`solution_ratio`] has it: A is their product.
pub(crate) fn solution_by_factors<T: Element>(
    lu: &Batch<'_, T>,
    pivots: &[u32],
    op: Op,
    b: &Batch<'_, T>,
    x: &Batch<'_, T>,
) -> Result<f64> {
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
    let mut a = rows.concat();
    if op == Op::Adjoint {
        a.iter_mut().for_each(|z| *z = z.conj());
    }
    let a = match op {
        Op::None => Batch::row_major(&a, 1, n, n)?,
        // Rows taken as columns.
        Op::Transpose | Op::Adjoint => Batch::column_major(&a, 1, n, n)?,
    };
    Ok(solution_ratio(&a, b, x, 0))
}
