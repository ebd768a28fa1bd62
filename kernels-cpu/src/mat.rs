//! Matrices that own their elements, column by column: what verification and tests compute in.

use std::ops::{Index, IndexMut, Sub};

use rayon::prelude::*;
use simt::cpu::threads;

/// Elements that a thread makes at least.
const TOGETHER: usize = 1 << 14;

/// A matrix of shape (rows, columns).
#[derive(Clone, Debug, PartialEq)]
pub struct Mat<T> {
    rows: usize,
    cols: usize,
    elements: Vec<T>,
}

impl<T> Mat<T> {
    /// Of element (i, j) = `f(i, j)`.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> T) -> Self {
        let mut elements = Vec::with_capacity(rows * cols);
        for j in 0..cols {
            elements.extend((0..rows).map(|i| f(i, j)));
        }
        Self { rows, cols, elements }
    }

    /// Rows.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.rows
    }

    /// Columns.
    #[must_use]
    pub fn ncols(&self) -> usize {
        self.cols
    }

    /// Shape (columns, rows).
    pub fn elements(&self) -> &[T] {
        &self.elements
    }

    /// As [`Self::elements`].
    pub fn elements_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }

    fn place(&self, (i, j): (usize, usize)) -> usize {
        assert!(i < self.rows && j < self.cols, "element ({i}, {j}) is not in the matrix");
        j * self.rows + i
    }
}

impl<T: Send> Mat<T> {
    /// As [`Self::from_fn`], by many threads. Through a pointer, so that rayon's machinery is compiled once per type.
    pub fn par_from_fn(rows: usize, cols: usize, f: &(dyn Fn(usize, usize) -> T + Sync)) -> Self {
        let all = || (0..rows * cols).into_par_iter().with_min_len(TOGETHER).map(|e| f(e % rows, e / rows)).collect();
        let elements = threads::run(all);
        Self { rows, cols, elements }
    }
}

impl<T: Copy + Send + Sync> Mat<T> {
    /// `self - other`, which has this shape, too.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self
    where
        T: Sub<Output = T>,
    {
        Self::par_from_fn(self.rows, self.cols, &|i, j| self[(i, j)] - other[(i, j)])
    }

    /// The transposed matrix.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::par_from_fn(self.cols, self.rows, &|i, j| self[(j, i)])
    }
}

impl<T> Index<(usize, usize)> for Mat<T> {
    type Output = T;

    fn index(&self, at: (usize, usize)) -> &T {
        &self.elements[self.place(at)]
    }
}

impl<T> IndexMut<(usize, usize)> for Mat<T> {
    fn index_mut(&mut self, at: (usize, usize)) -> &mut T {
        let place = self.place(at);
        &mut self.elements[place]
    }
}
