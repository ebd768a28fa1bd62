//! Streams and buffers of the crate cust, lent to warplu for a scope.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, RangeBounds};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cust::context::Context;
use cust::memory::{DeviceCopy, DevicePointer};
use simt::Pod;

use super::buffer::DeviceBuffer;
use super::slice::{DeviceSlice, DeviceSliceMut};
use super::stream::Stream;
use super::uses::{Allocation, Work};
use crate::backend::Backend;
use crate::cuda::{CudaError, Gpu};
use crate::device::Device;
use crate::error::{Error, Result};

/// Lends streams and buffers of the crate `cust` to warplu; see [`Device::cust_scope`].
pub struct CustScope<'scope, 'env: 'scope> {
    device: Device,
    lent: Mutex<Lent>,
    // Neither lifetime may shrink or grow, as with the scope of scoped threads.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// What must be done with before the scope ends.
#[derive(Default)]
struct Lent {
    allocations: Vec<Arc<Allocation>>,
    works: Vec<Arc<Work>>,
}

/// A stream of cust's as a warplu [`Stream`], to which it derefs.
#[derive(Debug)]
pub struct CustStream<'scope> {
    stream: Stream,
    scope: PhantomData<&'scope ()>,
}

/// A buffer of cust's, to read: wherever warplu takes a [`DeviceSlice`] it takes a reference to this. It derefs to
/// [`DeviceBuffer`].
#[derive(Debug)]
pub struct CustView<'scope, T> {
    buffer: DeviceBuffer<T>,
    scope: PhantomData<&'scope ()>,
}

/// A buffer of cust's, to write: wherever warplu takes a [`DeviceSliceMut`] it takes a mutable reference to this. It
/// derefs to [`DeviceBuffer`].
#[derive(Debug)]
pub struct CustViewMut<'scope, T>(CustView<'scope, T>);

impl Device {
    /// cust's handle of the GPU's primary context, which warplu works in, too. It is made current on this thread, as
    /// cust's calls need it.
    ///
    /// ```no_run
    /// let device = warplu::Device::cuda(0)?;
    /// let _context = device.cust_context()?;
    /// let buffer = cust::memory::DeviceBuffer::from_slice(&[1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a device that is no GPU; the driver's errors.
    pub fn cust_context(&self) -> Result<Context> {
        let gpu = gpu(self)?;
        let device = cust::device::Device::get_device(gpu.ordinal()).map_err(|error| failed("cuDeviceGet", error))?;
        Context::new(device).map_err(|error| failed("cuDevicePrimaryCtxRetain", error))
    }

    /// Calls `work` with a scope in which warplu can use streams and buffers of the crate `cust`. The scope ends when
    /// all that warplu has enqueued on them is done, so cust may do anything with them afterwards.
    ///
    /// In the scope, cust's kernels can use the same memory in the same stream, by the pointers that
    /// [`DeviceSlice::cust_pointer`] gives; warplu does not see that work, so in other streams it is the caller's to
    /// order. A CUDA graph is captured by beginning and ending the capture within the scope.
    ///
    /// ```no_run
    /// use cust::memory::DeviceBuffer;
    /// use cust::stream::{Stream, StreamFlags};
    /// use warplu::Device;
    /// use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan, Size, of};
    ///
    /// let device = Device::cuda(0)?;
    /// let _context = device.cust_context()?;
    /// let stream = Stream::new(StreamFlags::DEFAULT, None)?;
    /// let a = DeviceBuffer::from_slice(&[2.0, 1.0, 1.0, 3.0])?;
    /// let mut inverse = DeviceBuffer::<f64>::zeroed(4)?;
    /// let mut status = DeviceBuffer::<i32>::zeroed(1)?;
    ///
    /// let plan = InversePlan::<f64>::new(&device, Size::order(2))?;
    /// device.cust_scope(|scope| {
    ///     let stream = scope.stream(&stream)?;
    ///     let (a, mut inverse, mut status) = (scope.read(&a)?, scope.write(&mut inverse)?, scope.write(&mut status)?);
    ///     let (a, mut to) = (DeviceBatch::row_major(&a, 1, 2, 2)?, DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?);
    ///     plan.run(&stream, of::Inverse { a: &a, inverse: &mut to, status: &mut status })
    /// })?;
    /// assert_eq!(inverse.as_host_vec()?, [0.6, -0.2, -0.2, 0.4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a device that is no GPU; what `work` returns; whatever the device met while working.
    pub fn cust_scope<'env, R, E: From<Error>>(
        &self,
        work: impl for<'scope> FnOnce(&'scope CustScope<'scope, 'env>) -> std::result::Result<R, E>,
    ) -> std::result::Result<R, E> {
        // What cust has copied or filled may still be under way in the default stream, for which warplu's streams do
        // not wait.
        gpu(self)?.synchronize_default_stream().map_err(Error::from)?;
        let (device, lent) = (self.clone(), Mutex::default());
        let scope = CustScope { device, lent, scope: PhantomData, env: PhantomData };
        let done = work(&scope);
        let ended = scope.lent().end();
        let done = done?;
        ended?;
        Ok(done)
    }
}

