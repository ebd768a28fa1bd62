//! Device memory, or a range of it, as it is given to calls.

use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use simt::Pod;
use simt::global::Global;

use super::uses::Allocation;
use crate::backend::{Memory, Queue};
use crate::call::{Call, Handle};
use crate::device::Device;
use crate::element::{bytes_of, bytes_of_mut};
use crate::error::{Error, Result};
use crate::layout::Layout;
use kernels_cpu::fresh::Fresh;

/// Elements of a buffer, to read: all of it, or a range.
///
/// ```
/// use warplu::Device;
/// let buffer = Device::best().upload(&[1.0, 2.0, 3.0])?;
/// let slice = buffer.slice(1..)?;
/// assert_eq!((slice.len(), slice.to_vec()?), (2, vec![2.0, 3.0]));
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceSlice<'a, T> {
    pub(super) allocation: &'a Arc<Allocation>,
    offset: usize, // in elements
    len: usize,
    element: PhantomData<T>,
}

/// Elements of a buffer, to write: all of it, or a range.
///
/// ```
/// use warplu::Device;
/// let mut buffer = Device::best().upload(&[1.0, 2.0, 3.0])?;
/// buffer.slice_mut(1..)?.copy_from(&[7.0, 8.0])?;
/// assert_eq!(buffer.to_vec()?, [1.0, 7.0, 8.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceSliceMut<'a, T>(pub(super) DeviceSlice<'a, T>);

impl<T> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DeviceSlice<'_, T> {}

impl<'a, T> DeviceSlice<'a, T> {
    /// The first `len` elements of an allocation.
    pub(super) fn new(allocation: &'a Arc<Allocation>, len: usize) -> Self {
        Self { allocation, offset: 0, len, element: PhantomData }
    }
}

impl<'a, T: Pod> DeviceSlice<'a, T> {
    /// Elements.
    ///
    /// ```
    /// # use warplu::Device;
    /// let buffer = Device::cpu().upload(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(buffer.slice(1..)?.len(), 2);
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
    /// let buffer = Device::cpu().upload(&[1.0, 2.0, 3.0])?;
    /// assert!(buffer.slice(3..)?.is_empty());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device address of the first element.
    ///
    /// ```
    /// # use warplu::Device;
    /// let buffer = Device::cpu().upload(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(buffer.slice(1..)?.address(), buffer.address() + 8);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn address(&self) -> u64 {
        self.allocation.memory.address() + self.byte_offset() as u64
    }

    /// Elements of a range of these.
    ///
    /// ```
    /// # use warplu::Device;
    /// let buffer = Device::cpu().upload(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(buffer.slice(1..)?.slice(1..)?.to_vec()?, [3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the range leaves them.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let first = match range.start_bound() {
            Bound::Included(&first) => Some(first),
            Bound::Excluded(&before) => before.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.checked_add(1),
            Bound::Excluded(&end) => Some(end),
            Bound::Unbounded => Some(self.len),
        };
        match (first, end) {
            (Some(first), Some(end)) if first <= end && end <= self.len => {
                Ok(Self { offset: self.offset + first, len: end - first, ..*self })
            }
            _ => Err(Error::Shape(format!("the range leaves a device buffer of {} elements", self.len))),
        }
    }

    /// Copies the elements to `data`, after all work on the buffer that is under way, and waits.
    ///
    /// ```
    /// # use warplu::Device;
    /// let buffer = Device::cpu().upload(&[1.0, 2.0, 3.0])?;
    /// let mut host = [0.0; 2];
    /// buffer.slice(1..)?.copy_to(&mut host)?;
    /// assert_eq!(host, [2.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] unless `data` is as long; the driver's errors.
    pub fn copy_to(&self, data: &mut [T]) -> Result<()> {
        self.same_length(data.len())?;
        let (device, start) = (self.device(), bytes_of_mut(data).as_mut_ptr());
        // SAFETY: as long as these elements, and borrowed until the copy is done.
        unsafe { self.bring(&device, start, |call| call.values(data, 1)) }
    }

    /// The elements, copied as by [`Self::copy_to`].
    ///
    /// ```
    /// # use warplu::Device;
    /// let buffer = Device::cpu().upload(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(buffer.slice(1..)?.to_vec()?, [2.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::HostMemory`], or the driver's.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut data = Fresh::<T>::new(self.len)?;
        let start = data.as_mut_ptr().cast();
        let device = self.device();
        // SAFETY: there is room for as many, which nobody else knows.
        unsafe { self.bring(&device, start, |call| call.fresh(&mut data, 1, 1, Layout::row_major(1, 1)))? };
        // SAFETY: just written.
        Ok(unsafe { data.written() })
    }

    /// Copies the elements to host memory: on the CPU to `start`, otherwise by a call, to the port that `to` makes.
    ///
    /// # Safety
    /// Both are the same memory, with room for the elements, which nobody else touches.
    unsafe fn bring<'b>(
        &self,
        device: &'b Device,
        start: *mut u8,
        to: impl FnOnce(&mut Call<'b>) -> Handle,
    ) -> Result<()> {
        self.allocation.wait()?;
        if !device.has_own_memory() {
            // SAFETY: the caller's promise; the CPU copies at once.
            return unsafe {
                Queue::Host.download(self.memory(), self.byte_offset(), start, self.len * size_of::<T>())
            };
        }
        let mut call = Call::new(device, self.len);
        let to = to(&mut call);
        call.copy(&|launcher, chunk| {
            chunk.copy(launcher, to, (self.memory(), self.byte_offset()), size_of::<T>(), true)
        })
    }

    /// The device, for a call of its own.
    fn device(&self) -> Device {
        Device::new(self.allocation.backend.clone())
    }

    pub(super) fn same_length(&self, len: usize) -> Result<()> {
        if len == self.len {
            return Ok(());
        }
        Err(Error::Shape(format!("a slice of {len} elements does not fit a device buffer of {}", self.len)))
    }

    pub(super) fn memory(&self) -> &'a Memory {
        &self.allocation.memory
    }

    pub(super) fn byte_offset(&self) -> usize {
        self.offset * size_of::<T>()
    }

    /// The array, if there are at least `len` elements.
    pub(super) fn global_of(&self, len: usize, what: &str) -> Result<Global<T>> {
        if self.len < len {
            return Err(Error::Shape(format!("{what} needs {len} elements, but the buffer holds {}", self.len)));
        }
        // SAFETY: so many elements of the machine's memory; plans compare machines before they use it.
        Ok(unsafe { Global::new(self.address()) })
    }
}

