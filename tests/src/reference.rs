//! nalgebra's LU as the reference, and pivots up to rounding ties.

use nalgebra::{DMatrix, Dyn, LU};
use warplu::verify::ratios;
use warplu::{Batch, Determinants, Element, Matrices, Real, Scalar, c64};

/// A matrix of a batch in complex f64.
pub fn load<T: Element>(a: &Batch<'_, T>, index: usize) -> DMatrix<c64> {
    DMatrix::from_fn(a.rows(), a.cols(), |i, j| a.get(index, i, j).widen().to_c64())
}

/// What nalgebra makes of a matrix in complex f64.
#[derive(Debug)]
pub struct Reference {
    inverse: DMatrix<c64>,
    lu: LU<c64, Dyn, Dyn>,
    determinant: c64,
    condition: f64,
}

/// A^-1; infinite where nalgebra finds none.
#[must_use]
pub fn inverse(a: &DMatrix<c64>) -> DMatrix<c64> {
    let none = || DMatrix::from_element(a.nrows(), a.ncols(), c64::new(f64::INFINITY, 0.0));
    a.clone().try_inverse().unwrap_or_else(none)
}

impl Reference {
    /// Of one matrix.
    #[must_use]
    pub fn new(a: &DMatrix<c64>) -> Self {
        let (lu, inverse) = (a.clone().lu(), inverse(a));
        let condition = norm(a) * norm(&inverse);
        Self { inverse, determinant: lu.determinant(), lu, condition }
    }

    /// Forward error that rounding to `u` may cause, relative to the result; over 0.1 there is nothing to compare.
    fn allowance(&self, u: f64) -> Option<f64> {
        let allowance = 20.0 * self.inverse.nrows() as f64 * u * self.condition;
        (allowance < 0.1).then_some(allowance)
    }

    /// Checks an inverse.
    ///
    /// # Errors
    /// What differs.
    pub fn check_inverse<T: Element>(&self, x: &Matrices<T>, index: usize, u: f64) -> Result<(), String> {
        let Some(allowance) = self.allowance(u) else { return Ok(()) };
        close("inverse", &load(&x.view(), index), &self.inverse, allowance)
    }

    /// Checks a solution, column by column.
    ///
    /// # Errors
    /// What differs.
    pub fn check_solution<T: Element>(
        &self,
        b: &Batch<'_, T>,
        x: &Matrices<T>,
        index: usize,
        u: f64,
    ) -> Result<(), String> {
        let Some(allowance) = self.allowance(u) else { return Ok(()) };
        let got = load(&x.view(), index);
        let wanted = self.lu.solve(&load(b, index)).ok_or("the reference is singular")?;
        (0..got.ncols()).try_for_each(|c| {
            let column = |m: &DMatrix<c64>| m.columns(c, 1).into_owned();
            close("solution", &column(&got), &column(&wanted), allowance)
        })
    }

    /// Checks a determinant.
    ///
    /// # Errors
    /// What differs.
    pub fn check_det<T: Element>(&self, det: &Determinants<T>, index: usize, u: f64) -> Result<(), String> {
        let Some(allowance) = self.allowance(u) else { return Ok(()) };
        let allowance = allowance * self.inverse.nrows() as f64;
        // A type may be too small for a determinant, but not for its logarithm.
        let by_logarithm = det.sign[index].to_c64() * det.log_abs[index].to_f64().exp();
        let (_, least) = ratios::precision::<T::Scalar>();
        let norm = self.determinant.norm();
        let is_in_range = T::Scalar::from_c64(self.determinant).is_finite() && norm * u > least;
        let got = if is_in_range { det.values[index].to_c64() } else { by_logarithm };
        let error = (got - self.determinant).norm() / self.determinant.norm();
        if error <= allowance { Ok(()) } else { Err(format!("determinant {got}, not {}", self.determinant)) }
    }
}

fn close(what: &str, got: &DMatrix<c64>, wanted: &DMatrix<c64>, allowance: f64) -> Result<(), String> {
    let error = norm(&(got - wanted)) / norm(wanted);
    if error <= allowance { Ok(()) } else { Err(format!("{what} is off by {error:e}, more than {allowance:e}")) }
}

fn norm(a: &DMatrix<c64>) -> f64 {
    (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)].norm()).sum()).fold(0.0, f64::max)
}

/// Checks that two sequences of interchanges are equal, or part where the candidates tie up to rounding to `u`.
///
/// # Errors
/// The first step at which they differ without a tie.
pub fn pivots_agree(a: &DMatrix<c64>, left: &[u32], right: &[u32], u: f64) -> Result<(), String> {
    let Some(split) = left.iter().zip(right).position(|(l, r)| l != r) else { return Ok(()) };
    let n = a.nrows();
    let mut work = a.clone();
    for k in 0..split {
        let pivot = left[k] as usize;
        for j in 0..n {
            (work[(k, j)], work[(pivot, j)]) = (work[(pivot, j)], work[(k, j)]);
        }
        for i in k + 1..n {
            let factor = work[(i, k)] / work[(k, k)];
            for j in k..n {
                let product = factor * work[(k, j)];
                work[(i, j)] -= product;
            }
        }
    }
    let size = |row: usize| work[(row, split)].l1_norm();
    let largest = (split..n).map(size).fold(0.0, f64::max);
    let scale = (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).map(|(i, j)| work[(i, j)].norm()).fold(0.0, f64::max);
    let slack = 100.0 * n as f64 * u * scale;
    let tie = [left, right].iter().all(|p| largest - size(p[split] as usize) <= slack);
    if tie { Ok(()) } else { Err(format!("pivots differ at step {split}: {} and {}", left[split], right[split])) }
}
