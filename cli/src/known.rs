//! Matrices of which something is known, with the factors that this asks for.

use warplu::{Batch, BatchMut, Cholesky, Conditions, Device, Element, ErrorBounds, Lu, Matrices, Norm, Op, Solution};
use warplu::{Structure, Triangle};

/// Matrices, and what they are solved with.
pub(crate) struct Known<'a, 'b, T: Element> {
    device: Device,
    a: &'a Batch<'b, T>,
    factors: Factors<T>,
}

enum Factors<T: Element> {
    Lu(Lu<T>),
    Cholesky(Cholesky<T>, Triangle),
    /// Of triangular matrices, which are solved with as they are.
    None,
}

impl<'a, 'b, T: Element> Known<'a, 'b, T> {
    /// Factors them.
    pub(crate) fn new(device: &Device, structure: Structure, a: &'a Batch<'b, T>) -> warplu::Result<Self> {
        let factors = match structure {
            Structure::PositiveDefinite(triangle) => Factors::Cholesky(device.cholesky(a, triangle)?, triangle),
            Structure::Triangular(_) => Factors::None,
            _ => Factors::Lu(device.lu(a)?),
        };
        Ok(Self { device: device.with(structure), a, factors })
    }

    pub(crate) fn rcond(&self, norm: Norm) -> warplu::Result<Conditions<T>> {
        match &self.factors {
            Factors::Lu(lu) => lu.rcond(&self.a.norms(norm)?),
            Factors::Cholesky(cholesky, triangle) => cholesky.rcond(&self.a.hermitian(*triangle)?.view().norms(norm)?),
            Factors::None => self.device.rcond(self.a, norm),
        }
    }

    pub(crate) fn solve(&self, b: &Batch<'_, T>) -> warplu::Result<Solution<Matrices<T>>> {
        match &self.factors {
            Factors::Lu(lu) => lu.solve(b, Op::None),
            Factors::Cholesky(cholesky, _) => cholesky.solve(b),
            Factors::None => self.device.solve(self.a, b),
        }
    }

    /// Improves solutions, and bounds their errors.
    pub(crate) fn refine(
        &self,
        b: &Batch<'_, T::Scalar>,
        x: &mut BatchMut<'_, T::Scalar>,
    ) -> warplu::Result<ErrorBounds<T>> {
        let (n, batch) = (self.a.rows(), self.a.batch());
        match &self.factors {
            Factors::Lu(lu) => lu.refine(&Batch::row_major(&wide(self.a), batch, n, n)?, b, x, Op::None),
            Factors::Cholesky(cholesky, triangle) => {
                let whole = self.a.hermitian(*triangle)?;
                cholesky.refine(&Batch::row_major(&wide(&whole.view()), batch, n, n)?, b, x)
            }
            Factors::None => Err(warplu::Error::Unsupported("triangular matrices have no error bounds".to_owned())),
        }
    }
}

/// The matrices in the type of the arithmetic, in C order.
pub(crate) fn wide<T: Element>(a: &Batch<'_, T>) -> Vec<T::Scalar> {
    let (batch, rows, cols) = (a.batch(), a.rows(), a.cols());
    let all = (0..batch).flat_map(|b| (0..rows).flat_map(move |i| (0..cols).map(move |j| (b, i, j))));
    all.map(|(b, i, j)| a.get(b, i, j).widen()).collect()
}
