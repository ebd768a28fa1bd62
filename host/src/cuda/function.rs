//! Kernels.

use std::ffi::CString;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::call::call;
use super::error::CudaError;
use super::module::{Module, explain};
use super::table::{
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, CU_FUNC_ATTRIBUTE_NUM_REGS, CUDA_ERROR_NOT_FOUND, CUfunction,
};

/// The dynamic shared memory that every launch may ask for.
const DEFAULT_SHARED_BYTES: u32 = 48 << 10;

/// A kernel, and its module.
#[derive(Debug)]
pub(crate) struct Function {
    raw: CUfunction,
    module: Arc<Module>,
    /// The most dynamic shared memory that launches may ask for.
    shared_bytes: Mutex<u32>,
    /// Whether clusters may have more than 8 blocks.
    large_clusters: AtomicBool,
}

/// What a kernel uses, as its compiler decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FunctionInfo {
    /// Registers of a thread.
    pub(crate) registers: u32,
    /// Bytes of a thread in local memory: spilled registers and arrays that are indexed.
    pub(crate) local_bytes: u32,
}

// SAFETY: the driver takes a kernel from any thread, and from several at once.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// The kernel of this name.
    pub(crate) fn get(module: Arc<Module>, entry: &str) -> Result<Self, CudaError> {
        let missing = |_| CudaError::Driver {
            call: "cuModuleGetFunction",
            code: CUDA_ERROR_NOT_FOUND,
            name: "CUDA_ERROR_NOT_FOUND".into(),
        };
        let entry = CString::new(entry).map_err(missing)?;
        let mut raw = ptr::null_mut();
        {
            let _bound = module.context().bind()?;
            // SAFETY: writes one pointer; the name is nul-terminated.
            let found = unsafe { call!(cuModuleGetFunction(&mut raw, module.raw(), entry.as_ptr())) };
            // A driver that loads lazily compiles only here.
            found.map_err(|error| explain(error, &[]))?;
        }
        Ok(Self { raw, module, shared_bytes: Mutex::new(DEFAULT_SHARED_BYTES), large_clusters: AtomicBool::new(false) })
    }

    /// Lets launches ask for up to `bytes` of shared memory, or more where somebody wanted more before.
    pub(crate) fn set_max_shared_bytes(&self, bytes: u32) -> Result<(), CudaError> {
        // Held over the driver's call: of two threads, the one that wants more must have the last word.
        let mut most = self.shared_bytes.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes <= *most {
            return Ok(());
        }
        let attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let wanted = bytes;
        // No GPU has so much: the driver refuses it by its own error.
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        let _bound = self.module.context().bind()?;
        // SAFETY: the kernel is loaded.
        unsafe { call!(cuFuncSetAttribute(self.raw, attribute, bytes)) }?;
        *most = wanted;
        Ok(())
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
            registers: attribute(CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        })
    }

    /// Lets clusters have more blocks than every GPU with clusters has.
    pub(super) fn allow_large_clusters(&self) -> Result<(), CudaError> {
        if self.large_clusters.load(Ordering::Relaxed) {
            return Ok(());
        }
        let attribute = CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        let _bound = self.module.context().bind()?;
        // SAFETY: the kernel is loaded.
        unsafe { call!(cuFuncSetAttribute(self.raw, attribute, 1)) }?;
        self.large_clusters.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The driver's handle.
    pub(super) fn raw(&self) -> CUfunction {
        self.raw
    }
}
