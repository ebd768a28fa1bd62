//! Lists of nalgebra's matrices, of one size or many, anywhere in memory.

use nalgebra::{Dim, Matrix, RawStorage, RawStorageMut};

use super::views::place;
use crate::arrays::place::{list, list_mut};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::ragged::{Ragged, RaggedMut};

impl<'a, T, R, C, S> TryFrom<&'a [Matrix<T, R, C, S>]> for Ragged<'a, T>
where
    T: Element,
    R: Dim,
    C: Dim,
    S: RawStorage<T, R, C>,
{
    type Error = Error;

    /// Matrices or views, each where it is. `SMatrix`es are a [`Batch`](crate::Batch), too, which is faster.
    ///
    /// ```
    /// use nalgebra::DMatrix;
    /// use warplu::{Device, Ragged};
    /// let list = [DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 1.0]), DMatrix::from_element(1, 1, 4.0)];
    /// let inverses = Device::cpu().invert(&Ragged::try_from(&list[..])?)?.check()?;
    /// let inverses: Vec<DMatrix<f64>> = inverses.iter().map(DMatrix::from).collect();
    /// assert_eq!((inverses[0][(0, 1)], inverses[1][(0, 0)]), (-1.0, 0.25));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if there are more than 2^20 rows or columns.
    fn try_from(matrices: &'a [Matrix<T, R, C, S>]) -> Result<Self> {
        list(matrices.iter().map(|matrix| place(matrix).at(matrix.data.ptr().cast_mut()))).map(Self::new)
    }
}

impl<'a, T, R, C, S> TryFrom<&'a mut [Matrix<T, R, C, S>]> for RaggedMut<'a, T>
where
    T: Element,
    R: Dim,
    C: Dim,
    S: RawStorageMut<T, R, C>,
{
    type Error = Error;

    /// Matrices or views, each to be written where it is.
    ///
    /// ```
    /// use nalgebra::DMatrix;
    /// use warplu::{Device, RaggedMut};
    /// let mut list = [DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 1.0]), DMatrix::from_element(1, 1, 4.0)];
    /// Device::cpu().invert_in_place(&mut RaggedMut::try_from(&mut list[..])?)?.check()?;
    /// assert_eq!((list[0][(0, 1)], list[1][(0, 0)]), (-1.0, 0.25));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of a list to read, and [`Error::Shape`] if the strides of a view interleave.
    fn try_from(matrices: &'a mut [Matrix<T, R, C, S>]) -> Result<Self> {
        list_mut(matrices.iter_mut().map(|matrix| place(matrix).at(matrix.data.ptr_mut()))).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DMatrixViewMut, Dyn, Matrix2};

    #[test]
    fn matrices_lie_where_they_lie() {
        let list = [2, 0, 3].map(|n| DMatrix::from_fn(n, n + 1, |i, j| f64::from((10 * i + j) as u32)));
        let ragged = Ragged::try_from(&list[..]).unwrap();
        assert_eq!((ragged.batch(), ragged.shape(1), ragged.shape(2)), (3, (0, 1).into(), (3, 4).into()));
        assert_eq!((ragged.get(2, 1, 3), ragged.spots[2].start.cast_const()), (13.0, list[2].as_ptr()));
        let fixed = [Matrix2::new(1.0, 2.0, 3.0, 4.0); 3];
        assert_eq!(Ragged::try_from(&fixed[..]).unwrap().get(2, 0, 1), 2.0);
    }

    #[test]
    fn what_interleaves_is_told() {
        let (mut one, mut other) = ([0.0; 8], [0.0; 8]);
        let view = |data, strides: (usize, usize)| {
            DMatrixViewMut::<f64, Dyn, Dyn>::from_slice_with_strides_mut(data, 3, 2, strides.0, strides.1)
        };
        let mut list = [view(&mut one, (1, 3)), view(&mut other, (2, 3))];
        let told = RaggedMut::try_from(&mut list[..]).unwrap_err().to_string();
        assert!(told.starts_with("matrix 1: ") && told.contains("overlap"), "{told}");
        assert!(RaggedMut::try_from(&mut list[..1]).is_ok());
    }
}