impl<'scope, 'env> CustScope<'scope, 'env> {
    /// A stream of cust's.
    ///
    /// # Errors
    /// [`Error::Shape`] for a stream of another GPU; the driver's errors.
    pub fn stream(&'scope self, stream: &'env cust::stream::Stream) -> Result<CustStream<'scope>> {
        let raw = stream.as_inner().cast();
        // SAFETY: borrowed, so alive.
        if !unsafe { gpu(&self.device)?.has_stream(raw)? } {
            return Err(elsewhere("stream"));
        }
        // SAFETY: of the primary context, as just seen. The borrow outlives the scope, after which nobody touches the
        // stream.
        let stream = unsafe { Stream::from_raw(&self.device, raw)? };
        self.lent().works.push(Arc::clone(stream.work()));
        Ok(CustStream { stream, scope: PhantomData })
    }

    /// A buffer of cust's, to read.
    ///
    /// # Errors
    /// [`Error::Shape`] for memory of another GPU; the driver's errors.
    pub fn read<T: Pod + DeviceCopy>(
        &'scope self,
        buffer: &'env cust::memory::DeviceBuffer<T>,
    ) -> Result<CustView<'scope, T>> {
        let (address, len) = (buffer.as_device_ptr().as_raw(), buffer.len());
        if len > 0 && size_of::<T>() > 0 && !gpu(&self.device)?.has_memory(address)? {
            return Err(elsewhere("buffer"));
        }
        // SAFETY: the GPU's memory, as just seen. The borrow outlives the scope, and so all work that warplu does on
        // it.
        let buffer = unsafe { DeviceBuffer::from_raw(&self.device, address, len)? };
        self.lent().allocations.push(Arc::clone(&buffer.allocation));
        Ok(CustView { buffer, scope: PhantomData })
    }

    /// A buffer of cust's, to write.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn write<T: Pod + DeviceCopy>(
        &'scope self,
        buffer: &'env mut cust::memory::DeviceBuffer<T>,
    ) -> Result<CustViewMut<'scope, T>> {
        self.read(buffer).map(CustViewMut)
    }

    fn lent(&self) -> MutexGuard<'_, Lent> {
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lent {
    /// Waits for all work on what was lent. The first error counts, but all is waited for.
    fn end(&mut self) -> Result<()> {
        let of_memory = self.allocations.drain(..).map(|allocation| allocation.wait());
        let of_streams = self.works.drain(..).map(|work| work.give_back());
        of_memory.chain(of_streams).fold(Ok(()), Result::and)
    }
}

// Of this and not of the scope, which is borrowed for as long as it lives and so cannot be dropped by code of its own.
impl Drop for Lent {
    fn drop(&mut self) {
        // Only after a panic is anything left to wait for.
        let _ = self.end();
    }
}

