//! Results as ndarray's arrays, and back.

use ndarray::{Array3, ArrayBase, ArrayView2, ArrayView3, ArrayViewMut3, Ix3, RawData};

use crate::batch::check_sizes;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::matrices::Matrices;
use crate::matrix_ref::MatrixRef;

impl<T: Element> From<Matrices<T>> for Array3<T> {
    /// The array of shape (batch, rows, columns), in the same memory: in C order, or of matrices that lie column by
    /// column, as the results.
    ///
    /// ```
    /// use ndarray::{Array3, array};
    /// use warplu::{Batch, Device};
    /// let a = array![[[2.0, 0.0], [0.0, 4.0]]];
    /// let inverse = Array3::from(Device::cpu().invert(&Batch::try_from(&a)?)?.check()?);
    /// assert_eq!(inverse, array![[[0.5, 0.0], [0.0, 0.25]]]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn from(matrices: Matrices<T>) -> Self {
        let (shape, by_columns) = shape(&matrices);
        // A batch has as many elements as its sizes say.
        let array = Self::from_shape_vec(shape, matrices.data).unwrap_or_else(|error| unreachable!("{error}"));
        turned(array, by_columns)
    }
}

impl<'a, T: Element> From<&'a Matrices<T>> for ArrayView3<'a, T> {
    /// The matrices, of shape (batch, rows, columns), where they are.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::column_major(&[1.0, 0.0, -3.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert_eq!(ndarray::ArrayView3::from(&inverse)[(0, 0, 1)], 3.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn from(matrices: &'a Matrices<T>) -> Self {
        let (shape, by_columns) = shape(matrices);
        let view = Self::from_shape(shape, &matrices.data).unwrap_or_else(|error| unreachable!("{error}"));
        turned(view, by_columns)
    }
}

impl<'a, T: Element> From<&'a mut Matrices<T>> for ArrayViewMut3<'a, T> {
    /// The matrices, of shape (batch, rows, columns), to be changed where they are.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let mut inverse = Device::cpu().invert(&Batch::row_major(&[2.0], 1, 1, 1)?)?.matrices;
    /// ndarray::ArrayViewMut3::from(&mut inverse).fill(7.0);
    /// assert_eq!(inverse[(0, 0, 0)], 7.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn from(matrices: &'a mut Matrices<T>) -> Self {
        let (shape, by_columns) = shape(matrices);
        let view = Self::from_shape(shape, &mut matrices.data).unwrap_or_else(|error| unreachable!("{error}"));
        turned(view, by_columns)
    }
}

impl<'a, T: Element> From<MatrixRef<'a, T>> for ArrayView2<'a, T> {
    /// The matrix where it is.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverses = Device::cpu().invert(&Batch::row_major(&[2.0, 4.0], 2, 1, 1)?)?.matrices;
    /// let sum: f64 = inverses.iter().map(|inverse| ndarray::ArrayView2::from(inverse).sum()).sum();
    /// assert_eq!(sum, 0.75);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn from(matrix: MatrixRef<'a, T>) -> Self {
        let (rows, cols, by_columns) = (matrix.rows(), matrix.cols(), matrix.is_column_major());
        let shape = if by_columns { (cols, rows) } else { (rows, cols) };
        let view = Self::from_shape(shape, matrix.as_slice()).unwrap_or_else(|error| unreachable!("{error}"));
        if by_columns { view.reversed_axes() } else { view }
    }
}

impl<T: Element> TryFrom<Array3<T>> for Matrices<T> {
    type Error = Error;

