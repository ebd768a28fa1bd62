//! Streams.

use crate::device::Device;
use crate::error::Result;
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
