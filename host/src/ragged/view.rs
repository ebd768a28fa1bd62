//! Batches of matrices of many sizes, to read.

use std::marker::PhantomData;

use super::shape::Shape;
use super::spot::{self, Spot};
use crate::batch::Batch;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;

/// A batch of matrices of many sizes to read: borrowed, wherever they lie.
///
/// Calls group them by size and have several groups under way at once, unless the device has a
/// [memory limit](crate::Device::with_memory_limit): then each group may use all of it. Each matrix has the result, bit
/// for bit, that it has alone.
///
/// ```
/// use warplu::{Device, Ragged};
/// // One of order 2, then one of order 1, row by row.
/// let a = [2.0, 1.0, 1.0, 1.0, 4.0];
/// let inverse = Device::cpu().invert(&Ragged::row_major(&a, &[2, 1])?)?.check()?;
/// assert_eq!(inverse.matrix(0), [1.0, -1.0, -1.0, 2.0]);
/// assert_eq!(inverse.matrix(1), [0.25]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ragged<'a, T> {
    pub(crate) spots: Vec<Spot<T>>,
    borrow: PhantomData<&'a [T]>,
}

impl<'a, T: Element> Ragged<'a, T> {
    pub(crate) fn new(spots: Vec<Spot<T>>) -> Self {
        Self { spots, borrow: PhantomData }
    }

    /// Matrices one after the other, each row by row. `shapes` are orders, or pairs of rows and columns.
    ///
    /// ```
    /// # use warplu::Ragged;
    /// // Right-hand sides: two for a matrix of order 2, one for a matrix of order 1.
    /// let b = [1.0, 2.0, 3.0, 4.0, 5.0];
    /// let b = Ragged::row_major(&b, &[(2, 2), (1, 1)])?;
    /// assert_eq!((b.get(0, 1, 0), b.get(1, 0, 0)), (3.0, 5.0));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `data` does not hold exactly their elements.
    pub fn row_major<S: Copy + Into<Shape>>(data: &'a [T], shapes: &[S]) -> Result<Self> {
        spot::back_to_back(data.as_ptr().cast_mut(), data.len(), shapes, Layout::row_major).map(Self::new)
    }

    /// Matrices one after the other, each column by column. `shapes` are orders, or pairs of rows and columns.
    ///
    /// ```
    /// # use warplu::Ragged;
    /// let a = Ragged::column_major(&[2.0, 1.0, 4.0, 3.0, 5.0], &[2, 1])?;
    /// assert_eq!(a.get(0, 0, 1), 4.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `data` does not hold exactly their elements.
    pub fn column_major<S: Copy + Into<Shape>>(data: &'a [T], shapes: &[S]) -> Result<Self> {
        spot::back_to_back(data.as_ptr().cast_mut(), data.len(), shapes, Layout::column_major).map(Self::new)
    }

    /// Matrices whose first elements are at `offsets` of `data`, with the strides that `layout` tells of each by its
    /// number; their batch strides are not used. Matrices may overlap.
    ///
    /// ```
    /// # use warplu::{Layout, Ragged};
    /// // Diagonal blocks of order 1 and 2 of a 3 x 3 matrix.
    /// let a = [1.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.0, 4.0, 5.0];
    /// let blocks = Ragged::strided(&a, &[1, 2], &[0, 4], |_| Layout::row_major(3, 3))?;
    /// assert_eq!((blocks.get(0, 0, 0), blocks.get(1, 0, 1)), (1.0, 3.0));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are not as many offsets as shapes, or a matrix leads out of
    /// `data`.
    pub fn strided<S: Copy + Into<Shape>>(
        data: &'a [T],
        shapes: &[S],
        offsets: &[usize],
        layout: impl Fn(usize) -> Layout,
    ) -> Result<Self> {
        spot::strided(data.as_ptr().cast_mut(), data.len(), shapes, offsets, layout).map(Self::new)
    }

    /// A matrix in each slice, row by row.
    ///
    /// ```
    /// # use warplu::Ragged;
    /// let (one, other) = (vec![1.0, 2.0, 3.0, 4.0], vec![5.0]);
    /// let a = Ragged::row_major_slices(&[&one[..], &other[..]], &[2, 1])?;
    /// assert_eq!(a.get(0, 1, 0), 3.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are not as many slices as shapes, or one does not hold exactly its
    /// matrix.
    pub fn row_major_slices<S: Copy + Into<Shape>>(slices: &[&'a [T]], shapes: &[S]) -> Result<Self> {
        spot::slices(starts(slices), shapes, Layout::row_major).map(Self::new)
    }

    /// A matrix in each slice, column by column.
    ///
    /// ```
    /// # use warplu::Ragged;
    /// let (one, other) = (vec![1.0, 2.0, 3.0, 4.0], vec![5.0]);
    /// let a = Ragged::column_major_slices(&[&one[..], &other[..]], &[2, 1])?;
    /// assert_eq!(a.get(0, 1, 0), 2.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::row_major_slices`].
    pub fn column_major_slices<S: Copy + Into<Shape>>(slices: &[&'a [T]], shapes: &[S]) -> Result<Self> {
        spot::slices(starts(slices), shapes, Layout::column_major).map(Self::new)
    }

    /// Matrices in the batch.
    ///
    /// ```
    /// # use warplu::Ragged;
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// assert_eq!(a.batch(), 2);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn batch(&self) -> usize {
        self.spots.len()
    }

    /// Rows and columns of matrix b.
    ///
    /// ```
    /// # use warplu::Ragged;
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// assert_eq!(a.shape(1).rows, 1);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn shape(&self, b: usize) -> Shape {
        self.spots[b].shape
    }

    /// Element (i, j) of matrix b.
    ///
    /// ```
    /// # use warplu::Ragged;
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// assert_eq!((a.get(0, 0, 0), a.get(1, 0, 0)), (2.0, 4.0));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such element.
    #[must_use]
    pub fn get(&self, b: usize, i: usize, j: usize) -> T {
        // SAFETY: an element of a matrix within what is borrowed.
        unsafe { self.spots[b].at(b, i, j).read() }
    }
}

impl<'a, T: Element> FromIterator<&'a Batch<'a, T>> for Ragged<'a, T> {
    /// The matrices of batches, one batch after the other.
    ///
    /// ```
    /// use warplu::{Batch, Ragged};
    /// let (small, large) = (Batch::row_major(&[2.0, 3.0], 2, 1, 1)?, Batch::column_major(&[1.0; 9], 1, 3, 3)?);
    /// let all: Ragged<'_, f64> = [&small, &large].into_iter().collect();
    /// assert_eq!((all.batch(), all.shape(2).rows), (3, 3));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn from_iter<I: IntoIterator<Item = &'a Batch<'a, T>>>(batches: I) -> Self {
        let spots = batches.into_iter().flat_map(|batch| {
            let (start, shape) = (batch.start().cast_mut(), Shape::from((batch.rows, batch.cols)));
            (0..batch.batch).map(move |b| Spot::new(start, b * batch.layout.batch_stride, shape, batch.layout))
        });
        Self::new(spots.collect())
    }
}

fn starts<T>(slices: &[&[T]]) -> impl ExactSizeIterator<Item = (*mut T, usize)> {
    // Never written through: the matrices are to be read.
    slices.iter().map(|slice| (slice.as_ptr().cast_mut(), slice.len()))
}
