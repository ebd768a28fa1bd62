//! Batches of matrices of many sizes, to write.

use std::marker::PhantomData;

use super::shape::Shape;
use super::spot::{self, Spot};
use super::view::Ragged;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;

/// A batch of matrices of many sizes to write, or to work on in place: borrowed, wherever they lie, but apart from each
/// other.
///
/// ```
/// use warplu::{Device, RaggedMut};
/// let mut a = [2.0, 1.0, 1.0, 1.0, 4.0];
/// Device::cpu().invert_in_place(&mut RaggedMut::row_major(&mut a, &[2, 1])?)?.check()?;
/// assert_eq!(a, [1.0, -1.0, -1.0, 2.0, 0.25]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct RaggedMut<'a, T> {
    pub(crate) spots: Vec<Spot<T>>,
    borrow: PhantomData<&'a mut [T]>,
}

impl<'a, T: Element> RaggedMut<'a, T> {
    pub(crate) fn new(spots: Vec<Spot<T>>) -> Self {
        Self { spots, borrow: PhantomData }
    }

    /// Matrices one after the other, each row by row. `shapes` are orders, or pairs of rows and columns.
    ///
    /// ```
    /// use warplu::{Device, RaggedMut};
    /// let mut a = [2.0, 1.0, 1.0, 1.0, 4.0];
    /// Device::cpu().invert_in_place(&mut RaggedMut::row_major(&mut a, &[2, 1])?)?.check()?;
    /// assert_eq!(a, [1.0, -1.0, -1.0, 2.0, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `data` does not hold exactly their elements.
    pub fn row_major<S: Copy + Into<Shape>>(data: &'a mut [T], shapes: &[S]) -> Result<Self> {
        spot::back_to_back(data.as_mut_ptr(), data.len(), shapes, Layout::row_major).map(Self::new)
    }

    /// Matrices one after the other, each column by column. `shapes` are orders, or pairs of rows and columns.
    ///
    /// ```
    /// # use warplu::RaggedMut;
    /// let mut a = [1.0, 2.0, 3.0, 4.0, 5.0];
    /// assert_eq!(RaggedMut::column_major(&mut a, &[2, 1])?.view().get(0, 1, 0), 2.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `data` does not hold exactly their elements.
    pub fn column_major<S: Copy + Into<Shape>>(data: &'a mut [T], shapes: &[S]) -> Result<Self> {
        spot::back_to_back(data.as_mut_ptr(), data.len(), shapes, Layout::column_major).map(Self::new)
    }

    /// Matrices whose first elements are at `offsets` of `data`, with the strides that `layout` tells of each by its
    /// number; their batch strides are not used.
    ///
    /// ```
    /// # use warplu::{Layout, RaggedMut};
    /// let mut out = [0.0; 9];
    /// assert!(RaggedMut::strided(&mut out, &[1, 2], &[0, 4], |_| Layout::row_major(3, 3)).is_ok());
    /// let told = RaggedMut::strided(&mut out, &[2, 1], &[0, 4], |_| Layout::row_major(3, 3)).unwrap_err().to_string();
    /// assert!(told.starts_with("matrices 0 and 1 overlap"));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are not as many offsets as shapes, if a matrix leads out of
    /// `data`, or to an element twice, and if the first to the last element of one overlaps that of another: blocks
    /// beside each other in one matrix are not apart in this sense.
    pub fn strided<S: Copy + Into<Shape>>(
        data: &'a mut [T],
        shapes: &[S],
        offsets: &[usize],
        layout: impl Fn(usize) -> Layout,
    ) -> Result<Self> {
        let spots = spot::strided(data.as_mut_ptr(), data.len(), shapes, offsets, layout)?;
        spot::check_apart(&spots)?;
        Ok(Self::new(spots))
    }

    /// A matrix in each slice, row by row.
    ///
    /// ```
    /// # use warplu::RaggedMut;
    /// let (mut one, mut other) = (vec![0.0; 4], vec![0.0]);
    /// let out = RaggedMut::row_major_slices([&mut one[..], &mut other[..]], &[2, 1])?;
    /// assert_eq!(out.batch(), 2);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are not as many slices as shapes, or one does not hold exactly
    /// its matrix.
    pub fn row_major_slices<S: Copy + Into<Shape>>(
        slices: impl IntoIterator<Item = &'a mut [T]>,
        shapes: &[S],
    ) -> Result<Self> {
        spot::slices(starts(slices).into_iter(), shapes, Layout::row_major).map(Self::new)
    }

    /// A matrix in each slice, column by column.
    ///
    /// ```
    /// # use warplu::RaggedMut;
    /// let (mut one, mut other) = (vec![1.0, 2.0, 3.0, 4.0], vec![5.0]);
    /// let a = RaggedMut::column_major_slices([&mut one[..], &mut other[..]], &[2, 1])?;
    /// assert_eq!(a.view().get(0, 1, 0), 2.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::row_major_slices`].
    pub fn column_major_slices<S: Copy + Into<Shape>>(
        slices: impl IntoIterator<Item = &'a mut [T]>,
        shapes: &[S],
    ) -> Result<Self> {
        spot::slices(starts(slices).into_iter(), shapes, Layout::column_major).map(Self::new)
    }

    /// Matrices in the batch.
    ///
    /// ```
    /// # use warplu::RaggedMut;
    /// let mut a = [2.0, 1.0, 1.0, 1.0, 4.0];
    /// let a = RaggedMut::row_major(&mut a, &[2, 1])?;
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
    /// # use warplu::RaggedMut;
    /// let mut a = [2.0, 1.0, 1.0, 1.0, 4.0];
    /// let a = RaggedMut::row_major(&mut a, &[2, 1])?;
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

    /// The same batch, to read.
    ///
    /// ```
    /// # use warplu::RaggedMut;
    /// let mut a = [2.0, 1.0, 1.0, 1.0, 4.0];
    /// let a = RaggedMut::row_major(&mut a, &[2, 1])?;
    /// assert_eq!(a.view().get(1, 0, 0), 4.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn view(&self) -> Ragged<'_, T> {
        Ragged::new(self.spots.clone())
    }
}

fn starts<'a, T: 'a>(slices: impl IntoIterator<Item = &'a mut [T]>) -> Vec<(*mut T, usize)> {
    slices.into_iter().map(|slice| (slice.as_mut_ptr(), slice.len())).collect()
}
