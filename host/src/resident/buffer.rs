//! Device memory, and batches of matrices in it.

use std::marker::PhantomData;

use kernels_gpu::matrix::Matrices;
use simt::Pod;
use simt::global::Global;

use crate::device::Device;
use crate::element::{bytes_of, bytes_of_mut};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::machine::{Machine, Memory};

/// `len` elements of device memory.
#[derive(Debug)]
pub struct DeviceBuffer<T> {
    machine: Machine,
    pub(super) memory: Memory,
    len: usize,
    element: PhantomData<T>,
}

impl Device {
    /// Device memory for `len` elements, not yet written.
    ///
    /// ```
    /// let buffer = warplu::Device::sim().buffer::<f32>(100)?;
    /// assert_eq!(buffer.len(), 100);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the CPU; the driver's error when there is no memory.
    pub fn buffer<T: Pod>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        let machine = self.machine()?.clone();
        let bytes = len
            .checked_mul(size_of::<T>())
            .ok_or_else(|| Error::Shape(format!("a buffer of {len} elements is too large")))?;
        Ok(DeviceBuffer { memory: machine.allocate(bytes.max(1))?, machine, len, element: PhantomData })
    }

    /// Device memory with a copy of `data`.
    ///
    /// ```
    /// let buffer = warplu::Device::sim().upload(&[1.0, 2.0])?;
    /// assert_eq!(buffer.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::buffer`].
    pub fn upload<T: Pod>(&self, data: &[T]) -> Result<DeviceBuffer<T>> {
        let buffer = self.buffer(data.len())?;
        buffer.copy_from(data)?;
        Ok(buffer)
    }
}

impl<T: Pod> DeviceBuffer<T> {
    /// Elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device address of element 0, a `CUdeviceptr`.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.memory.address()
    }

    /// Overwrites the buffer with `data`, and waits.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `data` is as long as the buffer.
    pub fn copy_from(&self, data: &[T]) -> Result<()> {
        self.same_length(data.len())?;
        let queue = self.machine.queue()?;
        // SAFETY: waits for the copy.
        unsafe { self.machine.upload(&queue, &self.memory, 0, bytes_of(data))? };
        queue.synchronize()
    }

    /// Copies the buffer to `data`, and waits. Work on a stream that fills the buffer must be done.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `data` is as long as the buffer.
    pub fn copy_to(&self, data: &mut [T]) -> Result<()> {
        self.same_length(data.len())?;
        let queue = self.machine.queue()?;
        // SAFETY: waits for the copy.
        unsafe { self.machine.download(&queue, &self.memory, 0, bytes_of_mut(data))? };
        queue.synchronize()
    }

    /// The elements, copied as by [`Self::copy_to`].
    ///
    /// # Errors
    /// The driver's.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        // SAFETY: plain values; zero bytes are one.
        let zero: T = unsafe { std::mem::zeroed() };
        let mut data = vec![zero; self.len];
        self.copy_to(&mut data)?;
        Ok(data)
    }

    fn same_length(&self, len: usize) -> Result<()> {
        if len == self.len {
            return Ok(());
        }
        Err(Error::Shape(format!("a slice of {len} elements does not fit a device buffer of {}", self.len)))
    }

    pub(crate) fn global(&self) -> Global<T> {
        // SAFETY: an address of this machine; plans check the sizes.
        unsafe { Global::new(self.address()) }
    }

    /// The buffer's array, if it holds at least `len` elements.
    pub(crate) fn global_of(&self, len: usize, what: &str) -> Result<Global<T>> {
        if self.len < len {
            return Err(Error::Shape(format!("{what} needs {len} elements, but the buffer holds {}", self.len)));
        }
        Ok(self.global())
    }
}

/// A batch of matrices in device memory.
#[derive(Debug)]
pub struct DeviceBatch<'a, T: Pod> {
    pub(crate) matrices: Matrices<T>,
    pub(crate) batch: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    buffer: PhantomData<&'a DeviceBuffer<T>>,
}

impl<'a, T: Pod> DeviceBatch<'a, T> {
    /// `batch` matrices of `rows` x `cols` at the buffer's start, one after the other, each row by row.
    ///
    /// # Errors
    /// [`Error::Shape`] if the buffer is too small.
    pub fn c_order(buffer: &'a DeviceBuffer<T>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        Self::strided(buffer, batch, rows, cols, Layout::c_order(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols` at the buffer's start, one after the other, each column by column.
    ///
    /// # Errors
    /// [`Error::Shape`] if the buffer is too small.
    pub fn column_major(buffer: &'a DeviceBuffer<T>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        Self::strided(buffer, batch, rows, cols, Layout::column_major(rows, cols))
    }

    /// `batch` matrices of `rows` x `cols` with the given strides. Outputs must not overlap themselves.
    ///
    /// # Errors
    /// [`Error::Shape`] if the strides lead out of the buffer.
    pub fn strided(
        buffer: &'a DeviceBuffer<T>,
        batch: usize,
        rows: usize,
        cols: usize,
        layout: Layout,
    ) -> Result<Self> {
        match layout.span(batch, rows, cols) {
            Some(span) if span <= buffer.len => {}
            _ => {
                return Err(Error::Shape(format!(
                    "{batch} matrices of {rows} x {cols} lead beyond a device buffer of {} elements",
                    buffer.len
                )));
            }
        }
        Ok(Self { matrices: matrices_at(buffer.address(), layout), batch, rows, cols, buffer: PhantomData })
    }

    /// Matrices at the device addresses in `pointers`, one each; `layout.batch_stride` is not used.
    ///
    /// # Safety
    /// Each address is that of a matrix of that shape in memory of the device, which lives as long as work on it is
    /// under way; outputs do not overlap.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are fewer than `batch` pointers.
    pub unsafe fn pointers(
        pointers: &'a DeviceBuffer<u64>,
        batch: usize,
        rows: usize,
        cols: usize,
        layout: Layout,
    ) -> Result<Self> {
        let array = pointers.global_of(batch, "the array of pointers")?;
        let matrices = Matrices { pointers: array, ..matrices_at(0, layout) };
        Ok(Self { matrices, batch, rows, cols, buffer: PhantomData })
    }

    /// Checks that this is a batch of `batch` matrices of `rows` x `cols`.
    pub(crate) fn expect(&self, batch: usize, rows: usize, cols: usize, what: &str) -> Result<Matrices<T>> {
        if (self.batch, self.rows, self.cols) == (batch, rows, cols) {
            return Ok(self.matrices);
        }
        Err(Error::Shape(format!(
            "{what}: the plan is for {batch} matrices of {rows} x {cols}, not for {} of {} x {}",
            self.batch, self.rows, self.cols
        )))
    }
}

/// Matrices from `address` on.
pub(crate) fn matrices_at<T: Pod>(address: u64, layout: Layout) -> Matrices<T> {
    // SAFETY: addresses of this machine; whoever makes a batch of them checks the sizes.
    let (base, pointers) = unsafe { (Global::new(address), Global::new(0)) };
    Matrices {
        base,
        pointers,
        batch_stride: layout.batch_stride as i64,
        row_stride: layout.row_stride as i64,
        col_stride: layout.col_stride as i64,
    }
}
