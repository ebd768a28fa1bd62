//! nalgebra's LU as the reference, and pivots up to rounding ties. It is a crate of its own because it is optimised, which tests
//! are not: they would take two minutes more to compile.

pub use nalgebra::DMatrix;

use nalgebra::{Dyn, LU};
use num_complex::Complex64;

/// What nalgebra makes of a matrix.
#[derive(Debug)]
pub struct Reference {
    /// A^-1; infinite where nalgebra finds none.
    pub inverse: DMatrix<Complex64>,
    /// The determinant.
    pub determinant: Complex64,
    /// The condition number in the 1-norm.
    pub condition: f64,
    lu: LU<Complex64, Dyn, Dyn>,
}

impl Reference {
    /// Of one matrix.
    #[must_use]
    pub fn new(a: &DMatrix<Complex64>) -> Self {
        let (lu, inverse) = (a.clone().lu(), inverse(a));
        let condition = norm(a) * norm(&inverse);
        Self { inverse, determinant: lu.determinant(), lu, condition }
    }

    /// A^-1 B; none where nalgebra finds A singular.
    #[must_use]
    pub fn solve(&self, b: &DMatrix<Complex64>) -> Option<DMatrix<Complex64>> {
        self.lu.solve(b)
    }
}

/// A^-1; infinite where nalgebra finds none.
#[must_use]
pub fn inverse(a: &DMatrix<Complex64>) -> DMatrix<Complex64> {
    let none = || DMatrix::from_element(a.nrows(), a.ncols(), Complex64::new(f64::INFINITY, 0.0));
    a.clone().try_inverse().unwrap_or_else(none)
}

/// A B.
#[must_use]
pub fn multiply(a: &DMatrix<Complex64>, b: &DMatrix<Complex64>) -> DMatrix<Complex64> {
    a * b
}

/// The 1-norm.
#[must_use]
pub fn norm(a: &DMatrix<Complex64>) -> f64 {
    (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)].norm()).sum()).fold(0.0, f64::max)
}

/// Checks that two sequences of interchanges are equal, or part where the candidates tie up to rounding to `u`.
///
/// # Errors
/// The first step at which they differ without a tie.
pub fn pivots_agree(a: &DMatrix<Complex64>, left: &[u32], right: &[u32], u: f64) -> Result<(), String> {
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
