//! Strides, and the one place where sizes are multiplied.

use crate::error::{Error, Result};

/// The largest order, and the most right-hand sides of a matrix: what is larger fits no memory.
pub(crate) const MAX_ORDER: usize = 1 << 20;

/// The product of sizes, if it is a number of bytes that memory can have.
pub(crate) fn product(sizes: &[usize]) -> Result<usize> {
    // An axis of none makes the whole empty, however long the others are.
    if sizes.contains(&0) {
        return Ok(0);
    }
    sizes
        .iter()
        .try_fold(1_usize, |product, &size| product.checked_mul(size))
        .filter(|&product| isize::try_from(product).is_ok())
        .ok_or_else(|| Error::Shape(format!("{} elements are more than any memory holds", times(sizes))))
}

/// Checks an order, or a number of right-hand sides.
pub(crate) fn check_order(order: usize, what: &str) -> Result<()> {
    if order <= MAX_ORDER {
        return Ok(());
    }
    Err(Error::Shape(format!("{order} {what} are too many: they end at {MAX_ORDER}")))
}

fn times(sizes: &[usize]) -> String {
    sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ")
}

/// Distances, in elements, between neighbours in a batch of matrices.
///
/// ```
/// use warplu::Layout;
/// assert_eq!(Layout::row_major(3, 4), Layout { batch_stride: 12, row_stride: 4, col_stride: 1 });
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
    ///
    /// ```
    /// # use warplu::Layout;
    /// assert_eq!(Layout::row_major(2, 3), Layout { batch_stride: 6, row_stride: 3, col_stride: 1 });
    /// ```
    #[must_use]
    pub const fn row_major(rows: usize, cols: usize) -> Self {
        Self { batch_stride: rows.saturating_mul(cols), row_stride: cols, col_stride: 1 }
    }

    /// Compact columns (Fortran order, as LAPACK and cuBLAS store).
    ///
    /// ```
    /// # use warplu::Layout;
    /// assert_eq!(Layout::column_major(2, 3), Layout { batch_stride: 6, row_stride: 1, col_stride: 2 });
    /// ```
    #[must_use]
    pub const fn column_major(rows: usize, cols: usize) -> Self {
        Self { batch_stride: rows.saturating_mul(cols), row_stride: 1, col_stride: rows }
    }

    /// The compact layout of the same kind: column-major where columns are closer than rows, else C order.
    pub(crate) fn compact(&self, rows: usize, cols: usize) -> Self {
        if self.row_stride < self.col_stride { Self::column_major(rows, cols) } else { Self::row_major(rows, cols) }
    }

    /// Refuses an output that leads to an element twice.
    pub(crate) fn check_apart(&self, batch: usize, rows: usize, cols: usize) -> Result<()> {
        if self.is_apart(batch, rows, cols) {
            return Ok(());
        }
        Err(Error::Shape(format!(
            "{batch} matrices of {rows} x {cols} with strides ({}, {}, {}) overlap: an output needs a \
             place for each element",
            self.batch_stride, self.row_stride, self.col_stride
        )))
    }

    /// Whether no two elements of a batch share a place. Strides that interleave without meeting, which nobody uses,
    /// count as sharing: ordered by size, each stride must lead beyond all that the smaller ones reach.
    #[must_use]
    pub(crate) fn is_apart(&self, batch: usize, rows: usize, cols: usize) -> bool {
        if batch == 0 || rows == 0 || cols == 0 {
            return true;
        }
        let mut axes = [(self.batch_stride, batch), (self.row_stride, rows), (self.col_stride, cols)];
        axes.sort_unstable();
        let mut reach = 0_usize; // of the axes so far, from the first element to the last
        axes.into_iter().filter(|&(_, count)| count > 1).all(|(stride, count)| {
            let apart = stride > reach;
            reach = reach.saturating_add(stride.saturating_mul(count - 1));
            apart
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_that_overlap_are_told() {
        let layout = |batch_stride, row_stride, col_stride| Layout { batch_stride, row_stride, col_stride };
        assert!(Layout::row_major(3, 4).is_apart(5, 3, 4));
        assert!(Layout::column_major(3, 4).is_apart(5, 3, 4));
        assert!(layout(1, 5, 15).is_apart(5, 3, 4)); // NumPy's Fortran order
        assert!(layout(0, 4, 1).is_apart(1, 3, 4)); // strides of one element lead nowhere
        assert!(!layout(0, 4, 1).is_apart(2, 3, 4));
        assert!(!layout(11, 4, 1).is_apart(2, 3, 4));
        assert!(!layout(12, 3, 1).is_apart(2, 3, 4));
        assert!(!layout(12, 0, 0).is_apart(1, 2, 1));
        assert!(layout(0, 0, 0).is_apart(0, 9, 9));
    }

    #[test]
    fn products_do_not_wrap() {
        assert_eq!(product(&[3, 4, 8]).unwrap(), 96);
        assert_eq!(product(&[usize::MAX, 2, 0]).unwrap(), 0);
        assert!(product(&[1 << 32, 1 << 32]).is_err());
        assert!(product(&[1 << 62, 2]).is_err());
    }
}
