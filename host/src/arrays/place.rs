//! Where matrices of an array crate are, and what of them can be taken as it is.

use crate::batch::{Batch, BatchMut, check_sizes};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::{Layout, product};
use crate::ragged::{Shape, Spot, check_total};

/// Where matrices are: an address yet, as that of a [`Spot`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<T> {
    /// Element (0, 0) of matrix 0; aligned, though there be none.
    pub(super) start: *mut T,
    /// (batch, rows, columns).
    pub(super) size: (usize, usize, usize),
    /// From a matrix, a row and a column to the next, in elements.
    pub(super) strides: [isize; 3],
}

impl<T: Element> Place<T> {
    /// The same, from `start` on.
    pub(super) fn at(self, start: *mut T) -> Self {
        Self { start, ..self }
    }

    /// The matrices to read; a copy of them where they run backwards.
    ///
    /// # Safety
    /// They are there, and borrowed to be read, for the lifetime of the result.
    pub(super) unsafe fn batch<'a>(self) -> Result<Batch<'a, T>> {
        let (batch, rows, cols) = self.size;
        check_sizes(batch, rows, cols)?;
        match self.layout() {
            // SAFETY: the caller's promise.
            Some(layout) => Ok(unsafe { Batch::at(self.start, self.size, layout) }),
            // SAFETY: the caller's promise.
            None => Ok(Batch::owned(unsafe { self.copied()? }, self.size)),
        }
    }

    /// The matrices to write, if each element has a place of its own.
    ///
    /// # Safety
    /// They are there, and borrowed to be written, for the lifetime of the result.
    pub(super) unsafe fn batch_mut<'a>(self) -> Result<BatchMut<'a, T>> {
        let (batch, rows, cols) = self.size;
        check_sizes(batch, rows, cols)?;
        let layout = self.layout().ok_or_else(|| self.backwards())?;
        layout.check_apart(batch, rows, cols)?;
        // SAFETY: the caller's promise, and the check.
        Ok(unsafe { BatchMut::at(self.start, self.size, layout) })
    }

    /// The one matrix that this is, of a list.
    fn spot(&self) -> Result<Spot<T>> {
        let (_, rows, cols) = self.size;
        let layout = self.layout().ok_or_else(|| self.backwards())?;
        Ok(Spot::new(self.start, 0, Shape { rows, cols }, layout))
    }

    /// The layout, with the strides of compact matrices along axes that lead nowhere; none where it runs backwards.
    fn layout(&self) -> Option<Layout> {
        let (batch, rows, cols) = self.size;
        let compact = Layout::row_major(rows, cols);
        if batch == 0 || rows == 0 || cols == 0 {
            return Some(compact);
        }
        let of = |count: usize, stride: isize, compact| match count {
            1 => Some(compact),
            _ => usize::try_from(stride).ok(),
        };
        Some(Layout {
            batch_stride: of(batch, self.strides[0], compact.batch_stride)?,
            row_stride: of(rows, self.strides[1], compact.row_stride)?,
            col_stride: of(cols, self.strides[2], compact.col_stride)?,
        })
    }

    fn backwards(&self) -> Error {
        let [batch, row, col] = self.strides;
        Error::Shape(format!(
            "strides of ({batch}, {row}, {col}) lead backwards in memory: only a view that is read alone may do so, as \
             it is copied; turn the axis around, or give a copy"
        ))
    }

    /// The elements, row by row.
    ///
    /// # Safety
    /// They are there to be read.
    unsafe fn copied(&self) -> Result<Vec<T>> {
        let ((batch, rows, cols), [by_batch, by_row, by_col]) = (self.size, self.strides);
        let (mut data, len) = (Vec::new(), product(&[batch, rows, cols])?);
        data.try_reserve_exact(len).map_err(|_| Error::HostMemory { bytes: len.saturating_mul(size_of::<T>()) })?;
        for b in 0..batch as isize {
            for i in 0..rows as isize {
                let row = self.start.wrapping_offset(b * by_batch + i * by_row);
                // SAFETY: the caller's promise.
                data.extend((0..cols as isize).map(|j| unsafe { row.wrapping_offset(j * by_col).read() }));
            }
        }
        Ok(data)
    }
}

