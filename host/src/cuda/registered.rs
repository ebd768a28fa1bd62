//! A caller's own memory, page-locked for a while so that a GPU copies from and to it directly.

use std::ffi::c_void;
use std::sync::Arc;

use super::Gpu;
use super::call::call;
use super::context::Context;
use super::deferred::Leftover;
use super::error::CudaError;
use super::table::CU_MEMHOSTREGISTER_PORTABLE;

/// A hold on memory that is page-locked until the drop. Every GPU of the process can use it.
#[derive(Debug)]
pub(crate) struct Registered {
    start: *mut c_void,
    len: usize,
    context: Arc<Context>,
}

// SAFETY: only the driver is given the address, and takes it from any thread.
unsafe impl Send for Registered {}
// SAFETY: shared, it gives access to nothing.
unsafe impl Sync for Registered {}

impl Registered {
    /// Page-locks `len` bytes at `start`. Memory that shares a page with memory that is registered already is refused
    /// (712).
    ///
    /// # Safety
    ///
    /// The bytes are allocated, writable, and stay so until the value has dropped.
    pub(crate) unsafe fn new(gpu: &Gpu, start: *mut u8, len: usize) -> Result<Self, CudaError> {
        let context = Arc::clone(gpu.context());
        let start = start.cast::<c_void>();
        // The driver refuses to register nothing.
        if len > 0 {
            let _bound = context.bind()?;
            context.retry();
            // SAFETY: as the caller promises.
            unsafe { call!(cuMemHostRegister_v2(start, len, CU_MEMHOSTREGISTER_PORTABLE)) }?;
        }
        Ok(Self { start, len, context })
    }

    /// Unlocks the memory. Where a capture forbids that or the context cannot be made current, it happens later and
    /// this is `false`: nobody else may be given the memory then, as the driver would copy from and to the pages that
    /// it has now.
    pub(crate) fn end(mut self) -> bool {
        self.unregister()
    }

    fn unregister(&mut self) -> bool {
        // SAFETY: registered here, and unregistered once, as the length tells.
        std::mem::take(&mut self.len) == 0 || unsafe { self.context.release(Leftover::Registered(self.start)) }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.unregister();
    }
}
