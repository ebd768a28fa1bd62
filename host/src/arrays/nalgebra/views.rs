//! nalgebra's matrices as batches of one.

use nalgebra::{Dim, Matrix, RawStorage, RawStorageMut};

use crate::arrays::place::Place;
use crate::batch::{Batch, BatchMut};
use crate::element::Element;
use crate::error::{Error, Result};

impl<'a, T, R, C, S> TryFrom<&'a Matrix<T, R, C, S>> for Batch<'a, T>
where
    T: Element,
    R: Dim,
    C: Dim,
    S: RawStorage<T, R, C>,
{
    type Error = Error;

    /// A batch of one matrix, or view of one, with any strides. Its columns as right-hand sides, one for each of many
    /// matrices, are `transposed().rows_as_vectors()` of it.
    ///
    /// ```
    /// use nalgebra::{DMatrix, Matrix2, Vector2};
    /// use warplu::{Batch, Device};
    /// let (a, b) = (DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 1.0]), Vector2::new(3.0, 2.0));
    /// let x = Device::cpu().solve(&Batch::try_from(&a)?, &Batch::try_from(&b)?)?.check()?;
    /// assert_eq!(Vector2::try_from(x.at(0))?, Vector2::new(1.0, 1.0));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if there are more than 2^20 rows or columns.
    fn try_from(matrix: &'a Matrix<T, R, C, S>) -> Result<Self> {
        // SAFETY: the elements are borrowed with the matrix.
        unsafe { place(matrix).at(matrix.data.ptr().cast_mut()).batch() }
    }
}

impl<'a, T, R, C, S> TryFrom<&'a mut Matrix<T, R, C, S>> for BatchMut<'a, T>
where
    T: Element,
    R: Dim,
    C: Dim,
    S: RawStorageMut<T, R, C>,
{
    type Error = Error;

    /// A batch of one matrix, or view of one, to be written in its place.
    ///
    /// ```
    /// use nalgebra::Matrix2x3;
    /// use warplu::{BatchMut, Device};
    /// let mut a = Matrix2x3::new(2.0, 0.0, 7.0, 0.0, 4.0, 7.0);
    /// let mut corner = a.fixed_columns_mut::<2>(0); // the left 2 x 2
    /// Device::cpu().invert_in_place(&mut BatchMut::try_from(&mut corner)?)?.check()?;
    /// assert_eq!(a, Matrix2x3::new(0.5, 0.0, 7.0, 0.0, 0.25, 7.0));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the strides interleave, or there are more than 2^20 rows or columns.
    fn try_from(matrix: &'a mut Matrix<T, R, C, S>) -> Result<Self> {
        // The address last, as nothing else may look at the elements after that.
        // SAFETY: the elements are borrowed with the matrix, to be written.
        unsafe { place(matrix).at(matrix.data.ptr_mut()).batch_mut() }
    }
}

/// The sizes and strides of a matrix, which is nowhere yet.
pub(super) fn place<T, R, C, S>(matrix: &Matrix<T, R, C, S>) -> Place<T>
where
    R: Dim,
    C: Dim,
    S: RawStorage<T, R, C>,
{
    let ((rows, cols), (by_row, by_col)) = (matrix.data.shape(), matrix.data.strides());
    let strides = [0, by_row.value().cast_signed(), by_col.value().cast_signed()];
    Place { start: std::ptr::null_mut(), size: (1, rows.value(), cols.value()), strides }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;
    use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut, Dyn, Matrix3x2};

    #[test]
    fn matrices_and_views_are_not_copied() {
        let a = DMatrix::from_fn(5, 4, |i, j| f64::from((10 * i + j) as u32));
        let whole = Batch::try_from(&a).unwrap();
        assert_eq!((whole.start(), whole.layout), (a.as_ptr(), Layout::column_major(5, 4)));
        let part = a.view((1, 2), (3, 2));
        let batch = Batch::try_from(&part).unwrap();
        assert_eq!((batch.start(), batch.get(0, 2, 1)), (&raw const a[(1, 2)], 33.0));
        let steps = a.view_with_steps((0, 0), (2, 2), (1, 2));
        assert_eq!(Batch::try_from(&steps).unwrap().get(0, 1, 1), 23.0);
        let by_row = DMatrixView::<f64, Dyn, Dyn>::from_slice_with_strides(&[1.0, 2.0, 3.0, 4.0], 2, 2, 2, 1);
        assert_eq!(Batch::try_from(&by_row).unwrap().layout, Layout::row_major(2, 2));
        let fixed = Matrix3x2::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
        let columns = Batch::try_from(&fixed).unwrap().transposed().rows_as_vectors().unwrap();
        assert_eq!((columns.batch(), columns.get(1, 2, 0), columns.layout), (2, 6.0, Layout::row_major(3, 1)));
        assert_eq!(Batch::try_from(&DMatrix::<f64>::zeros(0, 3)).unwrap().cols(), 3);
        assert!(Batch::try_from(&DMatrix::<f64>::zeros(0, 1 << 21)).is_err());
    }

    /// nalgebra writes to strides that interleave without meeting, which here count as overlaps.
    #[test]
    fn what_interleaves_is_read_and_not_written() {
        let mut data = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let twice = DMatrixView::<f64, Dyn, Dyn>::from_slice_with_strides(&data, 2, 2, 1, 1);
        assert_eq!(Batch::try_from(&twice).unwrap().get(0, 1, 1), 3.0);
        let mut between = DMatrixViewMut::<f64, Dyn, Dyn>::from_slice_with_strides_mut(&mut data, 3, 2, 2, 3);
        assert_eq!(Batch::try_from(&between).unwrap().get(0, 2, 1), 8.0);
        let told = BatchMut::try_from(&mut between).unwrap_err().to_string();
        assert!(told.contains("with strides (6, 2, 3) overlap"), "{told}");
    }
}
