//! ndarray's views as batches.

use ndarray::{
    ArrayBase, ArrayRef, ArrayView2, ArrayView3, ArrayViewMut2, ArrayViewMut3, Axis, Data, DataMut, Ix2, Ix3,
};

use crate::arrays::place::Place;
use crate::batch::{Batch, BatchMut};
use crate::element::Element;
use crate::error::{Error, Result};

impl<'a, T: Element> TryFrom<ArrayView3<'a, T>> for Batch<'a, T> {
    type Error = Error;

    /// The batch of shape (batch, rows, columns), with any strides; only where one is negative it is copied.
    ///
    /// ```
    /// use ndarray::{Array3, Axis};
    /// use warplu::{Batch, Device};
    /// let a = Array3::from_shape_fn((10, 3, 3), |(b, i, j)| if i == j { b as f64 + 1.0 } else { 0.5 });
    /// let inverse = Device::cpu().invert(&Batch::try_from(a.view())?)?;
    /// assert_eq!(inverse.status.len(), 10);
    ///
    /// // Right-hand sides of shape (batch, n) have one column.
    /// let b = ndarray::Array2::<f64>::ones((10, 3));
    /// let x = Device::cpu().solve(&Batch::try_from(&a)?, &Batch::try_from(b.view().insert_axis(Axis(2)))?)?.check()?;
    /// assert_eq!(Array3::from(x).remove_axis(Axis(2)).dim(), (10, 3));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if there are more than 2^20 rows or columns; [`Error::HostMemory`] if there is none for the
    /// copy.
    fn try_from(view: ArrayView3<'a, T>) -> Result<Self> {
        let place = Place { start: view.as_ptr().cast_mut(), size: view.dim(), strides: strides(view.strides()) };
        // SAFETY: the view borrows its elements, which are not written.
        unsafe { place.batch() }
    }
}

impl<'a, T: Element> TryFrom<ArrayView2<'a, T>> for Batch<'a, T> {
    type Error = Error;

    /// A batch of one matrix. Its rows as right-hand sides, one for each of many matrices, are
    /// [`rows_as_vectors`](Batch::rows_as_vectors) of it.
    ///
    /// ```
    /// use ndarray::{arr2, arr3};
    /// use warplu::{Batch, Device};
    /// let a = arr2(&[[2.0, 1.0], [1.0, 1.0]]);
    /// let det = Device::cpu().det(&Batch::try_from(a.view())?)?;
    /// assert_eq!(det.sign, [1.0]);
    ///
    /// let (a, b) = (arr3(&[[[2.0]], [[4.0]]]), arr2(&[[6.0], [8.0]])); // (batch, n, n), (batch, n)
    /// let b = Batch::try_from(b.view())?.rows_as_vectors()?;
    /// assert_eq!(Device::cpu().solve(&Batch::try_from(&a)?, &b)?.x.as_slice(), [3.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of an `ArrayView3`.
    fn try_from(view: ArrayView2<'a, T>) -> Result<Self> {
        view.insert_axis(Axis(0)).try_into()
    }
}

impl<'a, T: Element> TryFrom<ArrayViewMut3<'a, T>> for BatchMut<'a, T> {
    type Error = Error;

    /// The batch of shape (batch, rows, columns), to be written in its place.
    ///
    /// ```
    /// use ndarray::{arr3, s};
    /// use warplu::{BatchMut, Device};
    /// let mut a = arr3(&[[[2.0, 0.0, 7.0], [0.0, 4.0, 7.0]]]);
    /// let mut corner = a.slice_mut(s![.., .., ..2]); // the left 2 x 2 of each
    /// Device::cpu().invert_in_place(&mut BatchMut::try_from(corner.view_mut())?)?.check()?;
    /// assert_eq!(a, arr3(&[[[0.5, 0.0, 7.0], [0.0, 0.25, 7.0]]]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if a stride is negative, or there are more than 2^20 rows or columns.
    fn try_from(mut view: ArrayViewMut3<'a, T>) -> Result<Self> {
        let place = Place { start: view.as_mut_ptr(), size: view.dim(), strides: strides(view.strides()) };
        // SAFETY: the view borrows its elements, to be written.
        unsafe { place.batch_mut() }
    }
}

