//! Compiled PTX.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Arc;

use super::call::call;
use super::context::Context;
use super::deferred::Leftover;
use super::error::CudaError;
use super::gpu::Gpu;
use super::init;
use super::table::{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CUmodule};

/// How much of the compiler's log is kept, in bytes.
const LOG_BYTES: usize = 16 << 10;

/// A module of PTX, compiled for its GPU and unloaded on drop.
#[derive(Debug)]
pub(crate) struct Module {
    raw: CUmodule,
    context: Arc<Context>,
}

// SAFETY: the driver takes a module from any thread, and from several at once.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    /// As [`Self::compile`], for a GPU.
    ///
    /// # Safety
    ///
    /// As there.
    pub(crate) unsafe fn load(gpu: &Gpu, ptx: &CStr) -> Result<Self, CudaError> {
        // SAFETY: the caller's promise.
        unsafe { Self::compile(gpu.context(), ptx) }
    }

    /// Compiles PTX for the context's GPU. This can take seconds unless the driver's own cache knows the text.
    ///
    /// # Safety
    ///
    /// `ptx` is a text that PTX's compiler emitted: the driver is not made to withstand others.
    pub(super) unsafe fn compile(context: &Arc<Context>, ptx: &CStr) -> Result<Self, CudaError> {
        let mut raw = ptr::null_mut();
        let mut log = vec![0_u8; LOG_BYTES];
        let mut options = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        // The driver takes a number where its option is one, in the place of a pointer.
        let size = ptr::without_provenance_mut(log.len());
        let mut values = [log.as_mut_ptr().cast::<c_void>(), size];
        let loaded = {
            let _bound = context.bind()?;
            // SAFETY: a nul-terminated text, and two options with a value each, of which the log has the size given.
            unsafe {
                call!(cuModuleLoadDataEx(&mut raw, ptx.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr()))
            }
        };
        loaded.map_err(|error| explain(error, &log))?;
        Ok(Self { raw, context: Arc::clone(context) })
    }

    /// The driver's handle.
    pub(super) fn raw(&self) -> CUmodule {
        self.raw
    }

    /// The context that it is loaded in.
    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded here and unloaded once; whoever has queued one of its kernels holds it until that is done.
        unsafe { self.context.release(Leftover::Module(self.raw)) };
    }
}

/// Tells the errors of an old driver from others, with what its compiler wrote to `log`.
pub(super) fn explain(error: CudaError, log: &[u8]) -> CudaError {
    match error {
        // NO_BINARY_FOR_GPU, INVALID_PTX, UNSUPPORTED_PTX_VERSION
        CudaError::Driver { code: 209 | 218 | 222, name, .. } => {
            let text = log.split(|&byte| byte == 0).next().unwrap_or_default();
            let text = String::from_utf8_lossy(text);
            CudaError::DriverTooOld {
                driver: init::version().unwrap_or_else(|_| "unknown".into()),
                name,
                log: text.trim().replace('\n', "; "),
            }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn driver_error(code: u32) -> CudaError {
        CudaError::Driver { call: "cuModuleLoadDataEx", code, name: format!("E{code}") }
    }

    #[test]
    fn unsupported_ptx_means_an_old_driver() {
        let error = explain(driver_error(222), b"ptxas: too new\nfatal\n\0rest");
        let CudaError::DriverTooOld { name, log, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!((name.as_str(), log.as_str()), ("E222", "ptxas: too new; fatal"));
    }

    #[test]
    fn other_errors_stay() {
        assert_eq!(explain(driver_error(2), b"log\0"), driver_error(2));
    }
}
