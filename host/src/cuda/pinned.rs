//! Page-locked memory of the host, which a GPU copies from and to at full speed and asynchronously.

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;

use super::Gpu;
use super::call::call;
use super::context::Context;
use super::deferred::Leftover;
use super::error::CudaError;
use super::table::{CU_MEMHOSTALLOC_PORTABLE, CUDA_ERROR_OUT_OF_MEMORY};

/// Page-locked bytes, all zero at first and freed on drop. Every GPU of the process can use them.
#[derive(Debug)]
pub(crate) struct Pinned {
    start: NonNull<u8>,
    len: usize,
    context: Arc<Context>,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for Pinned {}
// SAFETY: shared access only reads.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// Allocates `len` bytes, aligned to a page.
    pub(crate) fn alloc(gpu: &Gpu, len: usize) -> Result<Self, CudaError> {
        let context = Arc::clone(gpu.context());
        let mut memory: *mut c_void = ptr::null_mut();
        // The driver refuses to allocate nothing.
        if len > 0 {
            let _bound = context.bind()?;
            context.retry();
            // SAFETY: writes one pointer.
            match unsafe { call!(cuMemHostAlloc(&mut memory, len, CU_MEMHOSTALLOC_PORTABLE)) } {
                Err(CudaError::Driver { code: CUDA_ERROR_OUT_OF_MEMORY, .. }) => {
                    return Err(CudaError::OutOfHostMemory { wanted: len });
                }
                other => other?,
            }
            // SAFETY: just allocated, with this length. Slices of it must not show undefined bytes.
            unsafe { ptr::write_bytes(memory.cast::<u8>(), 0, len) };
        }
        Ok(Self { start: NonNull::new(memory.cast()).unwrap_or_else(empty), len, context })
    }

    /// Its bytes.
    pub(crate) fn as_slice(&self) -> &[u8] {
        // SAFETY: all of it is allocated and initialised; an empty one starts at an aligned address.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// Its bytes, to be changed.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and borrowed by nobody else.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

/// The start of no bytes, aligned as any element of a slice may need it.
fn empty() -> NonNull<u8> {
    NonNull::<u128>::dangling().cast()
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if self.len > 0 {
            // SAFETY: allocated here and freed once.
            unsafe { self.context.release(Leftover::Pinned(self.start.as_ptr().cast())) };
        }
    }
}
