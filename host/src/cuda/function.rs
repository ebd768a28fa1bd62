//! Kernels, and their launch.

use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::Arc;

use cust::sys::{CUfunction, CUfunction_attribute};

use super::Stream;
use super::call::call;
use super::error::CudaError;
use super::module::Module;
use super::module::explain;

/// A kernel of a module, which it keeps loaded.
#[derive(Debug)]
pub(crate) struct Function {
    raw: CUfunction,
    module: Arc<Module>,
}

/// What a kernel uses, as its compiler decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FunctionInfo {
    /// Registers of a thread.
    pub(crate) registers: u32,
    /// Bytes of a thread in local memory: spilled registers and arrays that are indexed.
    pub(crate) local_bytes: u32,
    /// Bytes of shared memory of a block, apart from what its launch adds.
    pub(crate) shared_bytes: u32,
    /// The most threads of a block that its registers allow.
    pub(crate) max_threads: u32,
}

// SAFETY: a kernel may be used from any thread, by several at once.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// The kernel of this name.
    pub(crate) fn get(module: &Arc<Module>, entry: &str) -> Result<Self, CudaError> {
        let missing =
            |_| CudaError::Driver { call: "cuModuleGetFunction", code: 500, name: "CUDA_ERROR_NOT_FOUND".into() };
        let entry = CString::new(entry).map_err(missing)?;
        let mut raw = ptr::null_mut();
        {
            let _bound = module.context().bind()?;
            // SAFETY: writes one pointer; the name is nul-terminated.
            let found = unsafe { call!(cuModuleGetFunction(&mut raw, module.raw(), entry.as_ptr())) };
            // A driver that loads lazily compiles only here.
            found.map_err(|error| explain(error, &[]))?;
        }
        Ok(Self { raw, module: Arc::clone(module) })
    }

    /// Lets launches ask for up to `bytes` of shared memory. Without this the limit is 48 KiB.
    pub(crate) fn set_max_shared_bytes(&self, bytes: u32) -> Result<(), CudaError> {
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // No GPU has so much: the driver refuses it by its own error.
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        let _bound = self.module.context().bind()?;
        // SAFETY: the kernel is loaded.
        unsafe { call!(cuFuncSetAttribute(self.raw, attribute, bytes)) }
    }

    /// What the kernel uses.
    pub(crate) fn info(&self) -> Result<FunctionInfo, CudaError> {
        let _bound = self.module.context().bind()?;
        let attribute = |attribute| {
            let mut value = 0;
            // SAFETY: writes one integer; the kernel is loaded.
            unsafe { call!(cuFuncGetAttribute(&mut value, attribute, self.raw)) }?;
            Ok::<_, CudaError>(value.unsigned_abs())
        };
        Ok(FunctionInfo {
            registers: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            shared_bytes: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            max_threads: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        })
    }

    /// Queues the kernel, with `arguments` as its only parameter and `shared_bytes` of dynamic shared memory.
    ///
    /// # Safety
    ///
    /// The kernel takes one `A` by value, laid out alike on both sides. The stream is on the kernel's GPU. The memory
    /// that the arguments name stays allocated until the kernel is done, and nothing else writes to it meanwhile.
    pub(crate) unsafe fn launch<A>(
        &self,
        stream: &Stream,
        grid: [u32; 3],
        block: [u32; 3],
        shared_bytes: u32,
        arguments: &A,
    ) -> Result<(), CudaError> {
        let mut parameters = [ptr::from_ref(arguments).cast_mut().cast::<c_void>()];
        let _bound = stream.context().bind()?;
        // SAFETY: the driver copies the parameter before it returns; for the rest, as the caller promises.
        unsafe {
            call!(cuLaunchKernel(
                self.raw,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                shared_bytes,
                stream.raw(),
                parameters.as_mut_ptr(),
                ptr::null_mut(),
            ))
        }
    }
}
