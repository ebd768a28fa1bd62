//! Lists of ndarray's matrices, of many sizes and anywhere in memory.

use ndarray::{ArrayBase, ArrayRef2, Data, DataMut, Ix2};

use crate::arrays::place::{self, Place};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::ragged::{Ragged, RaggedMut};

impl<'a, T: Element, S: Data<Elem = T>> TryFrom<&'a [ArrayBase<S, Ix2>]> for Ragged<'a, T> {
    type Error = Error;

    /// Arrays or views, each where it is.
    ///
    /// ```
    /// use ndarray::{arr2, array};
    /// use warplu::{Device, Ragged};
    /// let list = [array![[2.0, 1.0], [1.0, 1.0]], array![[4.0]]];
    /// let inverses = Device::cpu().invert(&Ragged::try_from(&list[..])?)?.check()?;
    /// let first = ndarray::ArrayView2::from(inverses.at(0));
    /// assert_eq!(first, arr2(&[[1.0, -1.0], [-1.0, 2.0]]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if a stride is negative, or there are more than 2^20 rows or columns.
    fn try_from(list: &'a [ArrayBase<S, Ix2>]) -> Result<Self> {
        place::list(list.iter().map(|array| place(array).at(array.as_ptr().cast_mut()))).map(Self::new)
    }
}

impl<'a, T: Element, S: DataMut<Elem = T>> TryFrom<&'a mut [ArrayBase<S, Ix2>]> for RaggedMut<'a, T> {
    type Error = Error;

    /// Arrays or views, each to be written where it is.
    ///
    /// ```
    /// use ndarray::array;
    /// use warplu::{Device, RaggedMut};
    /// let mut list = [array![[2.0, 1.0], [1.0, 1.0]], array![[4.0]]];
    /// Device::cpu().invert_in_place(&mut RaggedMut::try_from(&mut list[..])?)?.check()?;
    /// assert_eq!(list, [array![[1.0, -1.0], [-1.0, 2.0]], array![[0.25]]]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of a list to read.
    fn try_from(list: &'a mut [ArrayBase<S, Ix2>]) -> Result<Self> {
        place::list_mut(list.iter_mut().map(|array| place(array).at(array.as_mut_ptr()))).map(Self::new)
    }
}

/// The sizes and strides of a matrix, which is nowhere yet.
fn place<T>(array: &ArrayRef2<T>) -> Place<T> {
    let ((rows, cols), strides) = (array.dim(), array.strides());
    Place { start: std::ptr::null_mut(), size: (1, rows, cols), strides: [0, strides[0], strides[1]] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, s};

    #[test]
    fn views_lie_where_they_lie() {
        let a = Array2::from_shape_fn((4, 6), |(i, j)| (10 * i + j) as f64);
        let list = [a.slice(s![..2, 4..]), a.slice(s![1.., ..;2]).reversed_axes(), a.slice(s![..0, ..])];
        let ragged = Ragged::try_from(&list[..]).unwrap();
        assert_eq!((ragged.batch(), ragged.shape(1), ragged.shape(2)), (3, (3, 3).into(), (0, 6).into()));
        assert_eq!((ragged.get(0, 1, 0), ragged.get(1, 2, 0)), (14.0, 14.0));
        assert_eq!(ragged.spots[0].start.cast_const(), &raw const a[(0, 4)]);
        let turned = [a.view(), a.slice(s![..;-1, ..])];
        let told = Ragged::try_from(&turned[..]).unwrap_err().to_string();
        assert!(told.starts_with("matrix 1: strides of (0, -6, 1) lead backwards"), "{told}");
    }

    #[test]
    fn halves_beside_each_other_are_written() {
        let mut a = Array2::<f64>::zeros((2, 4));
        let (left, right) = a.multi_slice_mut((s![.., ..;2], s![.., 1..;2]));
        let mut list = [left, right];
        let halves = RaggedMut::try_from(&mut list[..]).unwrap();
        assert_eq!((halves.batch(), halves.shape(1)), (2, 2.into()));
    }
}