impl fmt::Debug for CustScope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustScope").field("device", &self.device).finish_non_exhaustive()
    }
}

impl Deref for CustStream<'_> {
    type Target = Stream;

    fn deref(&self) -> &Stream {
        &self.stream
    }
}

// No `DerefMut` to a buffer: a swap would take it out of the scope.
impl<T> Deref for CustView<'_, T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}

impl<T> Deref for CustViewMut<'_, T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.0.buffer
    }
}

impl<T: Pod> CustViewMut<'_, T> {
    /// Elements of a range, to write.
    ///
    /// # Errors
    /// [`Error::Shape`] if the range leaves the buffer.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceSliceMut<'_, T>> {
        self.0.buffer.slice_mut(range)
    }
}

impl<'a, T> From<&'a CustView<'_, T>> for DeviceSlice<'a, T> {
    fn from(view: &'a CustView<'_, T>) -> Self {
        Self::from(&view.buffer)
    }
}

impl<'a, T> From<&'a CustViewMut<'_, T>> for DeviceSlice<'a, T> {
    fn from(view: &'a CustViewMut<'_, T>) -> Self {
        Self::from(&view.0.buffer)
    }
}

impl<'a, T> From<&'a mut CustViewMut<'_, T>> for DeviceSliceMut<'a, T> {
    fn from(view: &'a mut CustViewMut<'_, T>) -> Self {
        Self::from(&mut view.0.buffer)
    }
}

impl<T: Pod + DeviceCopy> DeviceBuffer<T> {
    /// cust's pointer to element 0; `None` for memory that is not a GPU's. warplu does not see what others do with it:
    /// have them work in the same stream, or wait in between.
    #[must_use]
    pub fn cust_pointer(&self) -> Option<DevicePointer<T>> {
        DeviceSlice::from(self).cust_pointer()
    }
}

impl<T: Pod + DeviceCopy> DeviceSlice<'_, T> {
    /// cust's pointer to the first element, as [`DeviceBuffer::cust_pointer`].
    #[must_use]
    pub fn cust_pointer(&self) -> Option<DevicePointer<T>> {
        let is_gpu = matches!(self.allocation.backend, Backend::Cuda(_));
        is_gpu.then(|| DevicePointer::from_raw(self.address()))
    }
}

fn gpu(device: &Device) -> Result<&Gpu> {
    match device.machine()? {
        Backend::Cuda(cuda) => Ok(&cuda.gpu),
        Backend::Cpu | Backend::Sim(_) => Err(Error::Unsupported(format!(
            "the device {device} shares nothing with cust: use Device::cuda, or warplu's own streams and buffers"
        ))),
    }
}

fn failed(call: &'static str, error: cust::error::CudaError) -> Error {
    CudaError::Driver { call, code: error as u32, name: format!("{error:?}") }.into()
}

fn elsewhere(what: &str) -> Error {
    Error::Shape(format!(
        "the {what} is not of the GPU's primary context: make it after Device::cust_context, or cust's Context::new of \
         the same GPU"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{c32, c64};

    #[test]
    fn all_types_that_cust_knows_may_be_lent() {
        fn lent<T: crate::Element + DeviceCopy>() {}
        lent::<f32>();
        lent::<f64>();
        lent::<c32>();
        lent::<c64>();
        fn crosses<T: Send + Sync>() {}
        crosses::<CustScope<'_, '_>>();
        crosses::<CustStream<'_>>();
        crosses::<CustViewMut<'_, f64>>();
    }

    #[test]
    fn a_cpu_shares_nothing() {
        let device = Device::cpu();
        assert!(matches!(device.cust_context(), Err(Error::Unsupported(_))));
        assert!(matches!(device.cust_scope(|_| Ok::<_, Error>(())), Err(Error::Unsupported(_))));
        assert!(device.upload(&[1.0]).is_ok_and(|buffer| buffer.cust_pointer().is_none()));
    }
}