impl<'a, T: Element> TryFrom<ArrayViewMut2<'a, T>> for BatchMut<'a, T> {
    type Error = Error;

    /// A batch of one matrix, to be written in its place.
    ///
    /// ```
    /// use ndarray::arr2;
    /// use warplu::{BatchMut, Device};
    /// let mut a = arr2(&[[2.0, 1.0], [1.0, 1.0]]);
    /// Device::cpu().invert_in_place(&mut BatchMut::try_from(a.view_mut())?)?.check()?;
    /// assert_eq!(a, arr2(&[[1.0, -1.0], [-1.0, 2.0]]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of an `ArrayViewMut3`.
    fn try_from(view: ArrayViewMut2<'a, T>) -> Result<Self> {
        view.insert_axis(Axis(0)).try_into()
    }
}

/// Whatever has such views: arrays, and references to them of any owner.
macro_rules! by_view {
    ($($dimension:ty),*) => {$(
        impl<'a, T: Element, S: Data<Elem = T>> TryFrom<&'a ArrayBase<S, $dimension>> for Batch<'a, T> {
            type Error = Error;

            /// As its view.
            fn try_from(array: &'a ArrayBase<S, $dimension>) -> Result<Self> {
                array.view().try_into()
            }
        }

        impl<'a, T: Element> TryFrom<&'a ArrayRef<T, $dimension>> for Batch<'a, T> {
            type Error = Error;

            /// As its view.
            fn try_from(array: &'a ArrayRef<T, $dimension>) -> Result<Self> {
                array.view().try_into()
            }
        }

        impl<'a, T: Element, S: DataMut<Elem = T>> TryFrom<&'a mut ArrayBase<S, $dimension>> for BatchMut<'a, T> {
            type Error = Error;

            /// As its view.
            fn try_from(array: &'a mut ArrayBase<S, $dimension>) -> Result<Self> {
                array.view_mut().try_into()
            }
        }

        impl<'a, T: Element> TryFrom<&'a mut ArrayRef<T, $dimension>> for BatchMut<'a, T> {
            type Error = Error;

            /// As its view.
            fn try_from(array: &'a mut ArrayRef<T, $dimension>) -> Result<Self> {
                array.view_mut().try_into()
            }
        }
    )*};
}
by_view!(Ix3, Ix2);

/// Of an array with three axes.
fn strides(strides: &[isize]) -> [isize; 3] {
    [strides[0], strides[1], strides[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;
    use ndarray::{Array3, s};

    #[test]
    fn views_are_not_copied() {
        let a = Array3::from_shape_fn((4, 6, 5), |(b, i, j)| (100 * b + 10 * i + j) as f64);
        let part = a.slice(s![1..;2, ..;3, 1..3]);
        let batch = Batch::try_from(part).unwrap();
        assert_eq!(batch.start(), &raw const a[(1, 0, 1)]);
        assert_eq!(batch.layout, Layout { batch_stride: 60, row_stride: 15, col_stride: 1 });
        assert_eq!(batch.get(1, 1, 1), 332.0);
        let turned = Batch::try_from(a.slice(s![.., ..;-1, ..])).unwrap();
        assert_eq!((turned.get(2, 0, 4), turned.get(2, 5, 4)), (254.0, 204.0));
        assert_eq!(Batch::try_from(a.broadcast((4, 6, 5)).unwrap()).unwrap().start(), a.as_ptr());
    }

    #[test]
    fn one_matrix_for_all_and_transposed_axes() {
        let one = ndarray::arr2(&[[1.0, 2.0], [3.0, 4.0]]);
        let all = Batch::try_from(one.broadcast((7, 2, 2)).unwrap()).unwrap();
        assert_eq!((all.batch(), all.layout.batch_stride, all.get(6, 1, 0)), (7, 0, 3.0));
        let turned = Batch::try_from(one.t()).unwrap();
        assert_eq!((turned.start(), turned.layout), (one.as_ptr(), Layout::column_major(2, 2)));
        let reference: &ArrayRef<f64, Ix2> = &one;
        assert_eq!(Batch::try_from(reference).unwrap().start(), one.as_ptr());
    }

    #[test]
    fn what_cannot_be_written_is_told() {
        let mut a = Array3::<f64>::zeros((2, 3, 3));
        let told = BatchMut::try_from(a.slice_mut(s![.., .., ..;-1])).unwrap_err().to_string();
        assert!(told.contains("strides of (9, 3, -1) lead backwards"), "{told}");
        let reference: &mut ArrayRef<f64, Ix3> = &mut a;
        assert!(BatchMut::try_from(reference).is_ok());
        let long = Array3::<f64>::zeros((0, 1 << 21, 1));
        assert!(matches!(Batch::try_from(&long), Err(Error::Shape(told)) if told.starts_with("2097152 rows")));
        let empty = Batch::try_from(Array3::<f64>::zeros((0, 3, 3)).view()).map(|batch| batch.batch());
        assert_eq!(empty.unwrap(), 0);
    }
}
