//! Batches of matrices that calls return.

use std::ops::{Index, IndexMut};

use crate::batch::{Batch, BatchMut};
use crate::element::Element;
use crate::error::Result;
use crate::layout::{Layout, product};
use crate::matrix_ref::{Each, MatrixIter, MatrixRef};

/// A batch of matrices that a call returns: compact, in the order of its input.
///
/// ```
/// # use warplu::{Batch, Device};
/// let inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 0.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
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
    /// `batch` compact matrices that `data` holds.
    pub(crate) fn new(data: Vec<T>, batch: usize, rows: usize, cols: usize, layout: Layout) -> Self {
        Self { data, batch, rows, cols, layout }
    }

    /// Matrices in the batch.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert_eq!(inverse.batch(), 1);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Rows of each matrix.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert_eq!(inverse.rows(), 2);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of each matrix.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert_eq!(inverse.cols(), 2);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Where the elements are.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Layout};
    /// let inverse = Device::cpu().invert(&Batch::column_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert_eq!(inverse.layout(), Layout::column_major(2, 2)); // that of the input
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Element (i, j) of matrix b.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert_eq!(inverse.get(0, 1, 1), 2.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such element.
    #[must_use]
    pub fn get(&self, b: usize, i: usize, j: usize) -> T {
        self[(b, i, j)]
    }

    /// All elements, as laid out.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert_eq!(inverse.as_slice(), [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All elements, as laid out, to be changed.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let mut inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
    /// inverse.as_mut_slice()[0] = 7.0;
    /// assert_eq!(inverse[(0, 0, 0)], 7.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// The elements of matrix b, row by row or column by column as [`Self::layout`] says.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 4.0], 2, 1, 1)?)?.matrices;
    /// assert_eq!(inverse.matrix(1), [0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn matrix(&self, b: usize) -> &[T] {
        assert!(b < self.batch, "no matrix {b} in a batch of {}", self.batch);
        let each = self.rows * self.cols;
        &self.data[b * each..][..each]
    }

    /// As [`Self::matrix`], to be changed.
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn matrix_mut(&mut self, b: usize) -> &mut [T] {
        assert!(b < self.batch, "no matrix {b} in a batch of {}", self.batch);
        let each = self.rows * self.cols;
        &mut self.data[b * each..][..each]
    }

    /// Matrix b.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 4.0], 2, 1, 1)?)?.matrices;
    /// assert_eq!(inverse.at(1)[(0, 0)], 0.25);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn at(&self, b: usize) -> MatrixRef<'_, T> {
        MatrixRef::new(self.matrix(b), self.rows, self.cols, self.layout)
    }

    /// The matrices, one after the other. `for matrix in &matrices` goes through them, too.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 4.0], 2, 1, 1)?)?.matrices;
    /// let traces: Vec<f64> = inverse.iter().map(|matrix| matrix[(0, 0)]).collect();
    /// assert_eq!(traces, [0.5, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn iter(&self) -> MatrixIter<'_, T> {
        MatrixIter::new(self, self.batch)
    }

    /// All elements, as laid out.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert_eq!(inverse.into_vec(), [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// The batch as an input.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert_eq!(Device::cpu().det(&inverse.view())?.values, [1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn view(&self) -> Batch<'_, T> {
        // SAFETY: the elements are those of the vector, which is borrowed.
        unsafe { Batch::at(self.data.as_ptr(), (self.batch, self.rows, self.cols), self.layout) }
    }

    /// The batch as an output.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Op};
    /// let (a, b) = (Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?, Batch::row_major(&[3.0, 2.0], 1, 2, 1)?);
    /// let lu = Device::cpu().lu(&a)?;
    /// let mut x = lu.solve(&b, Op::None)?.x;
    /// let _bounds = lu.refine(&a, &b, &mut x.view_mut(), Op::None)?;
    /// assert_eq!(x.as_slice(), [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn view_mut(&mut self) -> BatchMut<'_, T> {
        // SAFETY: as above, to be written; they are compact, so that each has a place.
        unsafe { BatchMut::at(self.data.as_mut_ptr(), (self.batch, self.rows, self.cols), self.layout) }
    }

    /// The elements in C order, moved or copied.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let inverse = Device::cpu().invert(&Batch::column_major(&[2.0, 0.0, 1.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert_eq!(inverse.as_slice(), [0.5, 0.0, -0.5, 1.0]); // column by column, as the input
    /// assert_eq!(inverse.into_row_major()?, [0.5, -0.5, 0.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::HostMemory`](crate::Error::HostMemory) if there is none for the copy.
    pub fn into_row_major(self) -> Result<Vec<T>> {
        let Self { batch, rows, cols, layout, .. } = self;
        if layout == Layout::row_major(rows, cols) || rows <= 1 || cols <= 1 {
            return Ok(self.data);
        }
        let mut out = kernels_cpu::fresh::filled(T::narrow(crate::Scalar::ZERO), product(&[batch, rows, cols])?)?;
        for (matrix, out) in self.data.chunks_exact(rows * cols).zip(out.chunks_exact_mut(rows * cols)) {
            for i in 0..rows {
                for j in 0..cols {
                    out[i * cols + j] = matrix[layout.at(0, i, j)];
                }
            }
        }
        Ok(out)
    }
}

impl<T: Element> Index<(usize, usize, usize)> for Matrices<T> {
    type Output = T;

    /// Element (i, j) of matrix b, at (b, i, j).
    fn index(&self, (b, i, j): (usize, usize, usize)) -> &T {
        assert!(b < self.batch && i < self.rows && j < self.cols, "no element ({b}, {i}, {j})");
        &self.data[self.layout.at(b, i, j)]
    }
}

impl<T: Element> IndexMut<(usize, usize, usize)> for Matrices<T> {
    /// As the index to read.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let mut x = Device::cpu().invert(&Batch::row_major(&[2.0, 4.0], 2, 1, 1)?)?.matrices;
    /// x[(1, 0, 0)] += 1.0;
    /// assert_eq!(x.as_slice(), [0.5, 1.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn index_mut(&mut self, (b, i, j): (usize, usize, usize)) -> &mut T {
        assert!(b < self.batch && i < self.rows && j < self.cols, "no element ({b}, {i}, {j})");
        &mut self.data[self.layout.at(b, i, j)]
    }
}

impl<T: Element> Each<T> for Matrices<T> {
    fn matrix_ref(&self, b: usize) -> MatrixRef<'_, T> {
        self.at(b)
    }
}

impl<'a, T: Element> IntoIterator for &'a Matrices<T> {
    type Item = MatrixRef<'a, T>;
    type IntoIter = MatrixIter<'a, T>;

    fn into_iter(self) -> MatrixIter<'a, T> {
        self.iter()
    }
}
