//! Memory of a GPU.

use std::sync::Arc;

use super::Gpu;
use super::call::call;
use super::context::Context;
use super::deferred::Leftover;
use super::error::CudaError;
use super::gpu::free_memory;
use super::table::CUDA_ERROR_OUT_OF_MEMORY;

/// Bytes in a GPU's memory, freed on drop. Their contents start undefined.
#[derive(Debug)]
pub(crate) struct Memory {
    address: u64,
    len: usize,
    context: Arc<Context>,
}

impl Memory {
    /// Allocates `len` bytes, aligned to 256.
    pub(crate) fn alloc(gpu: &Gpu, len: usize) -> Result<Self, CudaError> {
        let context = Arc::clone(gpu.context());
        let mut address = 0;
        // The driver refuses to allocate nothing.
        if len > 0 {
            let _bound = context.bind()?;
            context.retry();
            // SAFETY: writes one address.
            match unsafe { call!(cuMemAlloc_v2(&mut address, len)) } {
                Err(CudaError::Driver { code: CUDA_ERROR_OUT_OF_MEMORY, .. }) => {
                    let free = free_memory(&context)?;
                    return Err(CudaError::OutOfMemory { wanted: len, free });
                }
                other => other?,
            }
        }
        Ok(Self { address, len, context })
    }

    /// Where it starts on the GPU; 0 if it is empty.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Its length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Memory {
    /// Frees it: at once, or after a capture that is going on. Whoever queues work on the memory holds it until that is
    /// done.
    fn drop(&mut self) {
        if self.len > 0 {
            // SAFETY: allocated here and freed once.
            unsafe { self.context.release(Leftover::Device(self.address)) };
        }
    }
}
