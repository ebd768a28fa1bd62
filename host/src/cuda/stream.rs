//! Queues of work on a GPU, and the copies that go through them.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cust::stream::StreamFlags;
use cust::sys::CUstream;

use super::Gpu;
use super::call::call;
use super::context::Context;
use super::error::CudaError;

/// A queue of work on a GPU: the pieces run in order.
#[derive(Debug)]
pub(crate) struct Stream {
    raw: CUstream,
    owned: bool,
    context: Arc<Context>,
}

// SAFETY: a stream may be used from any thread, by several at once.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// A new stream, which does not wait for the default stream.
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        let context = Arc::clone(gpu.context());
        let mut raw = ptr::null_mut();
        {
            let _bound = context.bind()?;
            // cust's own stream drops this flag.
            let flags = StreamFlags::NON_BLOCKING.bits();
            // SAFETY: writes one pointer.
            unsafe { call!(cuStreamCreateWithPriority(&mut raw, flags, 0)) }?;
        }
        Ok(Self { raw, owned: true, context })
    }

    /// The caller's own `CUstream`, or null for the default stream. It is not destroyed on drop.
    ///
    /// # Safety
    ///
    /// The stream belongs to this GPU's primary context and outlives the value.
    pub(crate) unsafe fn wrap(gpu: &Gpu, raw: *mut c_void) -> Self {
        Self { raw: raw.cast(), owned: false, context: Arc::clone(gpu.context()) }
    }

    /// Waits until all work queued so far is done. Errors of that work come back here.
    pub(crate) fn synchronize(&self) -> Result<(), CudaError> {
        let _bound = self.context.bind()?;
        // SAFETY: the stream is alive.
        unsafe { call!(cuStreamSynchronize(self.raw)) }
    }

    /// Queues a copy of `from` to the address `to` on the GPU.
    ///
    /// # Safety
    ///
    /// The GPU's memory is allocated, and `from` stays alive and unchanged until the copy is done.
    pub(crate) unsafe fn upload<T: Copy>(&self, to: u64, from: &[T]) -> Result<(), CudaError> {
        let len = size_of_val(from);
        if len == 0 {
            return Ok(());
        }
        let _bound = self.context.bind()?;
        let from = from.as_ptr().cast::<c_void>();
        // SAFETY: as the caller promises.
        unsafe { call!(cuMemcpyHtoDAsync_v2(to, from, len, self.raw)) }
    }

    /// Queues a copy from the address `from` on the GPU to `to`, which may be uninitialised memory.
    ///
    /// # Safety
    ///
    /// The GPU's memory is allocated and holds values of `T`; `to` stays alive and untouched until the copy is done.
    pub(crate) unsafe fn download<T: Copy>(&self, to: &mut [T], from: u64) -> Result<(), CudaError> {
        let len = size_of_val(to);
        if len == 0 {
            return Ok(());
        }
        let _bound = self.context.bind()?;
        let to = to.as_mut_ptr().cast::<c_void>();
        // SAFETY: as the caller promises.
        unsafe { call!(cuMemcpyDtoHAsync_v2(to, from, len, self.raw)) }
    }

    /// Queues a copy of `len` bytes within the GPU's memory.
    ///
    /// # Safety
    ///
    /// Both ranges are allocated, and do not overlap.
    pub(crate) unsafe fn copy(&self, from: u64, to: u64, len: usize) -> Result<(), CudaError> {
        if len == 0 {
            return Ok(());
        }
        let _bound = self.context.bind()?;
        // SAFETY: as the caller promises.
        unsafe { call!(cuMemcpyDtoDAsync_v2(to, from, len, self.raw)) }
    }

    /// Calls `work` with the context of its GPU current on this thread.
    pub(crate) fn with_context<R>(&self, work: impl FnOnce() -> R) -> Result<R, CudaError> {
        let _bound = self.context.bind()?;
        Ok(work())
    }

    /// The driver's handle.
    pub(crate) fn raw(&self) -> CUstream {
        self.raw
    }

    /// The context of its GPU.
    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.owned
            && let Ok(_bound) = self.context.bind()
        {
            // SAFETY: created here and destroyed once; work in flight still finishes.
            let _ = unsafe { call!(cuStreamDestroy_v2(self.raw)) };
        }
    }
}