/// A list of matrices to read, each of them one.
pub(super) fn list<T: Element>(places: impl Iterator<Item = Place<T>>) -> Result<Vec<Spot<T>>> {
    let spots = places.enumerate().map(|(b, place)| place.spot().map_err(|error| told(b, &error)));
    let spots: Vec<_> = spots.collect::<Result<_>>()?;
    check_total(&spots)?;
    Ok(spots)
}

/// A list of matrices to write, borrowed each for itself, so that no two share an element.
pub(super) fn list_mut<T: Element>(places: impl Iterator<Item = Place<T>>) -> Result<Vec<Spot<T>>> {
    let spots = list(places)?;
    for (b, spot) in spots.iter().enumerate() {
        let Shape { rows, cols } = spot.shape;
        spot.layout().check_apart(1, rows, cols).map_err(|error| told(b, &error))?;
    }
    Ok(spots)
}

fn told(b: usize, error: &Error) -> Error {
    Error::Shape(format!("matrix {b}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(data: &mut [f64], first: usize, size: (usize, usize, usize), strides: [isize; 3]) -> Place<f64> {
        Place { start: data[first..].as_mut_ptr(), size, strides }
    }

    #[test]
    fn axes_of_one_have_the_strides_of_compact_matrices() {
        let data = &mut [0.0; 12];
        let layout = |size, strides| place(&mut [0.0; 12], 0, size, strides).layout().unwrap();
        assert_eq!(layout((1, 3, 4), [-7, 4, 1]), Layout::row_major(3, 4));
        assert_eq!(layout((1, 3, 4), [0, 1, 3]), Layout { batch_stride: 12, row_stride: 1, col_stride: 3 });
        assert_eq!(layout((2, 3, 1), [3, 1, 8]), Layout::row_major(3, 1));
        assert_eq!(layout((2, 1, 3), [3, -8, 1]), Layout::row_major(1, 3));
        assert_eq!(layout((5, 0, 3), [-3, -1, -1]), Layout::row_major(0, 3));
        assert_eq!(place(data, 0, (2, 3, 2), [-6, 2, 1]).layout(), None);
    }

    #[test]
    fn what_runs_backwards_is_copied_or_refused() {
        let data = &mut [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        // SAFETY: the places are within the array, which nobody else has.
        unsafe {
            let turned = place(data, 5, (1, 2, 3), [0, -3, -1]).batch().unwrap();
            assert_eq!((turned.get(0, 0, 0), turned.get(0, 1, 2)), (6.0, 1.0));
            let again = turned.clone();
            drop(turned);
            assert_eq!(again.get(0, 0, 2), 4.0);
            let told = place(data, 5, (1, 2, 3), [0, -3, -1]).batch_mut().unwrap_err().to_string();
            assert!(told.contains("(0, -3, -1) lead backwards in memory"), "{told}");
            let told = place(data, 0, (2, 2, 2), [2, 2, 1]).batch_mut().unwrap_err().to_string();
            assert!(told.contains("overlap"), "{told}");
            assert!(place(data, 0, (2, 2, 2), [0, 2, 1]).batch().is_ok());
            assert!(place(data, 0, (1, 1 << 21, 1), [0, 0, 0]).batch().is_err());
        }
        let one = |first, strides| place(&mut [0.0; 8], first, (1, 2, 2), strides);
        let told = list([one(0, [0, 2, 1]), one(3, [0, -2, 1])].into_iter()).unwrap_err().to_string();
        assert!(told.starts_with("matrix 1: strides of (0, -2, 1) lead backwards"), "{told}");
        assert!(list([one(0, [0, 0, 1])].into_iter()).is_ok());
        let told = list_mut([one(0, [0, 2, 1]), one(0, [0, 0, 1])].into_iter()).unwrap_err().to_string();
        assert!(told.starts_with("matrix 1: ") && told.contains("overlap"), "{told}");
    }
}
