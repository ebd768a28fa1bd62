//! Other views of batches: one matrix, the transposed ones, and rows as vectors.

use super::{Batch, BatchMut};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::Layout;

impl<T: Element> Batch<'_, T> {
    /// Matrix b, as a batch of one.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let a = Batch::row_major(&[2.0, 4.0, 8.0], 3, 1, 1)?;
    /// assert_eq!(Device::cpu().invert(&a.one(1))?.matrices.as_slice(), [0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn one(&self, b: usize) -> Batch<'_, T> {
        assert!(b < self.batch, "no matrix {b} in a batch of {}", self.batch);
        let start = self.start.wrapping_add(b * self.layout.batch_stride);
        // SAFETY: a matrix of the batch, borrowed as that is.
        unsafe { Batch::at(start, (1, self.rows, self.cols), self.layout) }
    }

    /// The rows of one matrix as so many vectors, (batch, n, 1) of a matrix that is batch x n: right-hand sides of
    /// shape (batch, n), one for each of a batch of matrices of order n.
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let a = Batch::row_major(&[2.0, 4.0], 2, 1, 1)?;
    /// let b = Batch::row_major(&[6.0, 8.0], 1, 2, 1)?.rows_as_vectors()?;
    /// assert_eq!(Device::cpu().solve(&a, &b)?.x.as_slice(), [3.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the batch is not of one matrix.
    pub fn rows_as_vectors(self) -> Result<Self> {
        let (rows, cols, layout) = vectors_of((self.batch, self.rows, self.cols), self.layout)?;
        Ok(Self { batch: rows, rows: cols, cols: 1, layout, ..self })
    }

    /// The transposed matrices. Systems with the unknown on the left, X A = B, are A^T X^T = B^T; the columns of one matrix
    /// as so many vectors are the [rows](Self::rows_as_vectors) of this.
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let (a, b) = (Batch::row_major(&[2.0, 4.0, 0.0, 1.0], 1, 2, 2)?, Batch::row_major(&[2.0, 5.0], 1, 1, 2)?);
    /// let x = Device::cpu().solve(&a.transposed(), &b.transposed())?.x; // X^T
    /// assert_eq!(x.as_slice(), [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { rows: self.cols, cols: self.rows, layout: turned(self.layout), ..self }
    }
}

impl<T: Element> BatchMut<'_, T> {
    /// As [`Batch::rows_as_vectors`].
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device};
    /// let (a, mut b) = ([2.0, 4.0], [6.0, 8.0]);
    /// let mut x = BatchMut::row_major(&mut b, 1, 2, 1)?.rows_as_vectors()?;
    /// Device::cpu().solve_in_place(&Batch::row_major(&a, 2, 1, 1)?, &mut x)?.check()?;
    /// assert_eq!(b, [3.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the batch is not of one matrix.
    pub fn rows_as_vectors(self) -> Result<Self> {
        let (rows, cols, layout) = vectors_of((self.batch, self.rows, self.cols), self.layout)?;
        Ok(Self { batch: rows, rows: cols, cols: 1, layout, ..self })
    }

    /// As [`Batch::transposed`].
    ///
    /// ```
    /// # use warplu::BatchMut;
    /// let mut x = [0.0; 6];
    /// let x = BatchMut::column_major(&mut x, 1, 3, 2)?.transposed().rows_as_vectors()?;
    /// assert_eq!((x.batch(), x.rows(), x.cols()), (2, 3, 1));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { rows: self.cols, cols: self.rows, layout: turned(self.layout), ..self }
    }
}

/// How many vectors the rows of a matrix are, their length, and where they are.
fn vectors_of((batch, rows, cols): (usize, usize, usize), layout: Layout) -> Result<(usize, usize, Layout)> {
    if batch != 1 {
        return Err(Error::Shape(format!(
            "rows or columns are vectors for one matrix each where there is one matrix of them, but there are {batch}: \
             give the right-hand sides as (batch, n, k)"
        )));
    }
    // Compact vectors have the strides of compact matrices with one column, row by row.
    let batch_stride = if rows > 1 { layout.row_stride } else { cols };
    let row_stride = if cols > 1 { layout.col_stride } else { 1 };
    Ok((rows, cols, Layout { batch_stride, row_stride, col_stride: 1 }))
}

/// That of the transposed matrices.
fn turned(layout: Layout) -> Layout {
    let Layout { batch_stride, row_stride, col_stride } = layout;
    Layout { batch_stride, row_stride: col_stride, col_stride: row_stride }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_rows_or_columns() {
        let data: Vec<f64> = (0..60).map(f64::from).collect();
        for layout in [Layout::row_major(3, 4), Layout::column_major(3, 4), turned(Layout::row_major(12, 5))] {
            let one = Batch::strided(&data, 1, 3, 4, layout).unwrap();
            let rows = one.clone().rows_as_vectors().unwrap();
            let columns = one.clone().transposed().rows_as_vectors().unwrap();
            assert_eq!((rows.batch(), rows.rows(), rows.cols()), (3, 4, 1));
            assert_eq!((columns.batch(), columns.rows(), columns.cols()), (4, 3, 1));
            for (i, j) in (0..3).flat_map(|i| (0..4).map(move |j| (i, j))) {
                assert_eq!(rows.get(i, j, 0), one.get(0, i, j));
                assert_eq!(columns.get(j, i, 0), one.get(0, i, j));
            }
        }
        let compact = Batch::row_major(&data[..12], 1, 3, 4).unwrap().rows_as_vectors().unwrap();
        assert_eq!(compact.layout, Layout::row_major(4, 1));
    }

    #[test]
    fn edges() {
        let data = [1.0; 8];
        let told = Batch::row_major(&data, 2, 2, 2).unwrap().rows_as_vectors().unwrap_err().to_string();
        assert!(told.contains("there are 2: give the right-hand sides as (batch, n, k)"), "{told}");
        assert!(BatchMut::row_major(&mut [1.0; 8], 2, 2, 2).unwrap().transposed().rows_as_vectors().is_err());
        assert!(Batch::<f64>::row_major(&[], 0, 2, 2).unwrap().transposed().rows_as_vectors().is_err());
        let none = Batch::<f64>::row_major(&[], 1, 0, 4).unwrap().rows_as_vectors().unwrap();
        assert_eq!((none.batch(), none.rows(), none.cols()), (0, 4, 1));
        let empty = Batch::<f64>::row_major(&[], 1, 0, 4).unwrap().transposed().rows_as_vectors().unwrap();
        assert_eq!((empty.batch(), empty.rows(), empty.cols()), (4, 0, 1));
        let last = Batch::row_major(&data, 2, 2, 2).unwrap();
        assert_eq!(last.one(1).norms(crate::Norm::One).unwrap()[..], [2.0]);
    }

    #[test]
    #[should_panic(expected = "no matrix 2 in a batch of 2")]
    fn one_beyond_the_last() {
        let _ = Batch::row_major(&[1.0; 8], 2, 2, 2).unwrap().one(2);
    }
}
