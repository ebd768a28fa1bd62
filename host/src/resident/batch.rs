//! Batches of matrices in device memory.

use std::sync::Arc;

use numbers::matrix::Matrices;
use simt::Pod;

use super::slice::{DeviceSlice, DeviceSliceMut};
use super::uses::Allocation;
use crate::error::{Error, Result};
use crate::launch::matrices_at;
use crate::layout::{Layout, check_order};

/// A batch of matrices in device memory, to read.
///
/// ```
/// use warplu::resident::DeviceBatch;
/// use warplu::{Device, Layout};
/// let a = Device::cpu().upload(&[1.0, 2.0, 3.0, 4.0])?;
/// let one = DeviceBatch::row_major(&a, 1, 2, 2)?;
/// let columns = DeviceBatch::strided(&a, 2, 2, 1, Layout { batch_stride: 1, row_stride: 2, col_stride: 1 })?;
/// # let _ = (one, columns);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceBatch<'a, T: Pod>(Placed<'a, T>);

/// A batch of matrices in device memory, to write or to work on in place.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan, Size, of};
/// let device = Device::cpu();
/// let (a, mut x, mut status) = (device.upload(&[2.0, 4.0])?, device.buffer::<f64>(2)?, device.buffer(2)?);
/// let (a, mut to) = (DeviceBatch::row_major(&a, 2, 1, 1)?, DeviceBatchMut::row_major(&mut x, 2, 1, 1)?);
/// let plan = InversePlan::<f64>::new(&device, Size::order(1).batch(2))?;
/// plan.run(&device.stream()?, of::Inverse { a: &a, inverse: &mut to, status: &mut status })?;
/// assert_eq!(x.to_vec()?, [0.5, 0.25]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceBatchMut<'a, T: Pod>(Placed<'a, T>);

/// A batch in a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a, T: Pod> {
    pub(super) matrices: Matrices<T>,
    pub(super) allocation: &'a Arc<Allocation>,
    pub(super) batch: usize,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

impl<'a, T: Pod> DeviceBatch<'a, T> {
    /// `batch` matrices of `rows` x `cols` at the buffer's start, one after the other, each row by row.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::DeviceBatch;
    /// let a = Device::cpu().upload(&[0.0; 8])?;
    /// assert!(DeviceBatch::row_major(&a, 2, 2, 2).is_ok());
    /// assert!(DeviceBatch::row_major(&a, 3, 2, 2).is_err()); // the buffer is too small
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the buffer is too small.
    pub fn row_major(buffer: impl Into<DeviceSlice<'a, T>>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        Self::strided(buffer, batch, rows, cols, Layout::row_major(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols` at the buffer's start, one after the other, each column by column.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::DeviceBatch;
    /// let a = Device::cpu().upload(&[0.0; 8])?;
    /// assert!(DeviceBatch::column_major(&a, 2, 2, 2).is_ok());
    /// assert!(DeviceBatch::column_major(&a, 3, 2, 2).is_err()); // the buffer is too small
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the buffer is too small.
    pub fn column_major(buffer: impl Into<DeviceSlice<'a, T>>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        Self::strided(buffer, batch, rows, cols, Layout::column_major(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols` with the given strides.
    ///
    /// ```
    /// # use warplu::resident::DeviceBatch;
    /// # use warplu::{Device, Layout};
    /// // The upper left 2 x 2 corner of a 3 x 3 matrix.
    /// let a = Device::cpu().upload(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])?;
    /// let corner = DeviceBatch::strided(&a, 1, 2, 2, Layout { batch_stride: 9, row_stride: 3, col_stride: 1 })?;
    /// # let _ = corner;
    /// # Ok::<(), warplu::Error>(())
    /// ```
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
    /// ```
    /// # use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan, Size, of};
    /// # use warplu::{Device, Layout};
    /// let device = Device::cpu();
    /// let (one, other) = (device.upload(&[2.0])?, device.upload(&[4.0])?);
    /// let (mut x, mut status) = (device.buffer::<f64>(2)?, device.buffer(2)?);
    /// let pointers = device.upload(&[one.address(), other.address()])?;
    /// // SAFETY: both are matrices of order 1, which outlive the work.
    /// let a = unsafe { DeviceBatch::pointers(&pointers, 2, 1, 1, Layout::row_major(1, 1))? };
    /// let mut to = DeviceBatchMut::row_major(&mut x, 2, 1, 1)?;
    /// let plan = InversePlan::<f64>::new(&device, Size::order(1).batch(2))?;
    /// plan.run(&device.stream()?, of::Inverse { a: &a, inverse: &mut to, status: &mut status })?;
    /// assert_eq!(x.to_vec()?, [0.5, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
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
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::DeviceBatchMut;
    /// let mut a = Device::cpu().upload(&[0.0; 8])?;
    /// assert!(DeviceBatchMut::row_major(&mut a, 2, 2, 2).is_ok());
    /// assert!(DeviceBatchMut::row_major(&mut a, 3, 2, 2).is_err()); // the buffer is too small
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the buffer is too small.
    pub fn row_major(buffer: impl Into<DeviceSliceMut<'a, T>>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        Self::strided(buffer, batch, rows, cols, Layout::row_major(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols` at the buffer's start, one after the other, each column by column.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::DeviceBatchMut;
    /// let mut a = Device::cpu().upload(&[0.0; 8])?;
    /// assert!(DeviceBatchMut::column_major(&mut a, 2, 2, 2).is_ok());
    /// assert!(DeviceBatchMut::column_major(&mut a, 3, 2, 2).is_err()); // the buffer is too small
    /// # Ok::<(), warplu::Error>(())
    /// ```
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
    /// ```
    /// # use warplu::resident::DeviceBatchMut;
    /// # use warplu::{Device, Layout};
    /// let mut a = Device::cpu().upload(&[0.0; 4])?;
    /// let twice = Layout { batch_stride: 0, row_stride: 2, col_stride: 1 };
    /// assert!(DeviceBatchMut::strided(&mut a, 2, 2, 2, twice).is_err()); // two matrices in one place
    /// # Ok::<(), warplu::Error>(())
    /// ```
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
    /// ```
    /// # use warplu::resident::{DeviceBatchMut, InPlace, InversePlan, Size, of};
    /// # use warplu::{Device, Layout};
    /// let device = Device::cpu();
    /// let (one, other, mut status) = (device.upload(&[2.0_f64])?, device.upload(&[4.0_f64])?, device.buffer(2)?);
    /// let pointers = device.upload(&[one.address(), other.address()])?;
    /// // SAFETY: both are matrices of order 1, which outlive the work, and which nobody else touches.
    /// let mut a = unsafe { DeviceBatchMut::pointers(&pointers, 2, 1, 1, Layout::row_major(1, 1))? };
    /// let plan = InversePlan::<f64>::new(&device, Size::order(1).batch(2))?;
    /// plan.run(&device.stream()?, of::Inverse { a: InPlace, inverse: &mut a, status: &mut status })?;
    /// assert_eq!((one.to_vec()?, other.to_vec()?), (vec![0.5], vec![0.25]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
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
}
