//! One matrix of a batch.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{Index, Range};

use crate::batch::Batch;
use crate::element::Element;
use crate::layout::Layout;

/// One matrix of a batch that a call returned, borrowed: compact, row by row or column by column.
///
/// ```
/// use warplu::{Batch, Device};
/// let inverses = Device::cpu().invert(&Batch::row_major(&[2.0, 0.0, 1.0, 1.0], 1, 2, 2)?)?.check()?;
/// for inverse in &inverses {
///     assert_eq!((inverse.rows(), inverse[(0, 0)], inverse.get(1, 0)), (2, 0.5, -0.5));
///     assert_eq!(inverse.to_vec(), [0.5, 0.0, -0.5, 1.0]);
/// }
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct MatrixRef<'a, T> {
    data: &'a [T],
    rows: usize,
    cols: usize,
    layout: Layout,
}

impl<'a, T: Element> MatrixRef<'a, T> {
    /// Of all elements that `data` holds.
    pub(crate) fn new(data: &'a [T], rows: usize, cols: usize, layout: Layout) -> Self {
        debug_assert_eq!(data.len(), rows * cols);
        Self { data, rows, cols, layout }
    }

    /// Rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Where the elements are in [`Self::as_slice`]; there is no use for the batch stride.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Whether the elements lie column by column, and not row by row. Of a vector both can be said.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let x = Device::cpu().invert(&Batch::column_major(&[2.0, 0.0, 0.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert!(x.at(0).is_column_major());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn is_column_major(&self) -> bool {
        self.layout.row_stride < self.layout.col_stride
    }

    /// Element (i, j).
    ///
    /// # Panics
    /// If there is no such element.
    #[must_use]
    pub fn get(&self, i: usize, j: usize) -> T {
        self[(i, j)]
    }

    /// The elements, row by row or column by column as [`Self::layout`] says.
    #[must_use]
    pub fn as_slice(&self) -> &'a [T] {
        self.data
    }

    /// A copy of the elements, row by row, whichever way they lie.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let x = Device::cpu().invert(&Batch::column_major(&[1.0, 0.0, -3.0, 1.0], 1, 2, 2)?)?.matrices;
    /// assert_eq!(x.at(0).as_slice(), [1.0, 0.0, 3.0, 1.0]);
    /// assert_eq!(x.at(0).to_vec(), [1.0, 3.0, 0.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        (0..self.rows).flat_map(|i| (0..self.cols).map(move |j| self[(i, j)])).collect()
    }
}

impl<T> Index<(usize, usize)> for MatrixRef<'_, T> {
    type Output = T;

    /// Element (i, j), at (i, j).
    fn index(&self, (i, j): (usize, usize)) -> &T {
        assert!(i < self.rows && j < self.cols, "no element ({i}, {j})");
        &self.data[self.layout.at(0, i, j)]
    }
}

impl<T: PartialEq> PartialEq for MatrixRef<'_, T> {
    /// Of one size, with the same elements, whichever way these lie.
    fn eq(&self, other: &Self) -> bool {
        let mut places = (0..self.rows).flat_map(|i| (0..self.cols).map(move |j| (i, j)));
        (self.rows, self.cols) == (other.rows, other.cols) && places.all(|place| self[place] == other[place])
    }
}

impl<T: fmt::Debug> fmt::Debug for MatrixRef<'_, T> {
    /// As rows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |i: usize| (0..self.cols).map(|j| &self[(i, j)]).collect::<Vec<_>>();
        f.debug_list().entries((0..self.rows).map(row)).finish()
    }
}

impl<'a, T: Element> From<MatrixRef<'a, T>> for Batch<'a, T> {
    /// A batch of one matrix.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let device = Device::cpu();
    /// let inverses = device.invert(&Batch::row_major(&[2.0, -4.0], 2, 1, 1)?)?.matrices;
    /// assert_eq!(device.det(&Batch::from(inverses.at(1)))?.sign, [-1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn from(matrix: MatrixRef<'a, T>) -> Self {
        let MatrixRef { data, rows, cols, layout } = matrix;
        // SAFETY: the elements are those of the slice.
        unsafe { Self::at(data.as_ptr(), (1, rows, cols), layout) }
    }
}

/// A batch that has its matrices one by one.
pub(crate) trait Each<T>: Sync {
    /// Matrix b.
    fn matrix_ref(&self, b: usize) -> MatrixRef<'_, T>;
}

/// The matrices of a batch that a call returned, one after the other.
#[derive(Clone)]
pub struct MatrixIter<'a, T> {
    of: &'a dyn Each<T>,
    rest: Range<usize>,
}

impl<'a, T> MatrixIter<'a, T> {
    pub(crate) fn new(of: &'a dyn Each<T>, batch: usize) -> Self {
        Self { of, rest: 0..batch }
    }
}

impl<T> fmt::Debug for MatrixIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MatrixIter").field(&self.rest).finish()
    }
}

impl<'a, T> Iterator for MatrixIter<'a, T> {
    type Item = MatrixRef<'a, T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rest.next().map(|b| self.of.matrix_ref(b))
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.rest.nth(n).map(|b| self.of.matrix_ref(b))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }
}

impl<T> DoubleEndedIterator for MatrixIter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.rest.next_back().map(|b| self.of.matrix_ref(b))
    }
}

impl<T> ExactSizeIterator for MatrixIter<'_, T> {}
impl<T> FusedIterator for MatrixIter<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrices;

    fn matrices(layout: Layout) -> Matrices<f64> {
        Matrices::new((0..18).map(f64::from).collect(), 3, 2, 3, layout)
    }

    #[test]
    fn matrices_are_iterated_from_both_ends() {
        let all = matrices(Layout::column_major(2, 3));
        let mut iter = all.iter();
        assert_eq!((iter.len(), format!("{iter:?}")), (3, "MatrixIter(0..3)".to_owned()));
        assert_eq!(iter.next_back().unwrap()[(1, 0)], 13.0);
        assert_eq!(iter.nth(1).unwrap()[(0, 1)], 8.0);
        assert!(iter.next().is_none() && iter.next_back().is_none());
        let sum: f64 = (&all).into_iter().map(|matrix| matrix.get(1, 2)).sum();
        assert_eq!(sum, 5.0 + 11.0 + 17.0);
        assert_eq!(Matrices::<f64>::new(vec![], 4, 0, 3, Layout::row_major(0, 3)).iter().count(), 4);
    }

    #[test]
    fn both_orders_have_the_same_elements() {
        let by_column = matrices(Layout::column_major(2, 3));
        let by_row = Matrices::new(by_column.clone().into_row_major().unwrap(), 3, 2, 3, Layout::row_major(2, 3));
        assert!(by_row.iter().eq(&by_column) && by_row != by_column);
        assert!(by_row.at(0) != by_column.at(1));
        assert_eq!(format!("{:?}", by_column.at(0)), "[[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]");
        assert_eq!(by_row.at(2).as_slice(), by_column.at(2).to_vec());
        let turned = Matrices::new(vec![0.0; 6], 1, 3, 2, Layout::row_major(3, 2));
        assert!(turned.at(0) != Matrices::new(vec![0.0; 6], 1, 2, 3, Layout::row_major(2, 3)).at(0));
    }

    #[test]
    #[should_panic(expected = "no element (2, 0)")]
    fn elements_beyond_the_last_row() {
        let _ = matrices(Layout::row_major(2, 3)).at(0).get(2, 0);
    }
}
