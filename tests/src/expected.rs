//! Results of any type beside the reference's.

use reference::{DMatrix, Reference, norm};
use warplu::verify::ratios;
use warplu::{Batch, Determinants, Element, Matrices, Real, Scalar, c64};

/// A matrix of a batch in complex f64.
pub fn load<T: Element>(a: &Batch<'_, T>, index: usize) -> DMatrix<c64> {
    DMatrix::from_fn(a.rows(), a.cols(), |i, j| a.get(index, i, j).widen().to_c64())
}

/// What nalgebra makes of a matrix in complex f64, to compare with.
#[derive(Debug)]
pub struct Expected(Reference);

impl Expected {
    /// Of one matrix.
    #[must_use]
    pub fn new(a: &DMatrix<c64>) -> Self {
        Self(Reference::new(a))
    }

    /// Forward error that rounding to `u` may cause, relative to the result; over 0.1 there is nothing to compare.
    fn allowance(&self, u: f64) -> Option<f64> {
        let allowance = 20.0 * self.0.inverse.nrows() as f64 * u * self.0.condition;
        (allowance < 0.1).then_some(allowance)
    }

    /// Checks an inverse.
    ///
    /// # Errors
    /// What differs.
    pub fn check_inverse<T: Element>(&self, x: &Matrices<T>, index: usize, u: f64) -> Result<(), String> {
        let Some(allowance) = self.allowance(u) else { return Ok(()) };
        close("inverse", &load(&x.view(), index), &self.0.inverse, allowance)
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
        let wanted = self.0.solve(&load(b, index)).ok_or("the reference is singular")?;
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
        let allowance = allowance * self.0.inverse.nrows() as f64;
        // A type may be too small for a determinant, but not for its logarithm.
        let by_logarithm = det.sign[index].to_c64() * det.log_abs[index].to_f64().exp();
        let (_, least) = ratios::precision::<T::Scalar>();
        let norm = self.0.determinant.norm();
        let is_in_range = T::Scalar::from_c64(self.0.determinant).is_finite() && norm * u > least;
        let got = if is_in_range { det.values[index].to_c64() } else { by_logarithm };
        let error = (got - self.0.determinant).norm() / self.0.determinant.norm();
        if error <= allowance { Ok(()) } else { Err(format!("determinant {got}, not {}", self.0.determinant)) }
    }
}

fn close(what: &str, got: &DMatrix<c64>, wanted: &DMatrix<c64>, allowance: f64) -> Result<(), String> {
    let error = norm(&(got - wanted)) / norm(wanted);
    if error <= allowance { Ok(()) } else { Err(format!("{what} is off by {error:e}, more than {allowance:e}")) }
}
