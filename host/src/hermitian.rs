//! The matrices that triangles stand for.

use numbers::op::Op;
use numbers::scalar::{Scalar, c64};

use crate::batch::Batch;
use crate::element::Element;
use crate::error::Result;
use crate::layout::product;
use crate::matrices::Matrices;
use crate::triangle::Triangle;
use crate::triangular::Triangular;
use kernels_cpu::fresh::filled;

impl<T: Element> Batch<'_, T> {
    /// The Hermitian matrices that this triangle stands for: the other one is filled with its conjugates, and the
    /// diagonal becomes real. That is what [`Device::cholesky`](crate::Device::cholesky) factors.
    ///
    /// ```
    /// use warplu::{Batch, Triangle};
    /// let a = Batch::row_major(&[4.0, f64::NAN, 2.0, 10.0], 1, 2, 2)?;
    /// assert_eq!(a.hermitian(Triangle::Lower)?.as_slice(), [4.0, 2.0, 2.0, 10.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square, [`Error::HostMemory`](crate::Error) if the
    /// system gives none.
    pub fn hermitian(&self, triangle: Triangle) -> Result<Matrices<T>> {
        let (n, batch) = (self.order()?, self.batch());
        let layout = self.output_layout(n, n);
        let mut data = filled(T::narrow(T::Scalar::ZERO), product(&[batch, n, n])?)?;
        for b in 0..batch {
            for i in 0..n {
                for j in 0..=i {
                    let (row, column) = if triangle == Triangle::Lower { (i, j) } else { (j, i) };
                    let x = self.get(b, row, column);
                    data[layout.at(b, column, row)] = T::narrow(x.widen().conj());
                    data[layout.at(b, row, column)] = x;
                }
                let real = c64::new(self.get(b, i, i).widen().to_c64().re, 0.0);
                data[layout.at(b, i, i)] = T::narrow(T::Scalar::from_c64(real));
            }
        }
        Ok(Matrices::new(data, batch, n, n, layout))
    }

    /// The matrices op(T) that this triangle stands for: with zeros in the other one, and ones on the diagonal if that is
    /// not read. That is what calls on [`Triangular`] matrices solve with; of [`Lu::factors`](crate::Lu::factors) it is L
    /// or U.
    ///
    /// ```
    /// use warplu::{Batch, Device, Triangular};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[4.0, 2.0, 1.0, 2.0], 1, 2, 2)?)?;
    /// let l = lu.factors()?.view().triangular(Triangular { unit: true, ..Triangular::LOWER })?;
    /// let u = lu.factors()?.view().triangular(Triangular::UPPER)?;
    /// assert_eq!(l.as_slice(), [1.0, 0.0, 0.25, 1.0]);
    /// assert_eq!(u.as_slice(), [4.0, 2.0, 0.0, 1.5]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::hermitian`].
    pub fn triangular(&self, triangular: Triangular) -> Result<Matrices<T>> {
        let (n, batch) = (self.order()?, self.batch());
        let Triangular { triangle, unit, op } = triangular;
        let layout = self.output_layout(n, n);
        let [zero, one] = [T::Scalar::ZERO, T::Scalar::ONE].map(T::narrow);
        let mut data = filled(zero, product(&[batch, n, n])?)?;
        for (b, i, j) in (0..batch).flat_map(|b| (0..n).flat_map(move |i| (0..=i).map(move |j| (b, i, j)))) {
            let (row, column) = if triangle == Triangle::Lower { (i, j) } else { (j, i) };
            let x = if unit && i == j { one } else { self.get(b, row, column) };
            match op {
                Op::None => data[layout.at(b, row, column)] = x,
                Op::Transpose => data[layout.at(b, column, row)] = x,
                Op::Adjoint => data[layout.at(b, column, row)] = T::narrow(x.widen().conj()),
            }
        }
        Ok(Matrices::new(data, batch, n, n, layout))
    }
}
