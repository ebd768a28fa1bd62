//! Device memory.

use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;

use simt::Pod;

use super::slice::{DeviceSlice, DeviceSliceMut};
use super::uses::Allocation;
use crate::backend::{Backend, Memory};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::layout::product;

/// `len` elements of device memory; on the CPU, of host memory.
///
/// ```
/// use warplu::Device;
/// let mut buffer = Device::best().upload(&[1.0, 2.0, 3.0])?;
/// buffer.slice_mut(..2)?.copy_from(&[7.0, 8.0])?;
/// assert_eq!(buffer.to_vec()?, [7.0, 8.0, 3.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceBuffer<T> {
    pub(super) allocation: Arc<Allocation>,
    pub(super) len: usize,
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
    /// [`Error::Shape`] for more than any memory holds, [`Error::HostMemory`] or the driver's error when there is not
    /// so much; [`Error::Unsupported`] for several devices in one, of which [one](Device::devices) is to be chosen.
    pub fn buffer<T: Pod>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        let bytes = product(&[len, size_of::<T>()])?.max(1);
        let backend = self.machine()?;
        let memory = match backend.allocate(bytes) {
            // Calls on host memory can do without what they keep.
            Err(error) if error.is_out_of_memory() && backend.free_kept_memory() => backend.allocate(bytes)?,
            other => other?,
        };
        let allocation = Allocation::new(backend.clone(), memory);
        Ok(DeviceBuffer { allocation, len, element: PhantomData })
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
        let mut buffer = self.buffer(data.len())?;
        buffer.copy_from(data)?;
        Ok(buffer)
    }
}

impl<T: Pod> DeviceBuffer<T> {
    /// Memory of somebody else's as a buffer, which is not freed with it: on a GPU, of its primary context, such as
    /// PyTorch's, CuPy's and cudarc's; on the CPU, of the host.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::DeviceBuffer;
    /// let theirs = vec![1.0, 2.0]; // on a GPU, memory of PyTorch's, for example
    /// let address = theirs.as_ptr().expose_provenance() as u64;
    /// // SAFETY: there are two elements, which outlive the buffer.
    /// let buffer = unsafe { DeviceBuffer::<f64>::from_raw(&Device::cpu(), address, 2)? };
    /// assert_eq!(buffer.to_vec()?, theirs);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Safety
    /// From `address` on there are `len` elements in memory of that device, which outlives the buffer and all work on
    /// it. Nobody else touches it meanwhile, but for work in streams that the caller has ordered before or behind.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for the emulator or several devices in one; [`Error::Shape`] for an address that is not aligned for the elements.
    pub unsafe fn from_raw(device: &Device, address: u64, len: usize) -> Result<Self> {
        let backend = device.machine()?;
        if matches!(backend, Backend::Sim(_)) {
            return Err(Error::Unsupported("the emulator has no memory but its own: use Device::buffer".to_owned()));
        }
        if !address.is_multiple_of(align_of::<T>() as u64) {
            return Err(Error::Shape(format!(
                "the address {address:#x} is not aligned for elements of {} bytes: copy them to a buffer of their own",
                size_of::<T>()
            )));
        }
        let memory = Memory::Foreign { address, len: product(&[len, size_of::<T>()])? };
        let allocation = Allocation::new(backend.clone(), memory);
        Ok(Self { allocation, len, element: PhantomData })
    }

    /// Elements.
    ///
    /// ```
    /// # use warplu::Device;
    /// assert_eq!(Device::cpu().upload(&[1.0, 2.0])?.len(), 2);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    ///
    /// ```
    /// # use warplu::Device;
    /// assert!(Device::cpu().buffer::<f64>(0)?.is_empty());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device address of element 0: a `CUdeviceptr` on a GPU, a pointer on the CPU.
    ///
    /// ```
    /// # use warplu::Device;
    /// let buffer = Device::cpu().upload(&[1.0_f64, 2.0])?;
    /// assert_eq!(buffer.slice(1..)?.address(), buffer.address() + 8);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn address(&self) -> u64 {
        self.allocation.memory.address()
    }

    /// Elements of a range, to read.
    ///
    /// ```
    /// let buffer = warplu::Device::sim().upload(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(buffer.slice(1..)?.to_vec()?, [2.0, 3.0]);
    /// assert!(buffer.slice(2..5).is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the range leaves the buffer.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>> {
        DeviceSlice::from(self).slice(range)
    }

    /// Elements of a range, to write.
    ///
    /// ```
    /// # use warplu::Device;
    /// let mut buffer = Device::cpu().upload(&[1.0, 2.0, 3.0])?;
    /// buffer.slice_mut(1..)?.copy_from(&[7.0, 8.0])?;
    /// assert_eq!(buffer.to_vec()?, [1.0, 7.0, 8.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the range leaves the buffer.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceSliceMut<'_, T>> {
        DeviceSliceMut::from(self).slice_mut(range)
    }

    /// Overwrites the buffer with `data`, after all work on it that is under way, and waits.
    ///
    /// ```
    /// # use warplu::Device;
    /// let mut buffer = Device::cpu().buffer(2)?;
    /// buffer.copy_from(&[1.0, 2.0])?;
    /// assert_eq!(buffer.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] unless `data` is as long as the buffer; the driver's errors.
    pub fn copy_from(&mut self, data: &[T]) -> Result<()> {
        DeviceSliceMut::from(self).copy_from(data)
    }

    /// Copies the buffer to `data`, after all work on it that is under way, and waits.
    ///
    /// ```
    /// # use warplu::Device;
    /// let (buffer, mut host) = (Device::cpu().upload(&[1.0, 2.0])?, [0.0; 2]);
    /// buffer.copy_to(&mut host)?;
    /// assert_eq!(host, [1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] unless `data` is as long as the buffer; the driver's errors.
    pub fn copy_to(&self, data: &mut [T]) -> Result<()> {
        DeviceSlice::from(self).copy_to(data)
    }

    /// The elements, copied as by [`Self::copy_to`].
    ///
    /// ```
    /// # use warplu::Device;
    /// assert_eq!(Device::cpu().upload(&[1.0, 2.0])?.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// The driver's.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        DeviceSlice::from(self).to_vec()
    }
}

impl<'a, T> From<&'a DeviceBuffer<T>> for DeviceSlice<'a, T> {
    fn from(buffer: &'a DeviceBuffer<T>) -> Self {
        Self::new(&buffer.allocation, buffer.len)
    }
}

impl<'a, T> From<&'a mut DeviceBuffer<T>> for DeviceSliceMut<'a, T> {
    fn from(buffer: &'a mut DeviceBuffer<T>) -> Self {
        Self(DeviceSlice::from(&*buffer))
    }
}
