//! Batches of matrices of many sizes that calls return.

use std::ops::{Index, IndexMut};

use super::shape::{Shape, total};
use super::spot::Spot;
use super::view::Ragged;
use super::view_mut::RaggedMut;
use crate::batch::Batch;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;
use crate::matrix_ref::{Each, MatrixIter, MatrixRef};
use kernels_cpu::fresh::Fresh;

/// A batch of matrices of many sizes that a call returns: one after the other, each compact, row by row or column by
/// column as its input was.
///
/// ```
/// # use warplu::{Device, Ragged};
/// let inverse = Device::cpu().invert(&Ragged::row_major(&[2.0, 0.0, 1.0, 1.0, 4.0], &[2, 1])?)?.matrices;
/// assert_eq!((inverse.batch(), inverse.shape(0).rows, inverse.shape(1).rows), (2, 2, 1));
/// assert_eq!(inverse.get(0, 1, 0), -0.5);
/// let back = Device::cpu().invert(&inverse.view())?.matrices;
/// assert_eq!(back.into_vec(), [2.0, 0.0, 1.0, 1.0, 4.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RaggedMatrices<T> {
    data: Vec<T>,
    places: Vec<Place>,
}

/// Where a matrix is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    offset: usize,
    shape: Shape,
    layout: Layout,
}

/// Such a batch that is yet to be written.
#[derive(Debug)]
pub struct Unwritten<T> {
    data: Fresh<T>,
    places: Vec<Place>,
    pub(crate) spots: Vec<Spot<T>>,
}

impl<T: Element> RaggedMatrices<T> {
    /// Matrices in the batch.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let inverse = Device::cpu().invert(&a)?.matrices;
    /// assert_eq!(inverse.batch(), 2);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn batch(&self) -> usize {
        self.places.len()
    }

    /// Rows and columns of matrix b.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let inverse = Device::cpu().invert(&a)?.matrices;
    /// assert_eq!(inverse.shape(1).rows, 1);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn shape(&self, b: usize) -> Shape {
        self.places[b].shape
    }

    /// Where the elements of matrix b are in [`Self::matrix`].
    ///
    /// ```
    /// # use warplu::{Device, Layout, Ragged};
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let inverse = Device::cpu().invert(&a)?.matrices;
    /// assert_eq!(inverse.layout(0), Layout::row_major(2, 2));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn layout(&self, b: usize) -> Layout {
        self.places[b].layout
    }

    /// Element (i, j) of matrix b.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let inverse = Device::cpu().invert(&a)?.matrices;
    /// assert_eq!((inverse.get(0, 1, 1), inverse.get(1, 0, 0)), (2.0, 0.25));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such element.
    #[must_use]
    pub fn get(&self, b: usize, i: usize, j: usize) -> T {
        self[(b, i, j)]
    }

    /// The elements of matrix b, row by row or column by column as [`Self::layout`] says.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let inverse = Device::cpu().invert(&a)?.matrices;
    /// assert_eq!(inverse.matrix(0), [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn matrix(&self, b: usize) -> &[T] {
        let Place { offset, shape, .. } = self.places[b];
        &self.data[offset..][..shape.len()]
    }

    /// As [`Self::matrix`], to be changed.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let mut inverse = Device::cpu().invert(&a)?.matrices;
    /// inverse.matrix_mut(1)[0] = 7.0;
    /// assert_eq!(inverse.get(1, 0, 0), 7.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn matrix_mut(&mut self, b: usize) -> &mut [T] {
        let Place { offset, shape, .. } = self.places[b];
        &mut self.data[offset..][..shape.len()]
    }

    /// Matrix b.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let inverse = Device::cpu().invert(&Ragged::row_major(&[2.0, 0.0, 1.0, 1.0, 4.0], &[2, 1])?)?.matrices;
    /// assert_eq!((inverse.at(0)[(1, 0)], inverse.at(1).rows()), (-0.5, 1));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn at(&self, b: usize) -> MatrixRef<'_, T> {
        let Place { shape, layout, .. } = self.places[b];
        MatrixRef::new(self.matrix(b), shape.rows, shape.cols, layout)
    }

    /// The matrices, one after the other. `for matrix in &matrices` goes through them, too.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let inverse = Device::cpu().invert(&Ragged::row_major(&[2.0, 4.0], &[1, 1])?)?.matrices;
    /// let traces: Vec<f64> = inverse.iter().map(|matrix| matrix[(0, 0)]).collect();
    /// assert_eq!(traces, [0.5, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn iter(&self) -> MatrixIter<'_, T> {
        MatrixIter::new(self, self.batch())
    }

    /// Matrix b, as a batch of one.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let device = Device::cpu();
    /// let inverse = device.invert(&Ragged::row_major(&[2.0, 0.0, 1.0, 1.0, 4.0], &[2, 1])?)?.matrices;
    /// assert_eq!(device.det(&inverse.one(0))?.sign, [1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn one(&self, b: usize) -> Batch<'_, T> {
        self.at(b).into()
    }

    /// All elements, matrix by matrix.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let inverse = Device::cpu().invert(&a)?.matrices;
    /// assert_eq!(inverse.as_slice(), [1.0, -1.0, -1.0, 2.0, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All elements, matrix by matrix.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let inverse = Device::cpu().invert(&a)?.matrices;
    /// assert_eq!(inverse.into_vec(), [1.0, -1.0, -1.0, 2.0, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// The batch as an input.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let inverse = Device::cpu().invert(&a)?.matrices;
    /// assert_eq!(Device::cpu().det(&inverse.view())?.sign, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn view(&self) -> Ragged<'_, T> {
        // Never written through.
        Ragged::new(spots(self.data.as_ptr().cast_mut(), &self.places))
    }

    /// The batch as an output.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let mut inverse = Device::cpu().invert(&a)?.matrices;
    /// Device::cpu().invert_in_place(&mut inverse.view_mut())?.check()?; // and back
    /// assert_eq!(inverse.as_slice(), [2.0, 1.0, 1.0, 1.0, 4.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn view_mut(&mut self) -> RaggedMut<'_, T> {
        RaggedMut::new(spots(self.data.as_mut_ptr(), &self.places))
    }
}

