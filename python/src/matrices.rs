//! Batches of matrices at addresses.

use std::ptr;
use std::slice;

use pyo3::prelude::*;
use warplu::resident::DeviceBuffer;
use warplu::{Batch, BatchMut, Device, Element, Error, Layout, Pod};

/// A batch of matrices: where its first element is, how many there are, their size, and strides in elements.
#[pyclass(frozen, eq, from_py_object, module = "warplu._warplu")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Matrices {
    address: usize,
    /// How many there are, their rows, their columns.
    sizes: [usize; 3],
    /// From each to the next.
    strides: [usize; 3],
}

#[pymethods]
impl Matrices {
    /// A stack of some shape, in C order.
    #[staticmethod]
    fn compact(address: usize, batch: Vec<isize>, rows: isize, cols: isize) -> Self {
        Self::compact_of(address, &batch, rows, cols)
    }

    /// Whether each is in C order by itself.
    #[getter]
    fn has_compact_rows(&self) -> bool {
        let [_, rows, cols] = self.sizes;
        rows == 0 || cols == 0 || self.strides[1..] == [cols, 1]
    }

    /// Whether no two elements share a place, in the order that the library looks for.
    fn is_apart(&self) -> bool {
        let mut axes = self.axes();
        axes.sort_unstable();
        let mut reach = 0_usize;
        axes.into_iter().filter(|&(_, count)| count > 1).all(|(stride, count)| {
            let is_apart = stride > reach;
            reach = reach.saturating_add(stride.saturating_mul(count - 1));
            is_apart
        })
    }

    /// Whether the memory from the first element to the last, of so many bytes each, overlaps that of others.
    fn overlaps(&self, bytes: usize, other: &Self, other_bytes: usize) -> bool {
        let ends = |m: &Self, bytes: usize| (m.address, m.address.saturating_add(m.reach().saturating_mul(bytes)));
        let ((first, end), (start, stop)) = (ends(self, bytes), ends(other, other_bytes));
        first < stop && start < end
    }
}

impl Matrices {
    /// Sizes and strides are those of an array, and none is negative.
    pub(crate) fn new(address: usize, sizes: [isize; 3], strides: [isize; 3]) -> Self {
        Self { address, sizes: sizes.map(isize::unsigned_abs), strides: strides.map(isize::unsigned_abs) }
    }

    pub(crate) fn compact_of(address: usize, batch: &[isize], rows: isize, cols: isize) -> Self {
        // Too large only for what has no elements.
        let count = batch.iter().fold(1, |count: isize, &len| count.wrapping_mul(len));
        Self::new(address, [count, rows, cols], [rows.wrapping_mul(cols), cols, 1])
    }

    pub(crate) fn address(&self) -> usize {
        self.address
    }

    pub(crate) fn batch(&self) -> usize {
        self.sizes[0]
    }

    pub(crate) fn rows(&self) -> usize {
        self.sizes[1]
    }

    pub(crate) fn cols(&self) -> usize {
        self.sizes[2]
    }

    pub(crate) fn layout(&self) -> Layout {
        let [batch_stride, row_stride, col_stride] = self.strides;
        Layout { batch_stride, row_stride, col_stride }
    }

    /// Whether they are where others are, if there are any at all: what has no elements may be anywhere.
    pub(crate) fn is_in_place_of(&self, other: &Self) -> bool {
        self == other && self.sizes.iter().all(|&size| size > 0)
    }

    /// The diagonal of matrix b, given all elements.
    pub(crate) fn diagonal<'a, T>(&self, elements: &'a [T], b: usize) -> impl Iterator<Item = &'a T> {
        let [batch_stride, row_stride, col_stride] = self.strides;
        let len = self.rows().min(self.cols());
        let from_b = if len == 0 { &[] } else { &elements[b * batch_stride..] };
        from_b.iter().step_by((row_stride + col_stride).max(1)).take(len)
    }

    /// Strides, and how often they are taken.
    fn axes(&self) -> [(usize, usize); 3] {
        std::array::from_fn(|axis| (self.strides[axis], self.sizes[axis]))
    }

    /// As [`span`](Self::span), or as much as there could be.
    fn reach(&self) -> usize {
        self.span().unwrap_or(usize::MAX)
    }

    /// Elements from the first to one past the last.
    pub(crate) fn span(&self) -> Result<usize, Error> {
        let axes = self.axes();
        if axes.iter().any(|&(_, count)| count == 0) {
            return Ok(0);
        }
        let far =
            axes.iter().try_fold(0_usize, |far, &(stride, count)| far.checked_add((count - 1).checked_mul(stride)?));
        far.and_then(|far| far.checked_add(1))
            .filter(|&span| span <= isize::MAX as usize / 16)
            .ok_or_else(|| Error::Shape("the strides lead beyond any memory".to_owned()))
    }

    /// To read, in host memory.
    ///
    /// # Safety
    /// The elements are there, and nobody writes them meanwhile.
    pub(crate) unsafe fn batch_of<'a, T: Element>(&self) -> Result<Batch<'a, T>, Error> {
        // SAFETY: the caller's promise.
        let data = unsafe { values(self.address, self.span()?)? };
        Batch::strided(data, self.batch(), self.rows(), self.cols(), self.layout())
    }

    /// To write, in host memory.
    ///
    /// # Safety
    /// The elements are there, and nobody else touches them, nor what lies between them, meanwhile.
    pub(crate) unsafe fn batch_mut_of<'a, T: Element>(&self) -> Result<BatchMut<'a, T>, Error> {
        // SAFETY: the caller's promise.
        let data = unsafe { values_mut(self.address, self.span()?)? };
        BatchMut::strided(data, self.batch(), self.rows(), self.cols(), self.layout())
    }

    /// The memory from the first element to the last, on a device.
    ///
    /// # Safety
    /// As for [`DeviceBuffer::from_raw`].
    pub(crate) unsafe fn buffer<T: Pod>(&self, device: &Device) -> Result<DeviceBuffer<T>, Error> {
        let span = self.span()?;
        // What has no elements may be anywhere.
        let address = if span == 0 { 0 } else { self.address as u64 };
        // SAFETY: the caller's promise.
        unsafe { DeviceBuffer::from_raw(device, address, span) }
    }
}

/// Values at an address of host memory.
///
/// # Safety
/// So many values are there, and nobody writes them meanwhile.
pub(crate) unsafe fn values<'a, T: Pod>(address: usize, len: usize) -> Result<&'a [T], Error> {
    if len == 0 {
        return Ok(&[]);
    }
    check::<T>(address)?;
    // SAFETY: the caller's promise; aligned, as was checked.
    Ok(unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(address), len) })
}

/// As [`values`], to write.
///
/// # Safety
/// So many values are there, and nobody else touches them meanwhile.
pub(crate) unsafe fn values_mut<'a, T: Pod>(address: usize, len: usize) -> Result<&'a mut [T], Error> {
    if len == 0 {
        return Ok(&mut []);
    }
    check::<T>(address)?;
    // SAFETY: the caller's promise; aligned, as was checked.
    Ok(unsafe { slice::from_raw_parts_mut(ptr::with_exposed_provenance_mut(address), len) })
}

fn check<T>(address: usize) -> Result<(), Error> {
    if address != 0 && address.is_multiple_of(align_of::<T>()) {
        return Ok(());
    }
    Err(Error::Shape(format!("the address {address:#x} is not one of elements of {} bytes", size_of::<T>())))
}
