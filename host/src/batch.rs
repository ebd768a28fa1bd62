//! Batches of matrices in host memory, borrowed: to read, and to write.

mod check;
mod vectors;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use check::{check_compact, check_strided, told};
pub(crate) use check::{check_sizes, order};

use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;

/// A batch of matrices to read: borrowed, with any strides.
///
/// ```
/// use warplu::Batch;
/// let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]; // two matrices of order 2, row by row
/// let batch = Batch::row_major(&a, 2, 2, 2)?;
/// assert_eq!((batch.batch(), batch.rows(), batch.cols()), (2, 2, 2));
/// assert_eq!(batch.get(1, 0, 1), 6.0);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone)]
pub struct Batch<'a, T> {
    /// Element (0, 0) of matrix 0. An address, and no slice: what lies between the elements may be somebody else's, who
    /// writes it, or nobody's yet.
    start: *const T,
    pub(crate) batch: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) layout: Layout,
    /// The elements, where they are a copy.
    _copy: Option<Arc<Vec<T>>>,
    borrow: PhantomData<&'a [T]>,
}

// SAFETY: as a shared slice, and a shared vector.
unsafe impl<T: Send + Sync> Send for Batch<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Batch<'_, T> {}

impl<T> fmt::Debug for Batch<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        told(f, "Batch", (self.batch, self.rows, self.cols), self.layout)
    }
}

