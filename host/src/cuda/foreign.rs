//! Streams and memory that others made: whether they are of a GPU's primary context.

use std::ffi::c_void;
use std::ptr;

use super::Gpu;
use super::call::call;
use super::error::CudaError;
use super::table::{CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CUcontext, CUstream};

impl Gpu {
    /// Whether a stream is of the GPU's primary context.
    ///
    /// # Safety
    ///
    /// The stream is alive.
    pub(crate) unsafe fn has_stream(&self, stream: CUstream) -> Result<bool, CudaError> {
        let _bound = self.bind()?;
        let mut context: CUcontext = ptr::null_mut();
        // SAFETY: the stream is alive, as the caller promises; writes one pointer.
        unsafe { call!(cuStreamGetCtx(stream, &mut context)) }?;
        Ok(context == self.context().raw())
    }

    /// Whether there is memory of the GPU's primary context at an address. Memory from a pool is of no context: then it
    /// is enough that it is this GPU's.
    pub(crate) fn has_memory(&self, address: u64) -> Result<bool, CudaError> {
        let _bound = self.bind()?;
        let mut context: CUcontext = ptr::null_mut();
        let to = (&raw mut context).cast::<c_void>();
        // SAFETY: this attribute is one pointer; any address may be asked about.
        let known = unsafe { call!(cuPointerGetAttribute(to, CU_POINTER_ATTRIBUTE_CONTEXT, address)) };
        if known.is_ok() && !context.is_null() {
            return Ok(context == self.context().raw());
        }
        let mut ordinal = -1_i32;
        let to = (&raw mut ordinal).cast::<c_void>();
        // SAFETY: this attribute is one integer.
        unsafe { call!(cuPointerGetAttribute(to, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address)) }?;
        Ok(u32::try_from(ordinal) == Ok(self.ordinal()))
    }

    /// Waits for the default stream, to which copies and fills go that name no stream.
    pub(crate) fn synchronize_default_stream(&self) -> Result<(), CudaError> {
        let _bound = self.bind()?;
        // SAFETY: the default stream is always alive.
        unsafe { call!(cuStreamSynchronize(ptr::null_mut())) }
    }
}
