//! Single results as nalgebra's matrices and views.

use nalgebra::{DMatrix, DMatrixView, Dyn, SMatrix};

use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::matrix_ref::MatrixRef;

impl<'a, T: Element> From<MatrixRef<'a, T>> for DMatrixView<'a, T, Dyn, Dyn> {
    /// The matrix where it is.
    ///
    /// ```
    /// use nalgebra::{DMatrixView, Dyn};
    /// use warplu::{Batch, Device};
    /// let inverses = Device::cpu().invert(&Batch::row_major(&[2.0, 0.0, 0.0, 4.0], 1, 2, 2)?)?.check()?;
    /// assert_eq!(DMatrixView::<f64, Dyn, Dyn>::from(inverses.at(0)).trace(), 0.75);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn from(matrix: MatrixRef<'a, T>) -> Self {
        let Layout { row_stride, col_stride, .. } = matrix.layout();
        Self::from_slice_with_strides(matrix.as_slice(), matrix.rows(), matrix.cols(), row_stride, col_stride)
    }
}

impl<T: Element> From<MatrixRef<'_, T>> for DMatrix<T> {
    /// A copy of the matrix.
    ///
    /// ```
    /// use nalgebra::DMatrix;
    /// use warplu::{Batch, Device};
    /// let inverses = Device::cpu().invert(&Batch::row_major(&[2.0, 0.0, 1.0, 1.0], 1, 2, 2)?)?.check()?;
    /// assert_eq!(DMatrix::from(inverses.at(0)), DMatrix::from_row_slice(2, 2, &[0.5, 0.0, -0.5, 1.0]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn from(matrix: MatrixRef<'_, T>) -> Self {
        Self::from_fn(matrix.rows(), matrix.cols(), |i, j| matrix[(i, j)])
    }
}

impl<T: Element, const R: usize, const C: usize> TryFrom<MatrixRef<'_, T>> for SMatrix<T, R, C> {
    type Error = Error;

    /// A copy of the matrix.
    ///
    /// ```
    /// use nalgebra::Matrix2;
    /// use warplu::{Batch, Device};
    /// let inverses = Device::cpu().invert(&Batch::row_major(&[2.0, 0.0, 1.0, 1.0], 1, 2, 2)?)?.check()?;
    /// assert_eq!(Matrix2::try_from(inverses.at(0))?, Matrix2::new(0.5, 0.0, -0.5, 1.0));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if it is of another size.
    fn try_from(matrix: MatrixRef<'_, T>) -> Result<Self> {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        if (rows, cols) != (R, C) {
            return Err(Error::Shape(format!("the matrix is {rows} x {cols}: it cannot be taken for {R} x {C}")));
        }
        Ok(Self::from_fn(|i, j| matrix[(i, j)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrices;
    use nalgebra::Matrix2x3;

    #[test]
    fn results_in_both_orders() {
        for (rows, cols) in [(2, 3), (3, 1), (1, 4), (0, 2), (2, 0), (0, 0)] {
            for layout in [Layout::row_major(rows, cols), Layout::column_major(rows, cols)] {
                let data: Vec<f64> = (0..2 * rows * cols).map(|x| x as f64).collect();
                let matrices = Matrices::new(data, 2, rows, cols, layout);
                let matrix = matrices.at(1);
                let view = DMatrixView::<f64, Dyn, Dyn>::from(matrix);
                assert_eq!((view.shape(), view.as_ptr()), ((rows, cols), matrix.as_slice().as_ptr()));
                assert!((0..rows).all(|i| (0..cols).all(|j| view[(i, j)] == matrix[(i, j)])));
                assert_eq!(DMatrix::from(matrix), view);
                let fixed = Matrix2x3::try_from(matrix);
                assert_eq!(fixed.is_ok(), (rows, cols) == (2, 3));
                assert!(fixed.is_err() || fixed.unwrap() == view);
            }
        }
    }
}
