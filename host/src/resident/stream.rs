//! Streams.

use std::sync::Arc;

use simt::Pod;

use super::slice::{DeviceSlice, DeviceSliceMut};
use super::uses::{Access, Work};
use crate::backend::{self, Backend, Queue, foreign};
use crate::device::Device;
use crate::element::{bytes_of, bytes_of_mut};
use crate::error::{Error, Result};

/// An ordered queue of work on a device. The CPU's and the emulator's do their work at once.
///
/// ```
/// use warplu::Device;
/// let device = Device::best();
/// let stream = device.stream()?;
/// let (from, mut to) = (device.upload(&[1.0, 2.0])?, device.buffer::<f64>(2)?);
/// stream.copy(&from, &mut to)?; // enqueued
/// stream.synchronize()?; // done
/// assert_eq!(to.to_vec()?, [1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream(Arc<Work>);

/// A mark in a stream: to wait for it, and to measure the time between two.
///
/// ```
/// use warplu::Device;
/// let stream = Device::best().stream()?;
/// let (start, end) = (stream.record()?, stream.record()?);
/// end.synchronize()?;
/// println!("{} s", end.seconds_since(&start)?);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct Event {
    mark: backend::Event,
    backend: Backend,
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
    /// The driver's error; [`Error::Unsupported`] for several devices in one.
    pub fn stream(&self) -> Result<Stream> {
        let backend = self.machine()?;
        Ok(Stream(Work::new(backend.clone(), backend.queue()?)))
    }
}

impl Stream {
    /// Wraps a caller's CUDA stream (a `CUstream`), which is not destroyed with it.
    ///
    /// # Safety
    /// `raw` is a stream of the device's primary context. It outlives the value, and all buffers and plans that are
    /// used with it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a device that is no GPU, or several.
    pub unsafe fn from_raw(device: &Device, raw: *mut std::ffi::c_void) -> Result<Self> {
        let backend = device.machine()?;
        match backend {
            Backend::Cuda(cuda) => {
                // SAFETY: the caller's promise.
                let queue = Queue::Cuda(unsafe { crate::cuda::Stream::wrap(&cuda.gpu, raw) });
                Ok(Self(Work::new(backend.clone(), queue)))
            }
            Backend::Cpu | Backend::Sim(_) => {
                Err(Error::Unsupported(format!("the device {device} has no CUDA streams: use Device::stream")))
            }
        }
    }

    /// Gives a caller's stream back without a wait for the work in it: buffers that it used may be dropped at once, and
    /// plans and buffers used elsewhere do not wait for it. So work on memory of others can be enqueued, and left
    /// alone; mark it first ([`Self::record`]) where others of its plan's users have to wait.
    ///
    /// ```
    /// let stream = warplu::Device::sim().stream()?;
    /// // SAFETY: nothing works in it.
    /// unsafe { stream.release() };
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Safety
    /// Until the work is done, its plans and buffers are not dropped, but for buffers made of memory of others
    /// ([`DeviceBuffer::from_raw`](super::DeviceBuffer::from_raw)), whose memory lives that long; and the caller has
    /// work in other streams wait for it that uses these plans and buffers.
    pub unsafe fn release(self) {
        self.0.let_go();
    }

