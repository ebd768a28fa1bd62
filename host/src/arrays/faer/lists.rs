//! Lists of faer's matrices, of one size or many, anywhere in memory.

use faer::{Mat, MatMut, MatRef};

use super::views::place;
use crate::arrays::place::{list, list_mut};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::ragged::{Ragged, RaggedMut};

impl<'a, T: Element> TryFrom<&'a [MatRef<'a, T>]> for Ragged<'a, T> {
    type Error = Error;

    /// Views, each where it is.
    ///
    /// ```
    /// use faer::{MatRef, mat};
    /// use warplu::{Device, Ragged};
    /// let a = mat![[2.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 4.0]];
    /// let blocks = [a.as_ref().submatrix(0, 0, 2, 2), a.as_ref().submatrix(2, 2, 1, 1)];
    /// let inverses = Device::cpu().invert(&Ragged::try_from(&blocks[..])?)?.check()?;
    /// let inverses: Vec<MatRef<'_, f64>> = inverses.iter().map(MatRef::from).collect();
    /// assert_eq!(inverses[0], mat![[1.0, -1.0], [-1.0, 2.0]]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if a stride is negative, or there are more than 2^20 rows or columns.
    fn try_from(matrices: &'a [MatRef<'a, T>]) -> Result<Self> {
        list(matrices.iter().map(|matrix| place(*matrix).at(matrix.as_ptr().cast_mut()))).map(Self::new)
    }
}

impl<'a, T: Element> TryFrom<&'a [Mat<T>]> for Ragged<'a, T> {
    type Error = Error;

    /// Matrices, each where it is.
    ///
    /// ```
    /// use faer::mat;
    /// use warplu::{Device, Ragged};
    /// let list = [mat![[2.0, 1.0], [1.0, 1.0]], mat![[4.0]]];
    /// assert_eq!(Device::cpu().det(&Ragged::try_from(&list[..])?)?.sign, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of views.
    fn try_from(matrices: &'a [Mat<T>]) -> Result<Self> {
        list(matrices.iter().map(|matrix| place(matrix.as_ref()).at(matrix.as_ptr().cast_mut()))).map(Self::new)
    }
}

impl<'a, 'b: 'a, T: Element> TryFrom<&'a mut [MatMut<'b, T>]> for RaggedMut<'a, T> {
    type Error = Error;

    /// Views, each to be written where it is.
    ///
    /// ```
    /// use faer::mat;
    /// use warplu::{Device, RaggedMut};
    /// let mut a = mat![[2.0, 4.0]];
    /// let (one, other) = a.as_mut().split_at_col_mut(1);
    /// let mut list = [one, other];
    /// Device::cpu().invert_in_place(&mut RaggedMut::try_from(&mut list[..])?)?.check()?;
    /// assert_eq!(a, mat![[0.5, 0.25]]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of views to read, and [`Error::Shape`] if the strides of a view interleave.
    fn try_from(matrices: &'a mut [MatMut<'b, T>]) -> Result<Self> {
        list_mut(matrices.iter_mut().map(|matrix| place(matrix.as_ref()).at(matrix.as_ptr_mut()))).map(Self::new)
    }
}

impl<'a, T: Element> TryFrom<&'a mut [Mat<T>]> for RaggedMut<'a, T> {
    type Error = Error;

    /// Matrices, each to be written where it is.
    ///
    /// ```
    /// use faer::mat;
    /// use warplu::{Device, RaggedMut};
    /// let mut list = [mat![[2.0, 1.0], [1.0, 1.0]], mat![[4.0]]];
    /// Device::cpu().invert_in_place(&mut RaggedMut::try_from(&mut list[..])?)?.check()?;
    /// assert_eq!(list[0], mat![[1.0, -1.0], [-1.0, 2.0]]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of views to read.
    fn try_from(matrices: &'a mut [Mat<T>]) -> Result<Self> {
        list_mut(matrices.iter_mut().map(|matrix| place(matrix.as_ref()).at(matrix.as_ptr_mut()))).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_lie_where_they_lie() {
        let a = Mat::from_fn(4, 6, |i, j| (10 * i + j) as f64);
        let views = [a.as_ref().submatrix(0, 4, 2, 2), a.as_ref().transpose(), a.as_ref().subrows(4, 0)];
        let ragged = Ragged::try_from(&views[..]).unwrap();
        assert_eq!((ragged.batch(), ragged.shape(1), ragged.shape(2)), (3, (6, 4).into(), (0, 6).into()));
        assert_eq!((ragged.get(0, 1, 0), ragged.get(1, 5, 2)), (14.0, 25.0));
        assert_eq!(ragged.spots[0].start.cast_const(), views[0].as_ptr());
        let turned = [a.as_ref(), a.as_ref().reverse_cols()];
        let told = Ragged::try_from(&turned[..]).unwrap_err().to_string();
        assert!(told.starts_with("matrix 1: strides of (0, 1, -"), "{told}");
    }

    #[test]
    fn rows_between_each_other_are_written() {
        let mut a = Mat::<f64>::zeros(4, 2);
        let (above, below) = a.as_mut().split_at_row_mut(2);
        let mut halves = [above, below];
        assert_eq!(RaggedMut::try_from(&mut halves[..]).unwrap().shape(1), 2.into());
        let mut turned = [a.as_mut().reverse_rows_mut()];
        assert!(RaggedMut::try_from(&mut turned[..]).is_err());
    }
}
