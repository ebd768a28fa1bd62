//! Views of a matrix, of any strides, that algorithms divide into parts.

use std::marker::PhantomData;
use std::ops::Index;

/// A matrix to read.
#[derive(Debug)]
pub(crate) struct MatRef<'a, T> {
    place: Place<T>,
    borrow: PhantomData<&'a T>,
}

/// A matrix to write, which nobody else reads meanwhile.
#[derive(Debug)]
pub(crate) struct MatMut<'a, T> {
    place: Place<T>,
    borrow: PhantomData<&'a mut T>,
}

/// Where a matrix is. Strides are from a row, or a column, to the next, in elements.
#[derive(Debug)]
struct Place<T> {
    start: *mut T,
    rows: usize,
    cols: usize,
    row_stride: isize,
    col_stride: isize,
}

// SAFETY: as a shared slice.
unsafe impl<T: Sync> Send for MatRef<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for MatRef<'_, T> {}
// SAFETY: as a slice that is borrowed to be written.
unsafe impl<T: Send> Send for MatMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for MatMut<'_, T> {}

impl<T> Clone for Place<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Place<T> {}

impl<T> Clone for MatRef<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for MatRef<'_, T> {}

impl<T> Place<T> {
    fn at(self, i: usize, j: usize) -> *mut T {
        self.start.wrapping_offset(i as isize * self.row_stride + j as isize * self.col_stride)
    }

    /// The parts above and below row `i`.
    fn split_at_row(self, i: usize) -> (Self, Self) {
        assert!(i <= self.rows, "a matrix is divided within its rows");
        (Self { rows: i, ..self }, Self { start: self.at(i, 0), rows: self.rows - i, ..self })
    }

    /// The parts before and from column `j` on.
    fn split_at_col(self, j: usize) -> (Self, Self) {
        assert!(j <= self.cols, "a matrix is divided within its columns");
        (Self { cols: j, ..self }, Self { start: self.at(0, j), cols: self.cols - j, ..self })
    }
}

impl<'a, T> MatRef<'a, T> {
    fn new(place: Place<T>) -> Self {
        Self { place, borrow: PhantomData }
    }

    /// The matrix at an address.
    ///
    /// # Safety
    /// Its elements are there, and nobody writes them for as long as the view lives.
    pub(crate) unsafe fn from_raw_parts(
        start: *const T,
        rows: usize,
        cols: usize,
        row_stride: isize,
        col_stride: isize,
    ) -> Self {
        Self::new(Place { start: start.cast_mut(), rows, cols, row_stride, col_stride })
    }

    /// Rows and columns.
    pub(crate) fn shape(self) -> (usize, usize) {
        (self.place.rows, self.place.cols)
    }

    pub(crate) fn nrows(self) -> usize {
        self.place.rows
    }

    pub(crate) fn ncols(self) -> usize {
        self.place.cols
    }

    pub(crate) fn row_stride(self) -> isize {
        self.place.row_stride
    }

    pub(crate) fn col_stride(self) -> isize {
        self.place.col_stride
    }

    pub(crate) fn as_ptr(self) -> *const T {
        self.place.start
    }

    pub(crate) fn transpose(self) -> Self {
        let Place { start, rows, cols, row_stride, col_stride } = self.place;
        Self::new(Place { start, rows: cols, cols: rows, row_stride: col_stride, col_stride: row_stride })
    }

    /// The parts above and below row `i`.
    pub(crate) fn split_at_row(self, i: usize) -> (Self, Self) {
        let (above, below) = self.place.split_at_row(i);
        (Self::new(above), Self::new(below))
    }

    /// The parts before and from column `j` on.
    pub(crate) fn split_at_col(self, j: usize) -> (Self, Self) {
        let (left, right) = self.place.split_at_col(j);
        (Self::new(left), Self::new(right))
    }

