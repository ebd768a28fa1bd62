//! Batches of matrices in device memory.

use std::sync::Arc;

use kernels_gpu::memory::matrix::Matrices;
use simt::Pod;

use super::slice::{DeviceSlice, DeviceSliceMut};
use super::uses::Allocation;
use crate::error::{Error, Result};
use crate::launch::matrices_at;
use crate::layout::{Layout, check_order};

/// A batch of matrices in device memory, to read.
#[derive(Debug)]
pub struct DeviceBatch<'a, T: Pod>(Placed<'a, T>);

/// A batch of matrices in device memory, to write or to work on in place.
#[derive(Debug)]
pub struct DeviceBatchMut<'a, T: Pod>(Placed<'a, T>);

/// A batch in a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a, T: Pod> {
    pub(super) matrices: Matrices<T>,
    pub(super) allocation: &'a Arc<Allocation>,
    pub(super) batch: usize,
    rows: usize,
    cols: usize,
}

impl<'a, T: Pod> DeviceBatch<'a, T> {
    /// `batch` matrices of `rows` x `cols` at the buffer's start, one after the other, each row by row.
    ///
    /// # Errors
    /// [`Error::Shape`] if the buffer is too small.
    pub fn c_order(buffer: impl Into<DeviceSlice<'a, T>>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        Self::strided(buffer, batch, rows, cols, Layout::c_order(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols` at the buffer's start, one after the other, each column by column.
    ///
    /// # Errors
    /// [`Error::Shape`] if the buffer is too small.
    pub fn column_major(buffer: impl Into<DeviceSlice<'a, T>>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        Self::strided(buffer, batch, rows, cols, Layout::column_major(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols` with the given strides.
    ///
    /// # Errors
    /// [`Error::Shape`] if the strides lead out of the buffer.
    pub fn strided(
        buffer: impl Into<DeviceSlice<'a, T>>,
        batch: usize,
        rows: usize,
        cols: usize,
        layout: Layout,
    ) -> Result<Self> {
        Placed::strided(buffer.into(), batch, rows, cols, layout).map(Self)
    }

    /// Matrices at the device addresses in `pointers`, one each; `layout.batch_stride` is not used.
    ///
    /// # Safety
    /// Each address is that of a matrix of that shape in memory of the device, which lives as long as work on it is
    /// under way, and which nobody writes meanwhile.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are fewer than `batch` pointers.
    pub unsafe fn pointers(
        pointers: impl Into<DeviceSlice<'a, u64>>,
        batch: usize,
        rows: usize,
        cols: usize,
        layout: Layout,
    ) -> Result<Self> {
        Placed::pointers(pointers.into(), batch, rows, cols, layout).map(Self)
    }

    pub(super) fn placed(&self) -> &Placed<'a, T> {
        &self.0
    }
}

impl<'a, T: Pod> DeviceBatchMut<'a, T> {
    /// `batch` matrices of `rows` x `cols` at the buffer's start, one after the other, each row by row.
    ///
    /// # Errors
    /// [`Error::Shape`] if the buffer is too small.
    pub fn c_order(buffer: impl Into<DeviceSliceMut<'a, T>>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        Self::strided(buffer, batch, rows, cols, Layout::c_order(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols` at the buffer's start, one after the other, each column by column.
    ///
    /// # Errors
    /// [`Error::Shape`] if the buffer is too small.
    pub fn column_major(
        buffer: impl Into<DeviceSliceMut<'a, T>>,
        batch: usize,
        rows: usize,
        cols: usize,
    ) -> Result<Self> {
        Self::strided(buffer, batch, rows, cols, Layout::column_major(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols` with the given strides.
    ///
    /// # Errors
    /// [`Error::Shape`] if the strides lead out of the buffer, or to an element twice.
    pub fn strided(
        buffer: impl Into<DeviceSliceMut<'a, T>>,
        batch: usize,
        rows: usize,
        cols: usize,
        layout: Layout,
    ) -> Result<Self> {
        layout.check_apart(batch, rows, cols)?;
        Placed::strided(buffer.into().inner(), batch, rows, cols, layout).map(Self)
    }

    /// Matrices at the device addresses in `pointers`, one each; `layout.batch_stride` is not used.
    ///
    /// # Safety
    /// Each address is that of a matrix of that shape in memory of the device, which lives as long as work on it is
    /// under way, and which nobody else touches meanwhile. The matrices do not overlap.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are fewer than `batch` pointers, or the strides lead to an element twice.
    pub unsafe fn pointers(
        pointers: impl Into<DeviceSlice<'a, u64>>,
        batch: usize,
        rows: usize,
        cols: usize,
        layout: Layout,
    ) -> Result<Self> {
        layout.check_apart(1, rows, cols)?;
        Placed::pointers(pointers.into(), batch, rows, cols, layout).map(Self)
    }

    pub(super) fn placed(&self) -> &Placed<'a, T> {
        &self.0
    }
}

impl<'a, T: Pod> Placed<'a, T> {
    fn strided(slice: DeviceSlice<'a, T>, batch: usize, rows: usize, cols: usize, layout: Layout) -> Result<Self> {
        check_order(rows, "rows")?;
        check_order(cols, "columns")?;
        if layout.span(batch, rows, cols).is_none_or(|span| span > slice.len()) {
            return Err(Error::Shape(format!(
                "{batch} matrices of {rows} x {cols} lead beyond a device buffer of {} elements",
                slice.len()
            )));
        }
        let matrices = matrices_at(slice.address(), layout);
        Ok(Self { matrices, allocation: slice.allocation, batch, rows, cols })
    }

    fn pointers(
        pointers: DeviceSlice<'a, u64>,
        batch: usize,
        rows: usize,
        cols: usize,
        layout: Layout,
    ) -> Result<Self> {
        check_order(rows, "rows")?;
        check_order(cols, "columns")?;
        let array = pointers.global_of(batch, "the array of pointers")?;
        let matrices = Matrices { pointers: array, ..matrices_at(0, layout) };
        Ok(Self { matrices, allocation: pointers.allocation, batch, rows, cols })
    }

    /// The matrices, if they are `batch` of `rows` x `cols`.
    pub(super) fn expect(&self, batch: usize, rows: usize, cols: usize, what: &str) -> Result<Matrices<T>> {
        if (self.batch, self.rows, self.cols) == (batch, rows, cols) {
            return Ok(self.matrices);
        }
        Err(Error::Shape(format!(
            "{what} must be {batch} matrices of {rows} x {cols}, as the plan and the other batches are, but is {} of \
             {} x {}",
            self.batch, self.rows, self.cols
        )))
    }
}