impl<'a, T: Element> Batch<'a, T> {
    /// `batch` matrices of `rows` x `cols`, one after the other, each row by row.
    ///
    /// ```
    /// # use warplu::Batch;
    /// let a = [2.0, 1.0, 1.0, 3.0];
    /// let batch = Batch::row_major(&a, 1, 2, 2)?;
    /// assert_eq!(batch.get(0, 1, 0), 1.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `data` does not hold exactly `batch * rows * cols` elements.
    pub fn row_major(data: &'a [T], batch: usize, rows: usize, cols: usize) -> Result<Self> {
        check_compact(data.len(), batch, rows, cols)?;
        Self::strided(data, batch, rows, cols, Layout::row_major(rows, cols))
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
    /// [`Error::Shape`](crate::Error::Shape) if `data` does not hold exactly `batch * rows * cols` elements.
    pub fn column_major(data: &'a [T], batch: usize, rows: usize, cols: usize) -> Result<Self> {
        check_compact(data.len(), batch, rows, cols)?;
        Self::strided(data, batch, rows, cols, Layout::column_major(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols` with the given strides. A stride of 0 gives every matrix, row or column the
    /// same elements: `batch_stride: 0` is one matrix for a whole batch of right-hand sides.
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
    /// [`Error::Shape`](crate::Error::Shape) if the strides lead out of `data`.
    pub fn strided(data: &'a [T], batch: usize, rows: usize, cols: usize, layout: Layout) -> Result<Self> {
        check_strided(data.len(), batch, rows, cols, layout)?;
        // SAFETY: the strides do not lead out of the slice.
        Ok(unsafe { Self::at(data.as_ptr(), (batch, rows, cols), layout) })
    }

    /// (batch, rows, columns) from `start` on, for memory that no slice spans, as what lies between the matrices is others'.
    ///
    /// ```
    /// use warplu::{Batch, Device, Layout};
    /// let all = [4.0, 7.0, 2.0, 7.0]; // 7 are others'
    /// let layout = Layout { batch_stride: 2, row_stride: 1, col_stride: 1 };
    /// // SAFETY: the elements are those at 0 and 2, which are borrowed as long as the batch is used.
    /// let a = unsafe { Batch::from_raw_parts(all.as_ptr(), (2, 1, 1), layout)? };
    /// assert_eq!(Device::cpu().invert(&a)?.matrices.as_slice(), [0.25, 0.5]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Safety
    /// `start` is aligned, though there be no elements. All elements are there, within one allocation, as long as the result
    /// is, and nobody writes them meanwhile.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for sizes that no memory has.
    pub unsafe fn from_raw_parts(
        start: *const T,
        (batch, rows, cols): (usize, usize, usize),
        layout: Layout,
    ) -> Result<Self> {
        check_sizes(batch, rows, cols)?;
        // SAFETY: the caller's promise.
        Ok(unsafe { Self::at(start, (batch, rows, cols), layout) })
    }

    /// As [`Self::from_raw_parts`], of sizes that are known to be possible.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn at(start: *const T, (batch, rows, cols): (usize, usize, usize), layout: Layout) -> Self {
        Self { start, batch, rows, cols, layout, _copy: None, borrow: PhantomData }
    }

    /// (batch, rows, columns) that it owns, all that `data` holds, row by row.
    #[cfg(any(feature = "faer", feature = "nalgebra", feature = "ndarray"))]
    pub(crate) fn owned(data: Vec<T>, (batch, rows, cols): (usize, usize, usize)) -> Self {
        debug_assert_eq!(data.len(), batch * rows * cols);
        let start = data.as_ptr();
        let layout = Layout::row_major(rows, cols);
        Self { start, batch, rows, cols, layout, _copy: Some(Arc::new(data)), borrow: PhantomData }
    }

    /// Matrices in the batch.
    ///
    /// ```
    /// # use warplu::Batch;
    /// assert_eq!(Batch::row_major(&[0.0; 6], 2, 3, 1)?.batch(), 2);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Rows of each matrix.
    ///
    /// ```
    /// # use warplu::Batch;
    /// assert_eq!(Batch::row_major(&[0.0; 6], 2, 3, 1)?.rows(), 3);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of each matrix.
    ///
    /// ```
    /// # use warplu::Batch;
    /// assert_eq!(Batch::row_major(&[0.0; 6], 2, 3, 1)?.cols(), 1);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Element (i, j) of matrix b.
    ///
    /// ```
    /// # use warplu::Batch;
    /// let a = Batch::column_major(&[1.0, 2.0, 3.0, 4.0], 1, 2, 2)?;
    /// assert_eq!((a.get(0, 1, 0), a.get(0, 0, 1)), (2.0, 3.0));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such element.
    #[must_use]
    pub fn get(&self, b: usize, i: usize, j: usize) -> T {
        assert!(b < self.batch && i < self.rows && j < self.cols, "no element ({b}, {i}, {j})");
        // SAFETY: an element of the batch.
        unsafe { self.start.wrapping_add(self.layout.at(b, i, j)).read() }
    }

    /// The address of element (0, 0) of matrix 0; the layout says where the others are from there.
    pub(crate) fn start(&self) -> *const T {
        self.start
    }

    /// The order of the square matrices.
    pub(crate) fn order(&self) -> Result<usize> {
        order(self.rows, self.cols)
    }

    /// The compact layout that suits outputs for this input: column-major where its columns are closer, else C order.
    pub(crate) fn output_layout(&self, rows: usize, cols: usize) -> Layout {
        self.layout.compact(rows, cols)
    }
}

/// A batch of matrices to write, or to work on in place: borrowed, with any strides that lead to no element twice.
///
/// ```
/// use warplu::{Batch, BatchMut, Device};
/// let mut x = [0.0; 2];
/// let (a, b) = (Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?, Batch::row_major(&[3.0, 2.0], 1, 2, 1)?);
/// Device::cpu().solve_into(&a, &b, &mut BatchMut::row_major(&mut x, 1, 2, 1)?)?.check()?;
/// assert_eq!(x, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub struct BatchMut<'a, T> {
    /// As that of [`Batch`].
    start: *mut T,
    pub(crate) batch: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) layout: Layout,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: as a slice that is borrowed to be written.
unsafe impl<T: Send> Send for BatchMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for BatchMut<'_, T> {}

impl<T> fmt::Debug for BatchMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        told(f, "BatchMut", (self.batch, self.rows, self.cols), self.layout)
    }
}