    /// The four parts before and from row `i` and column `j` on, row by row.
    pub(crate) fn split_at(self, i: usize, j: usize) -> (Self, Self, Self, Self) {
        let (above, below) = self.split_at_row(i);
        let ((a11, a12), (a21, a22)) = (above.split_at_col(j), below.split_at_col(j));
        (a11, a12, a21, a22)
    }
}

impl<T> Index<(usize, usize)> for MatRef<'_, T> {
    type Output = T;

    fn index(&self, (i, j): (usize, usize)) -> &T {
        assert!(i < self.place.rows && j < self.place.cols, "element ({i}, {j}) is not in the matrix");
        // SAFETY: an element of the matrix, which is borrowed.
        unsafe { &*self.place.at(i, j) }
    }
}

impl<'a, T> MatMut<'a, T> {
    fn new(place: Place<T>) -> Self {
        Self { place, borrow: PhantomData }
    }

    /// The matrix at an address.
    ///
    /// # Safety
    /// Its elements are there, each at a place of its own, and nobody else touches them for as long as the view lives.
    pub(crate) unsafe fn from_raw_parts_mut(
        start: *mut T,
        rows: usize,
        cols: usize,
        row_stride: isize,
        col_stride: isize,
    ) -> Self {
        Self::new(Place { start, rows, cols, row_stride, col_stride })
    }

    /// The same matrix, to read for a while.
    pub(crate) fn rb(&self) -> MatRef<'_, T> {
        MatRef::new(self.place)
    }

    /// The same matrix, to write for a while.
    pub(crate) fn rb_mut(&mut self) -> MatMut<'_, T> {
        MatMut::new(self.place)
    }

    /// The same matrix, to read from now on.
    pub(crate) fn into_const(self) -> MatRef<'a, T> {
        MatRef::new(self.place)
    }

    /// Rows and columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        self.rb().shape()
    }

    pub(crate) fn nrows(&self) -> usize {
        self.place.rows
    }

    pub(crate) fn ncols(&self) -> usize {
        self.place.cols
    }

    pub(crate) fn row_stride(&self) -> isize {
        self.place.row_stride
    }

    pub(crate) fn col_stride(&self) -> isize {
        self.place.col_stride
    }

    pub(crate) fn as_ptr_mut(&self) -> *mut T {
        self.place.start
    }

    /// The parts above and below row `i`.
    pub(crate) fn split_at_row_mut(self, i: usize) -> (Self, Self) {
        let (above, below) = self.place.split_at_row(i);
        (Self::new(above), Self::new(below))
    }

    /// The parts before and from column `j` on.
    pub(crate) fn split_at_col_mut(self, j: usize) -> (Self, Self) {
        let (left, right) = self.place.split_at_col(j);
        (Self::new(left), Self::new(right))
    }

    /// The four parts before and from row `i` and column `j` on, row by row.
    pub(crate) fn split_at_mut(self, i: usize, j: usize) -> (Self, Self, Self, Self) {
        let (above, below) = self.split_at_row_mut(i);
        let ((a11, a12), (a21, a22)) = (above.split_at_col_mut(j), below.split_at_col_mut(j));
        (a11, a12, a21, a22)
    }

    /// Calls a function with each element, column by column.
    pub(crate) fn for_each(&mut self, mut f: impl FnMut(&mut T)) {
        let Place { rows, cols, .. } = self.place;
        for j in 0..cols {
            for i in 0..rows {
                // SAFETY: an element of the matrix, which is borrowed to be written.
                f(unsafe { &mut *self.place.at(i, j) });
            }
        }
    }

    /// Writes one value to each element.
    pub(crate) fn fill(&mut self, value: T)
    where
        T: Copy,
    {
        self.for_each(|x| *x = value);
    }

    /// Writes one value to each element of the diagonal.
    pub(crate) fn fill_diagonal(&mut self, value: T)
    where
        T: Copy,
    {
        let Place { rows, cols, .. } = self.place;
        for k in 0..rows.min(cols) {
            // SAFETY: an element of the matrix, which is borrowed to be written.
            unsafe { self.place.at(k, k).write(value) };
        }
    }
}
