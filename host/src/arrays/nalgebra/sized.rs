//! nalgebra's matrices of sizes that the compiler knows: a slice of them is one batch, column by column.

use nalgebra::SMatrix;

use crate::batch::{Batch, BatchMut, check_sizes};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::matrices::Matrices;

impl<'a, T: Element, const R: usize, const C: usize> TryFrom<&'a [SMatrix<T, R, C>]> for Batch<'a, T> {
    type Error = Error;

    /// The batch that the slice is.
    ///
    /// ```
    /// use nalgebra::{Matrix2, Vector2};
    /// use warplu::{Batch, Device};
    /// let a = [Matrix2::new(2.0, 1.0, 1.0, 1.0), Matrix2::new(4.0, 0.0, 0.0, 2.0)];
    /// let b = [Vector2::new(3.0, 2.0), Vector2::new(4.0, 4.0)];
    /// let x = Device::cpu().solve(&Batch::try_from(&a[..])?, &Batch::try_from(&b[..])?)?.check()?;
    /// let x: &[Vector2<f64>] = (&x).try_into()?;
    /// assert_eq!(x, [Vector2::new(1.0, 1.0), Vector2::new(1.0, 2.0)]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if there are more than 2^20 rows or columns.
    fn try_from(matrices: &'a [SMatrix<T, R, C>]) -> Result<Self> {
        check_sizes(matrices.len(), R, C)?;
        let size = (matrices.len(), R, C);
        // SAFETY: a matrix is an array of columns, and nothing else; the slice is borrowed.
        Ok(unsafe { Self::at(matrices.as_ptr().cast(), size, Layout::column_major(R, C)) })
    }
}

impl<'a, T: Element, const R: usize, const C: usize> TryFrom<&'a mut [SMatrix<T, R, C>]> for BatchMut<'a, T> {
    type Error = Error;

    /// The batch that the slice is, to be written in its place.
    ///
    /// ```
    /// use nalgebra::Matrix2;
    /// use warplu::{BatchMut, Device};
    /// let mut a = [Matrix2::new(2.0, 1.0, 1.0, 1.0), Matrix2::new(4.0, 0.0, 0.0, 2.0)];
    /// Device::cpu().invert_in_place(&mut BatchMut::try_from(&mut a[..])?)?.check()?;
    /// assert_eq!(a, [Matrix2::new(1.0, -1.0, -1.0, 2.0), Matrix2::new(0.25, 0.0, 0.0, 0.5)]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of a slice to read.
    fn try_from(matrices: &'a mut [SMatrix<T, R, C>]) -> Result<Self> {
        check_sizes(matrices.len(), R, C)?;
        let size = (matrices.len(), R, C);
        // SAFETY: as of a slice to read, and borrowed to be written.
        Ok(unsafe { Self::at(matrices.as_mut_ptr().cast(), size, Layout::column_major(R, C)) })
    }
}

impl<'a, T: Element, const R: usize, const C: usize> TryFrom<&'a Matrices<T>> for &'a [SMatrix<T, R, C>] {
    type Error = Error;

    /// The matrices where they are. The results of `SMatrix`es lie column by column, as they do.
    ///
    /// # Errors
    /// [`Error::Shape`] if they are of another size, or lie row by row and are no vectors.
    fn try_from(matrices: &'a Matrices<T>) -> Result<Self> {
        check_size::<T, R, C>(matrices)?;
        check_columns(matrices)?;
        // SAFETY: so many matrices, each of which is an array of columns, and nothing else.
        Ok(unsafe { std::slice::from_raw_parts(matrices.data.as_ptr().cast(), matrices.batch) })
    }
}

impl<'a, T: Element, const R: usize, const C: usize> TryFrom<&'a mut Matrices<T>> for &'a mut [SMatrix<T, R, C>] {
    type Error = Error;

    /// The matrices, to be changed where they are.
    ///
    /// # Errors
    /// As of matrices to read.
    fn try_from(matrices: &'a mut Matrices<T>) -> Result<Self> {
        check_size::<T, R, C>(matrices)?;
        check_columns(matrices)?;
        // SAFETY: as of matrices to read.
        Ok(unsafe { std::slice::from_raw_parts_mut(matrices.data.as_mut_ptr().cast(), matrices.batch) })
    }
}

impl<T: Element, const R: usize, const C: usize> TryFrom<Matrices<T>> for Vec<SMatrix<T, R, C>> {
    type Error = Error;

    /// The matrices, in the same memory where they lie column by column or are vectors, else copied.
    ///
    /// ```
    /// use nalgebra::Matrix2;
    /// use warplu::{Batch, Device};
    /// let a = vec![Matrix2::new(2.0, 1.0, 1.0, 1.0); 3];
    /// let inverses: Vec<Matrix2<f64>> = Device::cpu().invert(&Batch::try_from(&a[..])?)?.check()?.try_into()?;
    /// assert_eq!(inverses, [Matrix2::new(1.0, -1.0, -1.0, 2.0); 3]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if they are of another size.
    fn try_from(matrices: Matrices<T>) -> Result<Self> {
        check_size::<T, R, C>(&matrices)?;
        if R * C == 0 || check_columns(&matrices).is_err() {
            let one = |matrix: crate::MatrixRef<'_, T>| SMatrix::from_fn(|i, j| matrix[(i, j)]);
            return Ok(matrices.iter().map(one).collect());
        }
        let batch = matrices.batch;
        let start = Box::into_raw(matrices.data.into_boxed_slice()).cast::<SMatrix<T, R, C>>();
        // SAFETY: the box is of as many bytes as so many matrices, and a matrix, an array of columns and nothing else,
        // is aligned as its elements.
        Ok(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, batch)) }.into_vec())
    }
}

