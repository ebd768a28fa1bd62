//! Batches with strides, as the compact ones that chunks are.

use std::marker::PhantomData;

use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;

use super::place::{Drain, Feed};

/// Reads matrices of any layout as compact ones.
pub(super) struct Gather<'a, T> {
    pub(super) data: &'a [T],
    pub(super) layout: Layout,
    pub(super) compact: Layout,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

/// Writes compact matrices to those of any layout without overlaps; also reads them, to work in place.
#[derive(Clone)]
pub(super) struct Scatter<'a, T> {
    start: *mut T,
    len: usize,
    layout: Layout,
    compact: Layout,
    rows: usize,
    cols: usize,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: plain elements; each worker touches those of the chunks that it has taken, which the layout keeps apart.
unsafe impl<T: Element> Send for Scatter<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for Scatter<'_, T> {}

impl<'a, T: Element> Scatter<'a, T> {
    pub(super) fn new(data: &'a mut [T], layout: Layout, compact: Layout, rows: usize, cols: usize) -> Self {
        Self { start: data.as_mut_ptr(), len: data.len(), layout, compact, rows, cols, borrow: PhantomData }
    }

    /// A place within the borrowed elements.
    fn at(&self, place: usize) -> *mut T {
        assert!(place < self.len, "a chunk leaves its batch");
        self.start.wrapping_add(place)
    }
}

impl<T: Element> Feed for Gather<'_, T> {
    fn read(&self, first: usize, to: &mut [u8]) -> Result<()> {
        let places = Places::new(self.layout, self.compact, self.rows, self.cols, first / size_of::<T>());
        for (to, place) in to.chunks_exact_mut(size_of::<T>()).zip(places) {
            to.copy_from_slice(crate::element::bytes_of(&self.data[place..=place]));
        }
        Ok(())
    }
}

impl<T: Element> Feed for Scatter<'_, T> {
    fn read(&self, first: usize, to: &mut [u8]) -> Result<()> {
        let places = Places::new(self.layout, self.compact, self.rows, self.cols, first / size_of::<T>());
        for (to, place) in to.chunks_exact_mut(size_of::<T>()).zip(places) {
            // SAFETY: within the borrowed elements, of which no other worker writes those of this chunk.
            let element = unsafe { self.at(place).read() };
            to.copy_from_slice(crate::element::bytes_of(&[element]));
        }
        Ok(())
    }
}

impl<T: Element> Drain for Scatter<'_, T> {
    fn write(&self, first: usize, from: &[u8]) -> Result<()> {
        let places = Places::new(self.layout, self.compact, self.rows, self.cols, first / size_of::<T>());
        for (from, place) in from.chunks_exact(size_of::<T>()).zip(places) {
            let to = self.at(place).cast::<u8>();
            // SAFETY: within elements that are borrowed to be written, of which no other worker touches those of this
            // chunk.
            unsafe { to.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
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
        for compact in [Layout::c_order(rows, cols), Layout::column_major(rows, cols)] {
            let gather = Gather { data: &data, layout, compact, rows, cols };
            let mut whole = vec![0.0_f32; batch * rows * cols];
            gather.read(0, crate::element::bytes_of_mut(&mut whole)).unwrap();
            for (b, i, j) in (0..batch).flat_map(|b| (0..rows).flat_map(move |i| (0..cols).map(move |j| (b, i, j)))) {
                assert_eq!(whole[compact.at(b, i, j)], data[layout.at(b, i, j)]);
            }
            let mut back = vec![-1.0_f32; 200];
            let scatter = Scatter::new(&mut back, layout, compact, rows, cols);
            for first in (0..30).step_by(7) {
                let end = 30.min(first + 7);
                let mut part = vec![0.0_f32; end - first];
                gather.read(4 * first, crate::element::bytes_of_mut(&mut part)).unwrap();
                assert_eq!(part, whole[first..end]);
                scatter.write(4 * first, crate::element::bytes_of(&part)).unwrap();
                Feed::read(&scatter, 4 * first, crate::element::bytes_of_mut(&mut part)).unwrap();
                assert_eq!(part, whole[first..end]);
            }
            assert_eq!(back.iter().filter(|&&x| x >= 0.0).count(), 30);
        }
    }
}
