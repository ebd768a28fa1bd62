//! Batches of matrices at addresses.

use std::ptr;
use std::slice;

use pyo3::prelude::*;
use warplu::resident::DeviceBuffer;
use warplu::{Batch, BatchMut, Device, Element, Error, Layout, Pod};

/// A batch of matrices: where its first element is, how many there are, their size, and strides in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromPyObject)]
pub(crate) struct Matrices(usize, usize, usize, usize, usize, usize, usize);

impl Matrices {
    pub(crate) fn address(&self) -> usize {
        self.0
    }

    pub(crate) fn batch(&self) -> usize {
        self.1
    }

    pub(crate) fn rows(&self) -> usize {
        self.2
    }

    pub(crate) fn cols(&self) -> usize {
        self.3
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout { batch_stride: self.4, row_stride: self.5, col_stride: self.6 }
    }

    /// Elements from the first to one past the last.
    pub(crate) fn span(&self) -> Result<usize, Error> {
        let axes = [(self.1, self.4), (self.2, self.5), (self.3, self.6)];
        if axes.iter().any(|&(count, _)| count == 0) {
            return Ok(0);
        }
        let far =
            axes.iter().try_fold(0_usize, |far, &(count, stride)| far.checked_add((count - 1).checked_mul(stride)?));
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
        let data = unsafe { values(self.0, self.span()?)? };
        Batch::strided(data, self.1, self.2, self.3, self.layout())
    }

    /// To write, in host memory.
    ///
    /// # Safety
    /// The elements are there, and nobody else touches them, nor what lies between them, meanwhile.
    pub(crate) unsafe fn batch_mut_of<'a, T: Element>(&self) -> Result<BatchMut<'a, T>, Error> {
        // SAFETY: the caller's promise.
        let data = unsafe { values_mut(self.0, self.span()?)? };
        BatchMut::strided(data, self.1, self.2, self.3, self.layout())
    }

    /// The memory from the first element to the last, on a device.
    ///
    /// # Safety
    /// As for [`DeviceBuffer::from_raw`].
    pub(crate) unsafe fn buffer<T: Pod>(&self, device: &Device) -> Result<DeviceBuffer<T>, Error> {
        // SAFETY: the caller's promise.
        unsafe { DeviceBuffer::from_raw(device, self.0 as u64, self.span()?) }
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