impl<T: Element, const R: usize, const C: usize> TryFrom<Vec<SMatrix<T, R, C>>> for Matrices<T> {
    type Error = Error;

    /// The matrices, in the same memory.
    ///
    /// ```
    /// use nalgebra::Matrix2;
    /// use warplu::{Device, Matrices};
    /// let a = Matrices::try_from(vec![Matrix2::new(2.0, 1.0, 1.0, 1.0); 3])?;
    /// assert_eq!(Device::cpu().det(&a.view())?.sign, [1.0; 3]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if there are more than 2^20 rows or columns.
    fn try_from(matrices: Vec<SMatrix<T, R, C>>) -> Result<Self> {
        let batch = matrices.len();
        check_sizes(batch, R, C)?;
        let len = batch * R * C;
        let start = Box::into_raw(matrices.into_boxed_slice()).cast::<T>();
        // SAFETY: the box is of as many bytes as so many elements, aligned as these.
        let data = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, len)) }.into_vec();
        Ok(Self::new(data, batch, R, C, Layout::column_major(R, C)))
    }
}

fn check_size<T: Element, const R: usize, const C: usize>(matrices: &Matrices<T>) -> Result<()> {
    let (rows, cols) = (matrices.rows(), matrices.cols());
    if (rows, cols) == (R, C) {
        return Ok(());
    }
    Err(Error::Shape(format!("the matrices are {rows} x {cols}: they cannot be taken for {R} x {C}")))
}

/// Checks that the elements lie as in nalgebra's matrices.
fn check_columns<T: Element>(matrices: &Matrices<T>) -> Result<()> {
    let (rows, cols) = (matrices.rows(), matrices.cols());
    if rows <= 1 || cols <= 1 || matrices.layout() == Layout::column_major(rows, cols) {
        return Ok(());
    }
    Err(Error::Shape(
        "the matrices lie row by row: as a slice of SMatrix they must lie column by column, as results of such \
         matrices do; take a Vec of SMatrix, which may be a copy"
            .to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix2x3, SMatrix, Vector3};

    fn matrices(layout: Layout, rows: usize, cols: usize) -> Matrices<f64> {
        Matrices::new((0..3 * rows * cols).map(|x| x as f64).collect(), 3, rows, cols, layout)
    }

    #[test]
    fn slices_are_batches() {
        let mut a = [Matrix2x3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0); 4];
        a[3][(1, 0)] = 9.0;
        let (start, batch) = (a.as_ptr().cast(), Batch::try_from(&a[..]).unwrap());
        assert_eq!((batch.batch(), batch.start(), batch.get(0, 0, 2), batch.get(3, 1, 0)), (4, start, 3.0, 9.0));
        assert_eq!(BatchMut::try_from(&mut a[..]).unwrap().view().get(3, 1, 0), 9.0);
        let none: [Matrix2x3<f64>; 0] = [];
        assert_eq!(Batch::try_from(&none[..]).unwrap().batch(), 0);
        let empty = [SMatrix::<f64, 0, 2>::zeros(); 5];
        assert_eq!(Batch::try_from(&empty[..]).unwrap().batch(), 5);
    }

    #[test]
    fn vectors_take_the_memory_of_results() {
        let by_columns = matrices(Layout::column_major(2, 3), 2, 3);
        let (wanted, start) = (by_columns.clone(), by_columns.as_slice().as_ptr());
        let slice: &[Matrix2x3<f64>] = (&by_columns).try_into().unwrap();
        assert_eq!((slice.len(), slice[1][(1, 2)]), (3, by_columns[(1, 1, 2)]));
        let vec: Vec<Matrix2x3<f64>> = by_columns.try_into().unwrap();
        assert_eq!((vec.len(), vec[2][(0, 1)], vec.as_ptr().cast()), (3, wanted[(2, 0, 1)], start));
        let back = Matrices::try_from(vec).unwrap();
        assert!(back == wanted && back.as_slice().as_ptr() == start);
    }

    #[test]
    fn rows_are_copied_and_vectors_are_not() {
        let mut by_rows = matrices(Layout::row_major(2, 3), 2, 3);
        let told = <&[Matrix2x3<f64>]>::try_from(&by_rows).unwrap_err().to_string();
        assert!(told.starts_with("the matrices lie row by row"), "{told}");
        assert!(<&mut [Matrix2x3<f64>]>::try_from(&mut by_rows).is_err());
        let told = <&[SMatrix<f64, 3, 2>]>::try_from(&by_rows).unwrap_err().to_string();
        assert_eq!(told, "the matrices are 2 x 3: they cannot be taken for 3 x 2");
        let copies: Vec<Matrix2x3<f64>> = by_rows.clone().try_into().unwrap();
        assert!(copies.iter().zip(&by_rows).all(|(copy, row)| copy[(1, 0)] == row[(1, 0)]));
        assert!(Vec::<Vector3<f64>>::try_from(by_rows).is_err());
        let mut vectors = matrices(Layout::row_major(3, 1), 3, 1);
        <&mut [Vector3<f64>]>::try_from(&mut vectors).unwrap()[1].x = 7.0;
        assert_eq!(vectors[(1, 0, 0)], 7.0);
    }

    #[test]
    fn empty_matrices() {
        let empty = Matrices::<f64>::new(Vec::new(), 3, 0, 2, Layout::column_major(0, 2));
        assert_eq!(<&[SMatrix<f64, 0, 2>]>::try_from(&empty).unwrap().len(), 3);
        let vec: Vec<SMatrix<f64, 0, 2>> = empty.try_into().unwrap();
        assert_eq!(vec.len(), 3);
        assert_eq!(Matrices::try_from(vec).unwrap().batch(), 3);
        assert_eq!(Matrices::<f64>::try_from(Vec::<Vector3<f64>>::new()).unwrap().batch(), 0);
    }
}
