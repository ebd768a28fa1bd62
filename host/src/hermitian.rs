//! The matrices that triangles stand for.

use numbers::scalar::{Scalar, c64};

use crate::batch::Batch;
use crate::element::Element;
use crate::error::Result;
use crate::layout::product;
use crate::matrices::Matrices;
use crate::triangle::Triangle;
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
}
