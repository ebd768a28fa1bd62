//! The `cu*` symbols that cust refers to, defined here so that no program links libcuda.
//!
//! Each symbol jumps through its own slot. A slot starts at [`no_driver`] and is filled with the driver's function when
//! the driver library is opened (see [`super::driver`]).

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use cust::sys::CUresult;

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(target_vendor = "apple")))))]
compile_error!("the feature `cuda` needs x86_64 or aarch64, on Linux or Windows");

/// Where a symbol jumps to.
type Slot = AtomicPtr<c_void>;

/// One symbol of the driver.
pub(super) struct Symbol {
    /// Its name in the driver library.
    pub(super) name: &'static str,
    slot: &'static Slot,
}

impl Symbol {
    /// Makes the symbol jump to `function`.
    ///
    /// # Safety
    ///
    /// `function` is the driver's function of this symbol's name, and stays loaded for the rest of the program.
    pub(super) unsafe fn fill(&self, function: *mut c_void) {
        self.slot.store(function, Ordering::Release);
    }
}

/// What a symbol does while no driver is open. The caller's arguments stay untouched in their registers.
extern "C" fn no_driver() -> CUresult {
    CUresult::CUDA_ERROR_NO_DEVICE
}

// A hidden symbol neither leaves the program nor takes the place of the driver's own in another library.
#[cfg(target_os = "linux")]
macro_rules! hidden {
    ($name:ident) => {
        concat!(".hidden ", stringify!($name))
    };
}
#[cfg(not(target_os = "linux"))]
macro_rules! hidden {
    ($name:ident) => {
        ""
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    ($name:ident) => {
        std::arch::naked_asm!(
            hidden!($name),
            "jmp qword ptr [rip + {slot}]",
            slot = sym SLOT,
        )
    };
}
// x16 is the register that the calling convention leaves to veneers like this one.
#[cfg(target_arch = "aarch64")]
macro_rules! jump {
    ($name:ident) => {
        std::arch::naked_asm!(
            hidden!($name),
            "adrp x16, {slot}",
            "ldr x16, [x16, #:lo12:{slot}]",
            "br x16",
            slot = sym SLOT,
        )
    };
}

macro_rules! symbols {
    ($($name:ident)*) => {
        /// Every symbol that this crate and cust refer to.
        pub(super) static SYMBOLS: &[Symbol] = &[$({
            static SLOT: Slot = AtomicPtr::new(no_driver as *mut c_void);

            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C" fn $name() -> CUresult {
                jump!($name)
            }

            Symbol {
                name: stringify!($name),
                slot: &SLOT,
            }
        }),*];
    };
}

symbols! {
    cuArray3DCreate_v2
    cuArray3DGetDescriptor_v2
    cuArrayDestroy
    cuCtxCreate_v2
    cuCtxDestroy_v2
    cuCtxGetApiVersion
    cuCtxGetCacheConfig
    cuCtxGetCurrent
    cuCtxGetDevice
    cuCtxGetFlags
    cuCtxGetLimit
    cuCtxGetSharedMemConfig
    cuCtxGetStreamPriorityRange
    cuCtxPopCurrent_v2
    cuCtxPushCurrent_v2
    cuCtxSetCacheConfig
    cuCtxSetCurrent
    cuCtxSetLimit
    cuCtxSetSharedMemConfig
    cuCtxSynchronize
    cuDestroyExternalMemory
    cuDeviceGet
    cuDeviceGetAttribute
    cuDeviceGetCount
    cuDeviceGetName
    cuDevicePrimaryCtxRelease_v2
    cuDevicePrimaryCtxReset_v2
    cuDevicePrimaryCtxRetain
    cuDevicePrimaryCtxSetFlags_v2
    cuDeviceTotalMem_v2
    cuDriverGetVersion
    cuEventCreate
    cuEventDestroy_v2
    cuEventElapsedTime
    cuEventQuery
    cuEventRecord
    cuEventSynchronize
    cuExternalMemoryGetMappedBuffer
    cuFuncGetAttribute
    cuFuncSetAttribute
    cuFuncSetCacheConfig
    cuFuncSetSharedMemConfig
    cuGetErrorName
    cuGetErrorString
    cuGraphAddKernelNode
    cuGraphCreate
    cuGraphDebugDotPrint
    cuGraphDestroy
    cuGraphGetEdges
    cuGraphGetNodes
    cuGraphKernelNodeGetParams
    cuGraphNodeGetType
    cuImportExternalMemory
    cuInit
    cuLaunchHostFunc
    cuLaunchKernel
    cuLinkAddData_v2
    cuLinkComplete
    cuLinkCreate_v2
    cuLinkDestroy
    cuMemAdvise
    cuMemAllocAsync
    cuMemAllocHost_v2
    cuMemAllocManaged
    cuMemAlloc_v2
    cuMemFreeAsync
    cuMemFreeHost
    cuMemFree_v2
    cuMemGetInfo_v2
    cuMemPrefetchAsync
    cuMemcpy2D_v2
    cuMemcpyAtoH_v2
    cuMemcpyDtoDAsync_v2
    cuMemcpyDtoD_v2
    cuMemcpyDtoHAsync_v2
    cuMemcpyDtoH_v2
    cuMemcpyHtoA_v2
    cuMemcpyHtoDAsync_v2
    cuMemcpyHtoD_v2
    cuMemsetD16Async
    cuMemsetD16_v2
    cuMemsetD32Async
    cuMemsetD32_v2
    cuMemsetD8Async
    cuMemsetD8_v2
    cuModuleGetFunction
    cuModuleGetGlobal_v2
    cuModuleLoad
    cuModuleLoadData
    cuModuleLoadDataEx
    cuModuleUnload
    cuOccupancyAvailableDynamicSMemPerBlock
    cuOccupancyMaxActiveBlocksPerMultiprocessor
    cuOccupancyMaxPotentialBlockSize
    cuStreamCreateWithPriority
    cuStreamDestroy_v2
    cuStreamGetFlags
    cuStreamGetPriority
    cuStreamSynchronize
    cuStreamWaitEvent
    cuSurfObjectCreate
    cuSurfObjectDestroy
    cuSurfObjectGetResourceDesc
    cuTexObjectCreate
    cuTexObjectDestroy
    cuTexObjectGetResourceDesc
    cuTexObjectGetResourceViewDesc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = SYMBOLS.iter().map(|symbol| symbol.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SYMBOLS.len());
    }
}