    /// The matrices of an array of shape (batch, rows, columns): in the same memory where it is in C order, or its
    /// matrices lie one after the other, column by column; else in a copy.
    ///
    /// ```
    /// use ndarray::array;
    /// use warplu::{Device, Matrices};
    /// let a = Matrices::try_from(array![[[2.0]], [[4.0]]])?;
    /// assert_eq!(Device::cpu().invert(&a.view())?.check()?.into_vec(), [0.5, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if there are more than 2^20 rows or columns.
    fn try_from(array: Array3<T>) -> Result<Self> {
        let (batch, rows, cols) = array.dim();
        check_sizes(batch, rows, cols)?;
        let by_columns = array.view().permuted_axes((0, 2, 1)).is_standard_layout();
        let (array, layout) = match array.is_standard_layout() {
            true => (array, Layout::row_major(rows, cols)),
            false if by_columns => (array, Layout::column_major(rows, cols)),
            false => (array.as_standard_layout().into_owned(), Layout::row_major(rows, cols)),
        };
        let (mut data, first) = array.into_raw_vec_and_offset();
        // Of an array that was sliced, there is more before and behind.
        data.drain(..first.unwrap_or(0));
        data.truncate(batch * rows * cols);
        Ok(Self::new(data, batch, rows, cols, layout))
    }
}

/// The shape in which the elements are in C order, and whether that has columns in the place of rows.
fn shape<T: Element>(matrices: &Matrices<T>) -> ((usize, usize, usize), bool) {
    let (batch, rows, cols) = (matrices.batch(), matrices.rows(), matrices.cols());
    let by_columns = matrices.layout() == Layout::column_major(rows, cols);
    (if by_columns { (batch, cols, rows) } else { (batch, rows, cols) }, by_columns)
}

/// (batch, rows, columns), where columns were in the place of rows.
fn turned<S: RawData>(mut array: ArrayBase<S, Ix3>, by_columns: bool) -> ArrayBase<S, Ix3> {
    if by_columns {
        array.swap_axes(1, 2);
    }
    array
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Axis, Slice};

    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|x| x as f64).collect()
    }

    #[test]
    fn arrays_take_the_memory_of_results() {
        for (batch, rows, cols) in [(3, 2, 4), (1, 5, 1), (4, 1, 1), (0, 3, 3), (3, 0, 2), (2, 3, 0), (0, 0, 0)] {
            for layout in [Layout::row_major(rows, cols), Layout::column_major(rows, cols)] {
                let mut matrices = Matrices::new(numbers(batch * rows * cols), batch, rows, cols, layout);
                let (wanted, start) = (matrices.clone(), matrices.as_slice().as_ptr());
                assert_eq!(ArrayViewMut3::from(&mut matrices).dim(), (batch, rows, cols));
                assert!(matrices.iter().all(|matrix| ArrayView2::from(matrix).dim() == (rows, cols)));
                let array = Array3::from(matrices);
                assert_eq!(array, ArrayView3::from(&wanted));
                assert!(array.indexed_iter().all(|(at, x)| *x == wanted[at]));
                let back = Matrices::try_from(array).unwrap();
                assert!(back.as_slice().as_ptr() == start && back.iter().eq(&wanted));
                assert_eq!(back.as_slice(), wanted.as_slice());
            }
        }
    }

    #[test]
    fn other_arrays_are_cut_or_copied() {
        let whole = Array3::from_shape_vec((4, 2, 3), numbers(24)).unwrap();
        let mut part = whole.clone();
        part.slice_axis_inplace(Axis(0), Slice::from(1..3));
        let start = part.as_ptr();
        let matrices = Matrices::try_from(part.clone()).unwrap();
        assert_eq!((matrices.batch(), matrices.as_slice()), (2, &numbers(24)[6..18]));
        assert_ne!(start, matrices.as_slice().as_ptr());
        part.invert_axis(Axis(2));
        let turned = Matrices::try_from(part.clone()).unwrap();
        assert!(part.indexed_iter().all(|(at, x)| *x == turned[at]));
        let fortran = whole.permuted_axes((2, 1, 0));
        let matrices = Matrices::try_from(fortran.clone()).unwrap();
        assert_eq!(ArrayView3::from(&matrices), fortran);
        assert!(Matrices::try_from(Array3::<f64>::zeros((1, 0, 1 << 21))).is_err());
    }
}