impl<T: Element> Index<(usize, usize, usize)> for RaggedMatrices<T> {
    type Output = T;

    /// Element (i, j) of matrix b, at (b, i, j).
    fn index(&self, (b, i, j): (usize, usize, usize)) -> &T {
        let Place { offset, shape, layout } = self.places[b];
        assert!(i < shape.rows && j < shape.cols, "no element ({b}, {i}, {j})");
        &self.data[offset + layout.at(0, i, j)]
    }
}

impl<T: Element> IndexMut<(usize, usize, usize)> for RaggedMatrices<T> {
    fn index_mut(&mut self, (b, i, j): (usize, usize, usize)) -> &mut T {
        let Place { offset, shape, layout } = self.places[b];
        assert!(i < shape.rows && j < shape.cols, "no element ({b}, {i}, {j})");
        &mut self.data[offset + layout.at(0, i, j)]
    }
}

impl<T: Element> Each<T> for RaggedMatrices<T> {
    fn matrix_ref(&self, b: usize) -> MatrixRef<'_, T> {
        self.at(b)
    }
}

impl<'a, T: Element> IntoIterator for &'a RaggedMatrices<T> {
    type Item = MatrixRef<'a, T>;
    type IntoIter = MatrixIter<'a, T>;

    fn into_iter(self) -> MatrixIter<'a, T> {
        self.iter()
    }
}

impl<T: Element> Unwritten<T> {
    /// Room for compact matrices of these sizes and layouts.
    pub(crate) fn new(matrices: impl Iterator<Item = (Shape, Layout)> + Clone) -> Result<Self> {
        let mut data = Fresh::new(total(matrices.clone().map(|(shape, _)| shape))?)?;
        let mut end = 0;
        let place = |(shape, layout): (Shape, Layout)| {
            let offset = end;
            end += shape.len();
            Place { offset, shape, layout }
        };
        let places: Vec<_> = matrices.map(place).collect();
        let spots = spots(data.as_mut_ptr(), &places);
        Ok(Self { data, places, spots })
    }

    /// The matrices.
    ///
    /// # Safety
    /// All of them have been written.
    pub(crate) unsafe fn written(self) -> RaggedMatrices<T> {
        // SAFETY: the caller's promise.
        RaggedMatrices { data: unsafe { self.data.written() }, places: self.places }
    }
}

fn spots<T: Element>(start: *mut T, places: &[Place]) -> Vec<Spot<T>> {
    places.iter().map(|place| Spot::new(start, place.offset, place.shape, place.layout)).collect()
}
