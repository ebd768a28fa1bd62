//! Batches of matrices in host memory: borrowed as input, owned as output.

use std::borrow::Cow;

use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::Layout;

/// A batch of matrices to read: borrowed, with any strides.
#[derive(Clone, Debug)]
pub struct Batch<'a, T: Clone> {
    pub(crate) data: Cow<'a, [T]>,
    pub(crate) batch: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) layout: Layout,
}

impl<'a, T: Element> Batch<'a, T> {
    /// `batch` matrices of `rows` x `cols`, one after the other, each row by row.
    ///
    /// ```
    /// # use warplu::Batch;
    /// let a = [2.0, 1.0, 1.0, 3.0];
    /// let batch = Batch::c_order(&a, 1, 2, 2)?;
    /// assert_eq!(batch.get(0, 1, 0), 1.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if `data` does not hold exactly `batch * rows * cols` elements.
    pub fn c_order(data: &'a [T], batch: usize, rows: usize, cols: usize) -> Result<Self> {
        Self::compact(data, batch, rows, cols, Layout::c_order(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols`, one after the other, each column by column.
    ///
    /// ```
    /// # use warplu::Batch;
    /// let a = [2.0, 1.0, 4.0, 3.0];
    /// let batch = Batch::column_major(&a, 1, 2, 2)?;
    /// assert_eq!(batch.get(0, 0, 1), 4.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if `data` does not hold exactly `batch * rows * cols` elements.
    pub fn column_major(data: &'a [T], batch: usize, rows: usize, cols: usize) -> Result<Self> {
        Self::compact(data, batch, rows, cols, Layout::column_major(rows, cols))
    }

    fn compact(data: &'a [T], batch: usize, rows: usize, cols: usize, layout: Layout) -> Result<Self> {
        let wanted = batch.checked_mul(rows).and_then(|x| x.checked_mul(cols));
        if wanted != Some(data.len()) {
            return Err(Error::Shape(format!(
                "{batch} matrices of {rows} x {cols} are {} elements, but the slice holds {}",
                wanted.map_or("too many".to_owned(), |w| w.to_string()),
                data.len()
            )));
        }
        Self::strided(data, batch, rows, cols, layout)
    }

    /// `batch` matrices of `rows` x `cols` with the given strides.
    ///
    /// ```
    /// # use warplu::{Batch, Layout};
    /// // The upper left 2 x 2 corner of a 3 x 3 matrix.
    /// let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    /// let corner = Batch::strided(&a, 1, 2, 2, Layout { batch_stride: 9, row_stride: 3, col_stride: 1 })?;
    /// assert_eq!(corner.get(0, 1, 1), 5.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the strides lead out of `data`.
    pub fn strided(data: &'a [T], batch: usize, rows: usize, cols: usize, layout: Layout) -> Result<Self> {
        match layout.span(batch, rows, cols) {
            Some(span) if span <= data.len() => {}
            _ => {
                return Err(Error::Shape(format!(
                    "{batch} matrices of {rows} x {cols} with strides ({}, {}, {}) lead beyond the slice of {} elements",
                    layout.batch_stride,
                    layout.row_stride,
                    layout.col_stride,
                    data.len()
                )));
            }
        }
        if u32::try_from(rows).is_err() || u32::try_from(cols).is_err() {
            return Err(Error::Shape(format!("matrices of {rows} x {cols} are too large: orders end at 2^32 - 1")));
        }
        Ok(Self { data: Cow::Borrowed(data), batch, rows, cols, layout })
    }

    /// Matrices in the batch.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Rows of each matrix.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of each matrix.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Element (i, j) of matrix b.
    ///
    /// # Panics
    /// If there is no such element.
    #[must_use]
    pub fn get(&self, b: usize, i: usize, j: usize) -> T {
        assert!(b < self.batch && i < self.rows && j < self.cols, "no element ({b}, {i}, {j})");
        self.data[self.layout.at(b, i, j)]
    }

    /// The order of the square matrices.
    pub(crate) fn order(&self) -> Result<usize> {
        if self.rows == self.cols {
            Ok(self.rows)
        } else {
            Err(Error::Shape(format!("the matrices are {} x {}: they must be square", self.rows, self.cols)))
        }
    }

    /// The compact layout that suits outputs for this input: column-major where its columns are closer, else C order.
    pub(crate) fn output_layout(&self, rows: usize, cols: usize) -> Layout {
        if self.layout.row_stride < self.layout.col_stride {
            Layout::column_major(rows, cols)
        } else {
            Layout::c_order(rows, cols)
        }
    }

    /// The elements as one compact slice, copied only if they are not, and their layout.
    pub(crate) fn to_compact(&self) -> (Cow<'_, [T]>, Layout) {
        let (rows, cols) = (self.rows, self.cols);
        for layout in [Layout::c_order(rows, cols), Layout::column_major(rows, cols)] {
            if self.layout == layout {
                return (Cow::Borrowed(&self.data[..self.batch * rows * cols]), layout);
            }
        }
        let layout = self.output_layout(rows, cols);
        let mut compact = vec![T::narrow(crate::Scalar::ZERO); self.batch * rows * cols];
        for b in 0..self.batch {
            for i in 0..rows {
                for j in 0..cols {
                    compact[layout.at(b, i, j)] = self.data[self.layout.at(b, i, j)];
                }
            }
        }
        (Cow::Owned(compact), layout)
    }
}

/// A batch of matrices that a call returns: compact, in the order of its input.
///
/// ```
/// # use warplu::{Batch, Device};
/// let inverse = Device::cpu().invert(&Batch::c_order(&[2.0, 0.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
/// assert_eq!((inverse.batch(), inverse.rows(), inverse.cols()), (1, 2, 2));
/// assert_eq!(inverse.get(0, 1, 0), -0.5);
/// let back = Device::cpu().invert(&inverse.view())?.matrices;
/// assert_eq!(back.into_vec(), [2.0, 0.0, 1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Matrices<T> {
    pub(crate) data: Vec<T>,
    pub(crate) batch: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) layout: Layout,
}

impl<T: Element> Matrices<T> {
    pub(crate) fn zeros(batch: usize, rows: usize, cols: usize, layout: Layout) -> Self {
        let data = vec![T::narrow(crate::Scalar::ZERO); batch * rows * cols];
        Self { data, batch, rows, cols, layout }
    }

    /// Matrices in the batch.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Rows of each matrix.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of each matrix.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Where the elements are.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Element (i, j) of matrix b.
    ///
    /// # Panics
    /// If there is no such element.
    #[must_use]
    pub fn get(&self, b: usize, i: usize, j: usize) -> T {
        assert!(b < self.batch && i < self.rows && j < self.cols, "no element ({b}, {i}, {j})");
        self.data[self.layout.at(b, i, j)]
    }

    /// All elements, as laid out.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All elements, as laid out.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// The batch as an input.
    #[must_use]
    pub fn view(&self) -> Batch<'_, T> {
        Batch {
            data: Cow::Borrowed(&self.data),
            batch: self.batch,
            rows: self.rows,
            cols: self.cols,
            layout: self.layout,
        }
    }
}
