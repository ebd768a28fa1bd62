//! Batches with strides, as the compact ones that chunks are.

use std::marker::PhantomData;

use simt::Pod;

use crate::error::Result;
use crate::layout::Layout;

use super::place::{Drain, Feed};

/// Elements of the caller from `start` on, of which a batch in some layout takes the first to the last of `len`.
#[derive(Debug)]
struct Elements<'a, T> {
    start: *mut T,
    len: usize,
    layout: Layout,
    compact: Layout,
    rows: usize,
    cols: usize,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Elements<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Elements<'_, T> {}

// SAFETY: plain elements; each worker touches those of the chunks that it has taken, which the layout keeps apart where
// they are written.
unsafe impl<T: Pod> Send for Elements<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Pod> Sync for Elements<'_, T> {}

impl<T: Pod> Elements<'_, T> {
    fn new(start: *mut T, (batch, rows, cols): (usize, usize, usize), layout: Layout, compact: Layout) -> Self {
        let len = layout.span(batch, rows, cols).unwrap_or(0);
        Self { start, len, layout, compact, rows, cols, borrow: PhantomData }
    }

    /// Those from byte `first` of the compact layout on.
    fn from(&self, first: usize) -> impl Iterator<Item = *mut T> {
        let places = Places::new(self.layout, self.compact, self.rows, self.cols, first / size_of::<T>());
        places.map(|place| {
            assert!(place < self.len, "a chunk leaves its batch");
            self.start.wrapping_add(place)
        })
    }

    fn read(&self, first: usize, to: &mut [u8]) {
        for (to, from) in to.chunks_exact_mut(size_of::<T>()).zip(self.from(first)) {
            // SAFETY: an element of the batch, of which no other worker writes those of this chunk.
            to.copy_from_slice(crate::element::bytes_of(&[unsafe { from.read() }]));
        }
    }
}

/// Reads matrices of any layout as compact ones.
pub(super) struct Gather<'a, T>(Elements<'a, T>);

/// Writes compact matrices to those of any layout without overlaps.
pub(super) struct Scatter<'a, T>(Elements<'a, T>);

impl<T: Pod> Gather<'_, T> {
    /// Of shape (batch, rows, columns) from `start` on.
    ///
    /// # Safety
    /// Its elements are there as long as this is, and nobody writes them but the call that reads them, each chunk after it
    /// has read that.
    pub(super) unsafe fn new(start: *const T, size: (usize, usize, usize), layout: Layout, compact: Layout) -> Self {
        Self(Elements::new(start.cast_mut(), size, layout, compact))
    }
}

impl<T: Pod> Scatter<'_, T> {
    /// Of shape (batch, rows, columns) from `start` on.
    ///
    /// # Safety
    /// Its elements are there as long as this is, and nobody but the call touches them.
    pub(super) unsafe fn new(start: *mut T, size: (usize, usize, usize), layout: Layout, compact: Layout) -> Self {
        Self(Elements::new(start, size, layout, compact))
    }
}

impl<T: Pod> Feed for Gather<'_, T> {
    fn read(&self, first: usize, to: &mut [u8]) -> Result<()> {
        self.0.read(first, to);
        Ok(())
    }
}

impl<T: Pod> Drain for Scatter<'_, T> {
    fn write(&self, first: usize, from: &[u8]) -> Result<()> {
        for (from, to) in from.chunks_exact(size_of::<T>()).zip(self.0.from(first)) {
            // SAFETY: an element of a batch that is borrowed to be written, of which no other worker touches those of
            // this chunk.
            unsafe { to.cast::<u8>().copy_from_nonoverlapping(from.as_ptr(), from.len()) };
        }
        Ok(())
    }
}

/// The places of elements in the order of the compact layout.
pub(super) struct Places {
    layout: Layout,
    /// Strides along the compact layout's inner and outer axis, and how long these are.
    inner: (usize, usize),
    outer: (usize, usize),
    /// Indices of the next element: matrix, outer, inner.
    at: (usize, usize, usize),
}

impl Places {
    pub(super) fn new(layout: Layout, compact: Layout, rows: usize, cols: usize, first: usize) -> Self {
        let (down, along) = ((layout.row_stride, rows), (layout.col_stride, cols));
        let by_columns = compact == Layout::column_major(rows, cols);
        let (inner, outer) = if by_columns { (down, along) } else { (along, down) };
        let each = inner.1 * outer.1;
        let at = (first / each, first % each / inner.1, first % inner.1);
        Self { layout, inner, outer, at }
    }
}

impl Iterator for Places {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let (matrix, outer, inner) = &mut self.at;
        let place = *matrix * self.layout.batch_stride + *outer * self.outer.0 + *inner * self.inner.0;
        *inner += 1;
        if *inner == self.inner.1 {
            (*inner, *outer) = (0, *outer + 1);
            if *outer == self.outer.1 {
                (*outer, *matrix) = (0, *matrix + 1);
            }
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_range_is_gathered_and_scattered() {
        let (batch, rows, cols) = (3, 2, 5);
        let layout = Layout { batch_stride: 40, row_stride: 20, col_stride: 3 };
        let data: Vec<f32> = (0..200).map(|x| x as f32).collect();
        for compact in [Layout::row_major(rows, cols), Layout::column_major(rows, cols)] {
            // SAFETY: the strides lead to no element beyond 180.
            let gather = unsafe { Gather::new(data.as_ptr(), (batch, rows, cols), layout, compact) };
            let mut whole = vec![0.0_f32; batch * rows * cols];
            gather.read(0, crate::element::bytes_of_mut(&mut whole)).unwrap();
            for (b, i, j) in (0..batch).flat_map(|b| (0..rows).flat_map(move |i| (0..cols).map(move |j| (b, i, j)))) {
                assert_eq!(whole[compact.at(b, i, j)], data[layout.at(b, i, j)]);
            }
            let mut back = vec![-1.0_f32; 200];
            // SAFETY: as above.
            let scatter = unsafe { Scatter::new(back.as_mut_ptr(), (batch, rows, cols), layout, compact) };
            for first in (0..30).step_by(7) {
                let end = 30.min(first + 7);
                let mut part = vec![0.0_f32; end - first];
                gather.read(4 * first, crate::element::bytes_of_mut(&mut part)).unwrap();
                assert_eq!(part, whole[first..end]);
                scatter.write(4 * first, crate::element::bytes_of(&part)).unwrap();
            }
            let element = |(place, (back, x)): (usize, (&f32, &f32))| {
                let (b, i, j) = (place / 40, place % 40 / 20, place % 20);
                let is_one = b < batch && j % 3 == 0 && j / 3 < cols && i < rows;
                assert_eq!(*back, if is_one { *x } else { -1.0 }, "{place}");
            };
            back.iter().zip(&data).enumerate().for_each(element);
        }
    }
}
