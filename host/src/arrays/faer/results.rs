//! Results as faer's views.

use faer::MatRef;

use crate::element::Element;
use crate::matrix_ref::MatrixRef;

impl<'a, T: Element> From<MatrixRef<'a, T>> for MatRef<'a, T> {
    /// The matrix where it is.
    ///
    /// ```
    /// use faer::{MatRef, mat};
    /// use warplu::{Batch, Device};
    /// let inverses = Device::cpu().invert(&Batch::row_major(&[2.0, 4.0], 2, 1, 1)?)?.check()?;
    /// let views: Vec<MatRef<'_, f64>> = inverses.iter().map(MatRef::from).collect();
    /// assert_eq!(views[0] + views[1], mat![[0.75]]);
    ///
    /// // Of one right-hand side each, the solutions of a batch are the columns of one matrix.
    /// let x = Device::cpu().solve(&inverses.view(), &Batch::row_major(&[1.0, 2.0], 2, 1, 1)?)?.check()?;
    /// assert_eq!(MatRef::from_column_major_slice(x.as_slice(), x.rows(), x.batch()), mat![[2.0, 8.0]]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn from(matrix: MatrixRef<'a, T>) -> Self {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        if matrix.is_column_major() {
            Self::from_column_major_slice(matrix.as_slice(), rows, cols)
        } else {
            Self::from_row_major_slice(matrix.as_slice(), rows, cols)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Matrices};

    #[test]
    fn results_are_viewed_where_they_are() {
        for (rows, cols) in [(2, 3), (3, 1), (1, 4), (0, 2), (2, 0)] {
            for layout in [Layout::row_major(rows, cols), Layout::column_major(rows, cols)] {
                let data: Vec<f64> = (0..2 * rows * cols).map(|x| x as f64).collect();
                let matrices = Matrices::new(data, 2, rows, cols, layout);
                let matrix = matrices.at(1);
                let view = MatRef::from(matrix);
                assert_eq!((view.nrows(), view.ncols(), view.as_ptr()), (rows, cols, matrix.as_slice().as_ptr()));
                assert!((0..rows).all(|i| (0..cols).all(|j| view[(i, j)] == matrix[(i, j)])));
            }
        }
    }
}
