//! Strides.

/// Distances, in elements, between neighbours in a batch of matrices.
///
/// ```
/// use warplu::Layout;
/// assert_eq!(Layout::c_order(3, 4), Layout { batch_stride: 12, row_stride: 4, col_stride: 1 });
/// assert_eq!(Layout::column_major(3, 4), Layout { batch_stride: 12, row_stride: 1, col_stride: 3 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// From a matrix to the next.
    pub batch_stride: usize,
    /// From a row to the next.
    pub row_stride: usize,
    /// From a column to the next.
    pub col_stride: usize,
}

impl Layout {
    /// Compact rows (C order, as NumPy and ndarray store).
    #[must_use]
    pub const fn c_order(rows: usize, cols: usize) -> Self {
        Self { batch_stride: rows * cols, row_stride: cols, col_stride: 1 }
    }

    /// Compact columns (Fortran order, as LAPACK and cuBLAS store).
    #[must_use]
    pub const fn column_major(rows: usize, cols: usize) -> Self {
        Self { batch_stride: rows * cols, row_stride: 1, col_stride: rows }
    }

    /// Elements from the first to one past the last of a batch.
    #[must_use]
    pub(crate) fn span(&self, batch: usize, rows: usize, cols: usize) -> Option<usize> {
        if batch == 0 || rows == 0 || cols == 0 {
            return Some(0);
        }
        let far = |count: usize, stride: usize| (count - 1).checked_mul(stride);
        far(batch, self.batch_stride)?
            .checked_add(far(rows, self.row_stride)?)?
            .checked_add(far(cols, self.col_stride)?)?
            .checked_add(1)
    }

    /// Position of element (i, j) of matrix b.
    #[must_use]
    pub(crate) const fn at(&self, b: usize, i: usize, j: usize) -> usize {
        b * self.batch_stride + i * self.row_stride + j * self.col_stride
    }
}
