//! Queues of work on a GPU, and what goes through them: copies, launches and marks.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use super::call::call;
use super::cluster::{CUlaunchAttribute, CUlaunchConfig, MAX_PORTABLE_CLUSTER};
use super::context::Context;
use super::deferred::Leftover;
use super::error::CudaError;
use super::event::Event;
use super::function::Function;
use super::gpu::Gpu;
use super::table::{CU_STREAM_NON_BLOCKING, CUstream};

/// A queue of work on a GPU: the pieces run in order.
#[derive(Debug)]
pub(crate) struct Stream {
    raw: CUstream,
    owned: bool,
    context: Arc<Context>,
}

// SAFETY: the driver takes a stream from any thread, and from several at once.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// A new stream, which does not wait for the default stream.
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        Self::with_priority(gpu, 0)
    }

    /// As [`Self::new`], with the highest priority: its blocks are placed before those of other streams.
    pub(crate) fn urgent(gpu: &Gpu) -> Result<Self, CudaError> {
        Self::with_priority(gpu, i32::MIN) // the driver takes the nearest that there is
    }

    fn with_priority(gpu: &Gpu, priority: i32) -> Result<Self, CudaError> {
        let context = Arc::clone(gpu.context());
        let mut raw = ptr::null_mut();
        {
            let _bound = context.bind()?;
            // SAFETY: writes one pointer.
            unsafe { call!(cuStreamCreateWithPriority(&mut raw, CU_STREAM_NON_BLOCKING, priority)) }?;
        }
        Ok(Self { raw, owned: true, context })
    }

    /// The caller's own `CUstream`, or null for the default stream. It is not destroyed on drop.
    ///
    /// # Safety
    ///
    /// The stream belongs to this GPU's primary context and outlives the value.
    pub(crate) unsafe fn wrap(gpu: &Gpu, raw: CUstream) -> Self {
        Self { raw, owned: false, context: Arc::clone(gpu.context()) }
    }

    /// Waits until all work queued so far is done. Errors of that work come back here.
    pub(crate) fn synchronize(&self) -> Result<(), CudaError> {
        let _bound = self.context.bind()?;
        // SAFETY: the stream is alive.
        unsafe { call!(cuStreamSynchronize(self.raw)) }
    }

    /// Queues the mark behind the work that is in the stream now.
    pub(crate) fn record(&self, event: &Event) -> Result<(), CudaError> {
        let _bound = self.context.bind()?;
        // SAFETY: the event and the stream are alive.
        unsafe { call!(cuEventRecord(event.raw(), self.raw)) }
    }

    /// Makes the work that is queued from now on wait for the mark. This thread does not wait.
    pub(crate) fn wait(&self, event: &Event) -> Result<(), CudaError> {
        let _bound = self.context.bind()?;
        // SAFETY: the stream and the event are alive, and no flag is set.
        unsafe { call!(cuStreamWaitEvent(self.raw, event.raw(), 0)) }
    }

    /// Queues a copy of `len` bytes at `from` to the address `to` on the GPU.
    ///
    /// # Safety
    ///
    /// The GPU's memory is allocated; the bytes at `from` are initialised, and stay alive and unchanged until the copy
    /// is done.
    pub(crate) unsafe fn upload(&self, to: u64, from: *const u8, len: usize) -> Result<(), CudaError> {
        if len == 0 {
            return Ok(());
        }
        let _bound = self.context.bind()?;
        // SAFETY: as the caller promises.
        unsafe { call!(cuMemcpyHtoDAsync_v2(to, from.cast::<c_void>(), len, self.raw)) }
    }

    /// Queues a copy of `len` bytes at the address `from` on the GPU to `to`, which may be uninitialised memory.
    ///
    /// # Safety
    ///
    /// The GPU's memory is allocated; the bytes at `to` stay alive and untouched until the copy is done.
    pub(crate) unsafe fn download(&self, to: *mut u8, from: u64, len: usize) -> Result<(), CudaError> {
        if len == 0 {
            return Ok(());
        }
        let _bound = self.context.bind()?;
        // SAFETY: as the caller promises.
        unsafe { call!(cuMemcpyDtoHAsync_v2(to.cast::<c_void>(), from, len, self.raw)) }
    }

    /// Queues a copy of `len` bytes within the GPU's memory.
    ///
    /// # Safety
    ///
    /// Both ranges are allocated until the copy is done, and do not overlap.
    pub(crate) unsafe fn copy(&self, from: u64, to: u64, len: usize) -> Result<(), CudaError> {
        if len == 0 {
            return Ok(());
        }
        let _bound = self.context.bind()?;
        // SAFETY: as the caller promises.
        unsafe { call!(cuMemcpyDtoDAsync_v2(to, from, len, self.raw)) }
    }

    /// Queues the setting of `len` bytes at the address `to` to `byte`.
    ///
    /// # Safety
    ///
    /// The range is allocated until that is done.
    pub(crate) unsafe fn fill(&self, to: u64, byte: u8, len: usize) -> Result<(), CudaError> {
        if len == 0 {
            return Ok(());
        }
        let _bound = self.context.bind()?;
        // SAFETY: as the caller promises.
        unsafe { call!(cuMemsetD8Async(to, byte, len, self.raw)) }
    }

    /// Queues a kernel, with `arguments` as its only parameter: so many blocks, in clusters of `cluster`, of `threads` threads, with
    /// `shared_bytes` of dynamic shared memory each.
    ///
    /// # Safety
    ///
    /// The kernel takes one `A` by value, laid out alike on both sides. The stream is on the kernel's GPU. The memory
    /// that the arguments name stays allocated until the kernel is done, and nothing else writes to it meanwhile.
    pub(crate) unsafe fn launch<A>(
        &self,
        function: &Function,
        blocks: u32,
        cluster: u32,
        threads: u32,
        shared_bytes: u32,
        arguments: &A,
    ) -> Result<(), CudaError> {
        let mut parameters = [ptr::from_ref(arguments).cast_mut().cast::<c_void>()];
        let parameters = parameters.as_mut_ptr();
        let _bound = self.context.bind()?;
        if cluster > 1 {
            if cluster > MAX_PORTABLE_CLUSTER {
                function.allow_large_clusters()?;
            }
            let attribute = CUlaunchAttribute::cluster(cluster);
            let config = CUlaunchConfig {
                grid: [blocks, 1, 1],
                block: [threads, 1, 1],
                shared_bytes,
                stream: self.raw,
                attributes: &raw const attribute,
                count: 1,
            };
            // SAFETY: the driver copies the parameter and the attribute before it returns; for the rest, as the caller promises.
            return unsafe { call!(cuLaunchKernelEx(&raw const config, function.raw(), parameters, ptr::null_mut())) };
        }
        // SAFETY: the driver copies the parameter before it returns; for the rest, as the caller promises.
        unsafe {
            call!(cuLaunchKernel(
                function.raw(),
                blocks,
                1,
                1,
                threads,
                1,
                1,
                shared_bytes,
                self.raw,
                parameters,
                ptr::null_mut(),
            ))
        }
    }

    /// The driver's handle.
    pub(crate) fn raw(&self) -> CUstream {
        self.raw
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: created here and destroyed once; work in flight still finishes.
            unsafe { self.context.release(Leftover::Stream(self.raw)) };
        }
    }
}