impl<'a, T: Element> BatchMut<'a, T> {
    /// `batch` matrices of `rows` x `cols`, one after the other, each row by row.
    ///
    /// ```
    /// use warplu::{BatchMut, Device};
    /// let mut a = [2.0, 1.0, 1.0, 1.0];
    /// Device::cpu().invert_in_place(&mut BatchMut::row_major(&mut a, 1, 2, 2)?)?.check()?;
    /// assert_eq!(a, [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `data` does not hold exactly `batch * rows * cols` elements.
    pub fn row_major(data: &'a mut [T], batch: usize, rows: usize, cols: usize) -> Result<Self> {
        check_compact(data.len(), batch, rows, cols)?;
        Self::strided(data, batch, rows, cols, Layout::row_major(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols`, one after the other, each column by column.
    ///
    /// ```
    /// # use warplu::BatchMut;
    /// let mut a = [1.0, 2.0, 3.0, 4.0];
    /// assert_eq!(BatchMut::column_major(&mut a, 1, 2, 2)?.view().get(0, 1, 0), 2.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `data` does not hold exactly `batch * rows * cols` elements.
    pub fn column_major(data: &'a mut [T], batch: usize, rows: usize, cols: usize) -> Result<Self> {
        check_compact(data.len(), batch, rows, cols)?;
        Self::strided(data, batch, rows, cols, Layout::column_major(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols` with the given strides.
    ///
    /// ```
    /// # use warplu::{BatchMut, Layout};
    /// let mut out = [0.0; 4];
    /// let twice = Layout { batch_stride: 0, row_stride: 2, col_stride: 1 };
    /// assert!(BatchMut::strided(&mut out, 2, 2, 2, twice).is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the strides lead out of `data`, or to an element twice.
    pub fn strided(data: &'a mut [T], batch: usize, rows: usize, cols: usize, layout: Layout) -> Result<Self> {
        check_strided(data.len(), batch, rows, cols, layout)?;
        layout.check_apart(batch, rows, cols)?;
        // SAFETY: the strides do not lead out of the slice, and to each element once.
        Ok(unsafe { Self::at(data.as_mut_ptr(), (batch, rows, cols), layout) })
    }

    /// As [`Batch::from_raw_parts`]: two threads may each have blocks of rows of one matrix that lies by columns.
    ///
    /// ```
    /// use warplu::{BatchMut, Device, Layout};
    /// let mut all = [4.0, 7.0, 2.0, 7.0]; // 7 are others'
    /// let layout = Layout { batch_stride: 2, row_stride: 1, col_stride: 1 };
    /// // SAFETY: the elements are those at 0 and 2, which are borrowed as long as the batch is used.
    /// let mut a = unsafe { BatchMut::from_raw_parts(all.as_mut_ptr(), (2, 1, 1), layout)? };
    /// Device::cpu().invert_in_place(&mut a)?.check()?;
    /// assert_eq!(all, [0.25, 7.0, 0.5, 7.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Safety
    /// `start` is aligned, though there be no elements. All elements are there, within one allocation, as long as the result
    /// is, no two at the same place, and nobody else touches them meanwhile.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for sizes that no memory has.
    pub unsafe fn from_raw_parts(
        start: *mut T,
        (batch, rows, cols): (usize, usize, usize),
        layout: Layout,
    ) -> Result<Self> {
        check_sizes(batch, rows, cols)?;
        // SAFETY: the caller's promise.
        Ok(unsafe { Self::at(start, (batch, rows, cols), layout) })
    }

    /// As [`Self::from_raw_parts`], of sizes that are known to be possible.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn at(start: *mut T, (batch, rows, cols): (usize, usize, usize), layout: Layout) -> Self {
        Self { start, batch, rows, cols, layout, borrow: PhantomData }
    }

    /// Matrices in the batch.
    ///
    /// ```
    /// # use warplu::BatchMut;
    /// assert_eq!(BatchMut::row_major(&mut [0.0; 6], 2, 3, 1)?.batch(), 2);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Rows of each matrix.
    ///
    /// ```
    /// # use warplu::BatchMut;
    /// assert_eq!(BatchMut::row_major(&mut [0.0; 6], 2, 3, 1)?.rows(), 3);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of each matrix.
    ///
    /// ```
    /// # use warplu::BatchMut;
    /// assert_eq!(BatchMut::row_major(&mut [0.0; 6], 2, 3, 1)?.cols(), 1);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The same batch, to read.
    ///
    /// ```
    /// # use warplu::BatchMut;
    /// let mut a = [1.0, 2.0, 3.0, 4.0];
    /// assert_eq!(BatchMut::row_major(&mut a, 1, 2, 2)?.view().get(0, 0, 1), 2.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn view(&self) -> Batch<'_, T> {
        // SAFETY: as long as this is borrowed to be read, nobody writes.
        unsafe { Batch::at(self.start, (self.batch, self.rows, self.cols), self.layout) }
    }

    /// The address of element (0, 0) of matrix 0; the layout says where the others are from there.
    pub(crate) fn start(&self) -> *mut T {
        self.start
    }
}
