//! Products on the host that results are judged by: what factors multiply to, and residuals.

use numbers::element::Arithmetic;
use numbers::op::Op;
use numbers::scalar::{Scalar, c64};

use super::{Cholesky, Lu};
use crate::batch::Batch;
use crate::call::start_threads;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::product;
use crate::matrices::Matrices;
use crate::triangle::Triangle;
use crate::triangular::Triangular;
use kernels_cpu::calls::multiply;
use kernels_cpu::fresh::filled;
use kernels_cpu::mat::Mat;
use kernels_cpu::parallel;

impl<T: Element> Lu<T> {
    /// A = P^T L U, multiplied on the host in the type of the arithmetic: (batch, n, n). Whatever its status, it is what the
    /// factors of a matrix multiply to.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.reconstruct()?.as_slice(), [1.0, 2.0, 4.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors, on the factors' first way to the host; [`Error::HostMemory`] or [`Error::Threads`] if the system
    /// gives none.
    pub fn reconstruct(&self) -> Result<Matrices<T::Scalar>> {
        let factors = self.factors()?.view();
        let rows = (0..self.batch()).map(|b| self.permutation(b)).collect::<Result<Vec<_>>>()?;
        let unit = factors.triangular(Triangular { unit: true, ..Triangular::LOWER })?;
        let upper = factors.triangular(Triangular::UPPER)?;
        products(&unit.view(), &upper.view(), |b, i| rows[b][i] as usize)
    }
}

impl<T: Element> Cholesky<T> {
    /// A = L L^H, or U^H U, multiplied on the host in the type of the arithmetic: (batch, n, n), as [`Lu::reconstruct`].
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let cholesky = Device::cpu().cholesky(&Batch::row_major(&[4.0, 2.0, 2.0, 10.0], 1, 2, 2)?, Triangle::Upper)?;
    /// assert_eq!(cholesky.reconstruct()?.as_slice(), [4.0, 2.0, 2.0, 10.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::reconstruct`].
    pub fn reconstruct(&self) -> Result<Matrices<T::Scalar>> {
        let (factors, triangle) = (self.factors()?.view(), self.triangle());
        let adjoint = factors.triangular(Triangular { triangle, op: Op::Adjoint, unit: false })?;
        match triangle {
            Triangle::Lower => products(&factors, &adjoint.view(), |_, i| i),
            Triangle::Upper => products(&adjoint.view(), &factors, |_, i| i),
        }
    }
}

impl<T: Element> Batch<'_, T> {
    /// B - A X of these matrices A, on the host: (batch, n, k), in the type of the arithmetic, with sums in double
    /// precision.
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let (a, b) = (Batch::row_major(&[2.0, 1.0, 1.0, 3.0], 1, 2, 2)?, Batch::row_major(&[3.0, 4.0], 1, 2, 1)?);
    /// let x = Device::cpu().solve(&a, &b)?.x;
    /// assert_eq!(a.residual(&x.view(), &b)?.as_slice(), [0.0, 0.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if `x` or `b` do not fit the matrices; [`Error::HostMemory`] or [`Error::Threads`] if the system
    /// gives none.
    pub fn residual(&self, x: &Batch<'_, T>, b: &Batch<'_, T>) -> Result<Matrices<T::Scalar>> {
        let (batch, rows, inner, cols) = (self.batch(), self.rows(), self.cols(), x.cols());
        for (what, of, wanted) in [("x", x, (batch, inner, cols)), ("b", b, (batch, rows, cols))] {
            let held = (of.batch(), of.rows(), of.cols());
            if held != wanted {
                return Err(Error::Shape(format!("`{what}` must be of shape {wanted:?}, but it is of {held:?}")));
            }
        }
        start_threads()?;
        let layout = b.output_layout(rows, cols);
        let mut data = filled(T::Scalar::ZERO, product(&[batch, rows, cols])?)?;
        parallel::fill(&mut data, &|at| {
            let (m, at) = (at / (rows * cols), at % (rows * cols));
            let (i, j) = if layout.row_stride == 1 { (at % rows, at / rows) } else { (at / cols, at % cols) };
            let terms = (0..inner).map(|k| (self.get(m, i, k).widen().to_c64(), x.get(m, k, j).widen().to_c64()));
            let side: c64 = b.get(m, i, j).widen().to_c64();
            T::Scalar::from_c64(terms.fold(side, |sum, (a, x)| sum.sub_mul(a, x)))
        });
        Ok(Matrices::new(data, batch, rows, cols, layout))
    }
}

/// The products of factors of order n, row i of each as row `row(b, i)`.
fn products<S: Arithmetic>(
    left: &Batch<'_, S>,
    right: &Batch<'_, S>,
    row: impl Fn(usize, usize) -> usize + Sync,
) -> Result<Matrices<S>> {
    start_threads()?;
    let (batch, n) = (left.batch(), left.rows());
    let layout = left.output_layout(n, n);
    let mut data = filled(S::ZERO, product(&[batch, n, n])?)?;
    parallel::blocks(&mut data, (n * n).max(1), &|first, of_matrix| {
        let b = first / (n * n);
        let [l, r] = [left, right].map(|factor| Mat::from_fn(n, n, |i, j| factor.get(b, i, j)));
        let product = multiply(&l, &r);
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            of_matrix[layout.at(0, row(b, i), j)] = product[(i, j)];
        }
    });
    Ok(Matrices::new(data, batch, n, n, layout))
}
