//! Streams.

use simt::Pod;

use super::DeviceBuffer;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::machine::{self, Machine, Queue};

/// An ordered queue of work on a device.
#[derive(Debug)]
pub struct Stream {
    pub(crate) queue: Queue,
    machine: Machine,
}

/// A mark in a stream, to measure the time between two.
#[derive(Debug)]
pub struct Event(machine::Event);

impl Stream {
    /// Wraps a caller's CUDA stream (a `CUstream`), which is not destroyed with it.
    ///
    /// # Safety
    /// `raw` is a stream of the device's primary context and outlives the value.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for a device that is no GPU.
    #[cfg(feature = "cuda")]
    pub unsafe fn from_raw(device: &Device, raw: *mut std::ffi::c_void) -> Result<Self> {
        match device.machine()? {
            Machine::Cuda(gpu) => {
                // SAFETY: the caller's promise.
                let queue = Queue::Cuda(unsafe { crate::cuda::Stream::wrap(gpu, raw) });
                Ok(Self { machine: Machine::Cuda(gpu.clone()), queue })
            }
            Machine::Sim { .. } => {
                Err(crate::Error::Unsupported("the emulator has no CUDA streams: use Device::stream".to_owned()))
            }
        }
    }

    /// The CUDA stream (a `CUstream`), for other libraries to work in; `None` for the emulator's.
    ///
    /// ```
    /// assert!(warplu::Device::sim().stream()?.raw().is_none());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn raw(&self) -> Option<*mut std::ffi::c_void> {
        match &self.queue {
            Queue::Sim => None,
            Queue::Cuda(stream) => Some(stream.raw().cast()),
        }
    }

    /// Calls `work` with the GPU's primary context current on this thread, which other CUDA libraries rely on. For the
    /// emulator it only calls.
    ///
    /// ```
    /// let stream = warplu::Device::sim().stream()?;
    /// assert_eq!(stream.with_context(|| 7)?, 7);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// The driver's.
    pub fn with_context<R>(&self, work: impl FnOnce() -> R) -> Result<R> {
        match &self.queue {
            Queue::Sim => Ok(work()),
            #[cfg(feature = "cuda")]
            Queue::Cuda(stream) => Ok(stream.with_context(work)?),
        }
    }

    /// Enqueues a copy of `len` elements, from `from_offset` in `from` to `to_offset` in `to`. The buffers may be one, but
    /// the ranges must not overlap.
    ///
    /// ```
    /// let device = warplu::Device::sim();
    /// let stream = device.stream()?;
    /// let (from, to) = (device.upload(&[1.0, 2.0, 3.0])?, device.upload(&[0.0; 4])?);
    /// stream.copy(&from, 1, &to, 0, 2)?;
    /// stream.copy(&to, 0, &to, 2, 2)?;
    /// stream.synchronize()?;
    /// assert_eq!(to.to_vec()?, [2.0, 3.0, 2.0, 3.0]);
    /// assert!(stream.copy(&to, 0, &to, 1, 2).is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a range leaves its buffer, or the ranges overlap; the driver's errors.
    pub fn copy<T: Pod>(
        &self,
        from: &DeviceBuffer<T>,
        from_offset: usize,
        to: &DeviceBuffer<T>,
        to_offset: usize,
        len: usize,
    ) -> Result<()> {
        let bytes = |elements: usize| {
            let too_large = || Error::Shape(format!("{elements} elements are more than any buffer holds"));
            elements.checked_mul(size_of::<T>()).ok_or_else(too_large)
        };
        let (from, to) = ((&from.memory, bytes(from_offset)?), (&to.memory, bytes(to_offset)?));
        self.queue.copy(from, to, bytes(len)?)
    }

    /// Waits until all work of the stream is done.
    ///
    /// # Errors
    /// Whatever the device met while working.
    pub fn synchronize(&self) -> Result<()> {
        self.queue.synchronize()
    }

    /// A mark behind the work that is in the stream by now.
    ///
    /// # Errors
    /// The driver's.
    pub fn record(&self) -> Result<Event> {
        Ok(Event(self.machine.record(&self.queue)?))
    }
}

impl Event {
    /// Seconds of device time from `start` to this mark; waits until it is reached.
    ///
    /// ```
    /// let stream = warplu::Device::sim().stream()?;
    /// let start = stream.record()?;
    /// let end = stream.record()?;
    /// assert!(end.seconds_since(&start)? >= 0.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// The driver's.
    pub fn seconds_since(&self, start: &Self) -> Result<f64> {
        self.0.seconds_since(&start.0)
    }
}

impl Device {
    /// A new stream.
    ///
    /// ```
    /// let stream = warplu::Device::sim().stream()?;
    /// stream.synchronize()?;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) on the CPU, or the driver's error.
    pub fn stream(&self) -> Result<Stream> {
        let machine = self.machine()?.clone();
        Ok(Stream { queue: machine.queue()?, machine })
    }
}