impl<'a, T: Pod> DeviceSliceMut<'a, T> {
    /// The same elements, to read.
    ///
    /// ```
    /// # use warplu::Device;
    /// let mut buffer = Device::cpu().upload(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(buffer.slice_mut(1..)?.as_slice().to_vec()?, [2.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        self.0
    }

    /// Elements of a range of these.
    ///
    /// ```
    /// # use warplu::Device;
    /// let mut buffer = Device::cpu().upload(&[1.0, 2.0, 3.0])?;
    /// buffer.slice_mut(1..)?.slice_mut(1..)?.copy_from(&[7.0])?;
    /// assert_eq!(buffer.to_vec()?, [1.0, 2.0, 7.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the range leaves them.
    pub fn slice_mut(self, range: impl RangeBounds<usize>) -> Result<Self> {
        self.0.slice(range).map(Self)
    }

    /// Overwrites the elements with `data`, after all work on the buffer that is under way, and waits.
    ///
    /// ```
    /// # use warplu::Device;
    /// let mut buffer = Device::cpu().upload(&[1.0, 2.0, 3.0])?;
    /// buffer.slice_mut(..2)?.copy_from(&[7.0, 8.0])?;
    /// assert_eq!(buffer.to_vec()?, [7.0, 8.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] unless `data` is as long; the driver's errors.
    pub fn copy_from(self, data: &[T]) -> Result<()> {
        let own = self.0;
        own.same_length(data.len())?;
        own.allocation.wait()?;
        if !own.allocation.backend.has_own_memory() {
            let bytes = bytes_of(data);
            // SAFETY: as long as these elements; the CPU copies at once.
            return unsafe { Queue::Host.upload(own.memory(), own.byte_offset(), bytes.as_ptr(), bytes.len()) };
        }
        let device = own.device();
        let mut call = Call::new(&device, own.len);
        let from = call.values_in(data, 1);
        call.copy(&|launcher, chunk| {
            chunk.copy(launcher, from, (own.memory(), own.byte_offset()), size_of::<T>(), false)
        })
    }

    pub(super) fn inner(self) -> DeviceSlice<'a, T> {
        self.0
    }
}
