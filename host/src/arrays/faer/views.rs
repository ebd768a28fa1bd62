//! faer's matrices as batches of one.

use faer::{Mat, MatMut, MatRef, Stride};

use crate::arrays::place::Place;
use crate::batch::{Batch, BatchMut};
use crate::element::Element;
use crate::error::{Error, Result};

impl<'a, T, R, C> TryFrom<MatRef<'a, T, usize, usize, R, C>> for Batch<'a, T>
where
    T: Element,
    R: Stride,
    C: Stride,
{
    type Error = Error;

    /// A batch of one matrix, with any strides; only where one is negative it is copied. Its columns as right-hand
    /// sides, one for each of many matrices, are `transposed().rows_as_vectors()` of it.
    ///
    /// ```
    /// use faer::{MatRef, mat};
    /// use warplu::{Batch, Device};
    /// let a = mat![[2.0, 1.0], [1.0, 1.0]];
    /// let inverse = Device::cpu().invert(&Batch::try_from(a.as_ref())?)?.check()?;
    /// assert_eq!(MatRef::from(inverse.at(0)), mat![[1.0, -1.0], [-1.0, 2.0]]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if there are more than 2^20 rows or columns; [`Error::HostMemory`] if there is none for the
    /// copy.
    fn try_from(matrix: MatRef<'a, T, usize, usize, R, C>) -> Result<Self> {
        // SAFETY: the view borrows its elements, which are not written.
        unsafe { place(matrix).at(matrix.as_ptr().cast_mut()).batch() }
    }
}

impl<'a, T: Element> TryFrom<&'a Mat<T>> for Batch<'a, T> {
    type Error = Error;

    /// As its view.
    ///
    /// ```
    /// use warplu::{Batch, Device, c64};
    /// let a = faer::Mat::from_fn(3, 3, |i, j| if i == j { c64::new(0.0, 2.0) } else { c64::ZERO });
    /// assert_eq!(Device::cpu().det(&Batch::try_from(&a)?)?.sign, [c64::new(0.0, -1.0)]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn try_from(matrix: &'a Mat<T>) -> Result<Self> {
        matrix.as_ref().try_into()
    }
}

impl<'a, T, R, C> TryFrom<MatMut<'a, T, usize, usize, R, C>> for BatchMut<'a, T>
where
    T: Element,
    R: Stride,
    C: Stride,
{
    type Error = Error;

    /// A batch of one matrix, to be written in its place.
    ///
    /// ```
    /// use faer::mat;
    /// use warplu::{BatchMut, Device};
    /// let mut a = mat![[2.0, 0.0, 7.0], [0.0, 4.0, 7.0]];
    /// let corner = a.as_mut().subcols_mut(0, 2); // the left 2 x 2
    /// Device::cpu().invert_in_place(&mut BatchMut::try_from(corner)?)?.check()?;
    /// assert_eq!(a, mat![[0.5, 0.0, 7.0], [0.0, 0.25, 7.0]]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if a stride is negative, or there are more than 2^20 rows or columns.
    fn try_from(matrix: MatMut<'a, T, usize, usize, R, C>) -> Result<Self> {
        // SAFETY: the view borrows its elements, to be written.
        unsafe { place(matrix.as_ref()).at(matrix.as_ptr_mut()).batch_mut() }
    }
}

impl<'a, T: Element> TryFrom<&'a mut Mat<T>> for BatchMut<'a, T> {
    type Error = Error;

    /// As its view.
    fn try_from(matrix: &'a mut Mat<T>) -> Result<Self> {
        matrix.as_mut().try_into()
    }
}

/// The sizes and strides of a matrix, which is nowhere yet.
pub(super) fn place<T, R: Stride, C: Stride>(matrix: MatRef<'_, T, usize, usize, R, C>) -> Place<T> {
    let strides = [0, matrix.row_stride().element_stride(), matrix.col_stride().element_stride()];
    Place { start: std::ptr::null_mut(), size: (1, matrix.nrows(), matrix.ncols()), strides }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    #[test]
    fn views_are_not_copied() {
        let a = Mat::from_fn(5, 4, |i, j| (10 * i + j) as f64);
        let part = a.as_ref().submatrix(1, 2, 3, 2);
        let batch = Batch::try_from(part).unwrap();
        assert_eq!((batch.start(), batch.get(0, 2, 1)), (part.as_ptr(), 33.0));
        let turned = Batch::try_from(part.transpose()).unwrap();
        assert_eq!((turned.start(), turned.rows(), turned.get(0, 1, 2)), (part.as_ptr(), 2, 33.0));
        let reversed = Batch::try_from(part.reverse_rows_and_cols()).unwrap();
        assert_eq!((reversed.get(0, 0, 0), reversed.get(0, 2, 1)), (33.0, 12.0));
        let columns = part.try_as_col_major().unwrap();
        assert_eq!(Batch::try_from(columns).unwrap().start(), part.as_ptr());
        // What is between columns of a matrix is nobody's.
        let padded = Batch::try_from(&a).unwrap();
        assert_eq!((padded.layout.row_stride, padded.layout.col_stride as isize), (1, a.col_stride()));
    }

    #[test]
    fn right_hand_sides_are_columns() {
        let b = Mat::from_fn(3, 7, |i, j| (10 * i + j) as f64);
        let b = Batch::try_from(&b).unwrap().transposed().rows_as_vectors().unwrap();
        assert_eq!((b.batch(), b.rows(), b.cols(), b.get(6, 2, 0)), (7, 3, 1, 26.0));
        let compact = MatRef::from_column_major_slice(&[1.0; 6], 3, 2);
        assert_eq!(
            Batch::try_from(compact).unwrap().transposed().rows_as_vectors().unwrap().layout,
            Layout::row_major(3, 1)
        );
    }

    #[test]
    fn what_cannot_be_written_is_told() {
        let mut a = Mat::<f64>::zeros(3, 3);
        let told = BatchMut::try_from(a.as_mut().reverse_rows_mut()).unwrap_err().to_string();
        assert!(told.contains("strides of (0, -1, ") && told.contains("lead backwards"), "{told}");
        assert!(BatchMut::try_from(&mut a).is_ok());
        assert!(BatchMut::try_from(&mut Mat::<f64>::new()).is_ok());
        assert!(Batch::try_from(&Mat::<f64>::zeros(1 << 21, 0)).is_err());
    }
}