    /// The CUDA stream (a `CUstream`), for other libraries to work in; `None` for other devices' streams.
    ///
    /// ```
    /// assert!(warplu::Device::sim().stream()?.raw().is_none());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn raw(&self) -> Option<*mut std::ffi::c_void> {
        match &self.0.queue {
            Queue::Host => None,
            Queue::Cuda(stream) => Some(stream.raw().cast()),
        }
    }

    /// Calls `work` with the GPU's primary context current on this thread, which other CUDA libraries rely on. For
    /// other devices it only calls.
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
        self.0.backend.with_context(work)
    }

    /// Enqueues a copy between buffers, or ranges of them, of the same length.
    ///
    /// ```
    /// let device = warplu::Device::sim();
    /// let stream = device.stream()?;
    /// let (from, mut to) = (device.upload(&[1.0, 2.0, 3.0])?, device.upload(&[0.0; 4])?);
    /// stream.copy(from.slice(1..)?, to.slice_mut(..2)?)?;
    /// stream.synchronize()?;
    /// assert_eq!(to.to_vec()?, [2.0, 3.0, 0.0, 0.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the lengths or the devices differ; the driver's errors.
    pub fn copy<'a, T: Pod + 'a>(
        &self,
        from: impl Into<DeviceSlice<'a, T>>,
        to: impl Into<DeviceSliceMut<'a, T>>,
    ) -> Result<()> {
        let (from, to) = (from.into(), to.into().inner());
        to.same_length(from.len())?;
        let _turn = self.0.turn();
        self.enter(&from, Access::Read)?;
        self.enter(&to, Access::Write)?;
        let bytes = from.len() * size_of::<T>();
        if bytes == 0 {
            return Ok(());
        }
        self.0.queue.copy((from.memory(), from.byte_offset()), (to.memory(), to.byte_offset()), bytes)
    }

    /// Copies `data` to a buffer, or a range of it, behind what is in the stream, and waits until it is done.
    ///
    /// ```
    /// # use warplu::Device;
    /// let device = Device::cpu();
    /// let (stream, mut buffer) = (device.stream()?, device.buffer(2)?);
    /// stream.upload(&[1.0, 2.0], &mut buffer)?;
    /// assert_eq!(buffer.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the lengths or the devices differ; the driver's errors.
    pub fn upload<'a, T: Pod + 'a>(&self, data: &[T], to: impl Into<DeviceSliceMut<'a, T>>) -> Result<()> {
        let to = to.into().inner();
        to.same_length(data.len())?;
        let turn = self.0.turn();
        self.enter(&to, Access::Write)?;
        let bytes = bytes_of(data);
        // SAFETY: as long as the range, and borrowed until the stream has copied it, or is lost.
        let copied = unsafe { self.0.queue.upload(to.memory(), to.byte_offset(), bytes.as_ptr(), bytes.len()) };
        drop(turn);
        copied.and(self.0.settle())
    }

    /// Copies a buffer, or a range of it, to `data`, behind what is in the stream, and waits until it is done.
    ///
    /// ```
    /// # use warplu::Device;
    /// let device = Device::cpu();
    /// let (stream, buffer, mut host) = (device.stream()?, device.upload(&[1.0, 2.0])?, [0.0; 2]);
    /// stream.download(&buffer, &mut host)?;
    /// assert_eq!(host, [1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the lengths or the devices differ; the driver's errors.
    pub fn download<'a, T: Pod + 'a>(&self, from: impl Into<DeviceSlice<'a, T>>, data: &mut [T]) -> Result<()> {
        let from = from.into();
        from.same_length(data.len())?;
        let turn = self.0.turn();
        self.enter(&from, Access::Read)?;
        let bytes = bytes_of_mut(data);
        // SAFETY: as above.
        let copied =
            unsafe { self.0.queue.download(from.memory(), from.byte_offset(), bytes.as_mut_ptr(), bytes.len()) };
        drop(turn);
        copied.and(self.0.settle())
    }

    /// Waits until all work of the stream is done.
    ///
    /// ```
    /// # use warplu::Device;
    /// let stream = Device::cpu().stream()?;
    /// stream.synchronize()?; // all that was enqueued is done
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// Whatever the device met while working.
    pub fn synchronize(&self) -> Result<()> {
        self.0.synchronize()
    }

    /// A mark behind the work that is in the stream by now.
    ///
    /// ```
    /// # use warplu::Device;
    /// let event = Device::cpu().stream()?.record()?;
    /// event.synchronize()?;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// The driver's.
    pub fn record(&self) -> Result<Event> {
        let mut mark = self.0.backend.event(true)?;
        self.0.queue.record(&mut mark)?;
        Ok(Event { mark, backend: self.0.backend.clone() })
    }

    /// Moves a mark behind the work that is in this stream by now, which costs less than a new one. Who waits already, waits
    /// for what was before it.
    ///
    /// ```
    /// let stream = warplu::Device::sim().stream()?;
    /// let mut event = stream.record()?;
    /// stream.record_again(&mut event)?;
    /// event.synchronize()?;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] for a mark of another device; the driver's errors.
    pub fn record_again(&self, event: &mut Event) -> Result<()> {
        if !event.backend.is(&self.0.backend) {
            return Err(foreign());
        }
        self.0.queue.record(&mut event.mark)
    }

    /// Has the stream's further work wait for a mark in another stream of the device.
    ///
    /// ```
    /// let device = warplu::Device::sim();
    /// let (one, other) = (device.stream()?, device.stream()?);
    /// other.wait(&one.record()?)?;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] for a mark of another device; the driver's errors.
    pub fn wait(&self, event: &Event) -> Result<()> {
        if !event.backend.is(&self.0.backend) {
            return Err(foreign());
        }
        self.0.queue.wait(&event.mark)
    }

    pub(super) fn work(&self) -> &Arc<Work> {
        &self.0
    }

    /// Waits, on the device, for others' work on a buffer.
    fn enter<T>(&self, slice: &DeviceSlice<'_, T>, access: Access) -> Result<()> {
        if !slice.allocation.backend.is(&self.0.backend) {
            return Err(foreign());
        }
        slice.allocation.enter(&self.0, access)
    }
}

impl Event {
    /// Waits until the mark is reached.
    ///
    /// ```
    /// # use warplu::Device;
    /// let stream = Device::cpu().stream()?;
    /// stream.record()?.synchronize()?;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// Whatever the device met while working.
    pub fn synchronize(&self) -> Result<()> {
        self.mark.synchronize()
    }

    /// Whether the mark is reached; does not wait.
    ///
    /// ```
    /// # use warplu::Device;
    /// let event = Device::cpu().stream()?.record()?;
    /// assert!(event.query()?); // the CPU does its work at once
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// Whatever the device met while working.
    pub fn query(&self) -> Result<bool> {
        self.mark.query()
    }

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
    /// [`Error::Shape`] for a mark of another device; the driver's errors.
    pub fn seconds_since(&self, start: &Self) -> Result<f64> {
        if !start.backend.is(&self.backend) {
            return Err(foreign());
        }
        self.mark.seconds_since(&start.mark)
    }
}
