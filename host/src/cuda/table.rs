//! The driver's functions that this crate calls, as one table of pointers: their types, and how the table is filled.
//!
//! All is as `cuda.h` declares it, but that a status is a plain number: newer drivers answer with codes that no
//! declaration of today knows.

use std::ffi::{c_char, c_void};

#[cfg(feature = "cuda")]
use libloading::Library;

use super::cluster::CUlaunchConfig;

/// A context.
pub(crate) type CUcontext = *mut c_void;
/// A queue of work.
pub(crate) type CUstream = *mut c_void;
/// A mark in a queue.
pub(super) type CUevent = *mut c_void;
/// Compiled PTX.
pub(super) type CUmodule = *mut c_void;
/// A kernel of a module.
pub(super) type CUfunction = *mut c_void;
/// A GPU: its number.
pub(super) type CUdevice = i32;
/// An address in a GPU's memory.
pub(super) type CUdeviceptr = u64;

/// The status of a call that went well.
pub(super) const CUDA_SUCCESS: u32 = 0;
/// The status when an argument is bad.
#[cfg(feature = "cust")]
pub(super) const CUDA_ERROR_INVALID_VALUE: u32 = 1;
/// The status when there is no memory left.
pub(super) const CUDA_ERROR_OUT_OF_MEMORY: u32 = 2;
/// The status when the driver sees no GPU.
pub(super) const CUDA_ERROR_NO_DEVICE: u32 = 100;
/// The status when a module has no such kernel.
pub(super) const CUDA_ERROR_NOT_FOUND: u32 = 500;
/// The status of a mark that is not reached yet.
pub(super) const CUDA_ERROR_NOT_READY: u32 = 600;

/// A stream that does not wait for the default stream.
pub(super) const CU_STREAM_NON_BLOCKING: u32 = 1;
/// An event as it is by default, which takes the time.
pub(super) const CU_EVENT_DEFAULT: u32 = 0;
/// An event that takes no time, and so costs less.
pub(super) const CU_EVENT_DISABLE_TIMING: u32 = 2;
/// Page-locked memory that all contexts know.
pub(super) const CU_MEMHOSTALLOC_PORTABLE: u32 = 1;
/// As above, for memory that was there before.
pub(super) const CU_MEMHOSTREGISTER_PORTABLE: u32 = 1;

/// The clock of the multiprocessors, in kHz.
pub(super) const CU_DEVICE_ATTRIBUTE_CLOCK_RATE: u32 = 13;
/// The number of multiprocessors.
pub(super) const CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: u32 = 16;
/// The clock of the memory, in kHz.
pub(super) const CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: u32 = 36;
/// The bits that memory sends at a time.
pub(super) const CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: u32 = 37;
/// The bytes of the L2 cache.
pub(super) const CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: u32 = 38;
/// The compute capability, before the dot.
pub(super) const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: u32 = 75;
/// The compute capability, after the dot.
pub(super) const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: u32 = 76;
/// The most shared memory that a block may ask for.
pub(super) const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: u32 = 97;

/// The context that memory was allocated in.
#[cfg(feature = "cust")]
pub(super) const CU_POINTER_ATTRIBUTE_CONTEXT: u32 = 1;
/// The number of the GPU whose memory it is.
#[cfg(feature = "cust")]
pub(super) const CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: u32 = 9;
/// A kernel's local memory.
pub(super) const CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: u32 = 3;
/// A kernel's registers.
pub(super) const CU_FUNC_ATTRIBUTE_NUM_REGS: u32 = 4;
/// The most dynamic shared memory that a kernel's launches may ask for.
pub(super) const CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: u32 = 8;
/// Whether a kernel's clusters may have more than 8 blocks.
pub(super) const CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: u32 = 14;

/// Where the compiler writes its errors.
pub(super) const CU_JIT_ERROR_LOG_BUFFER: u32 = 5;
/// How much it may write there.
pub(super) const CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: u32 = 6;

macro_rules! functions {
    ($($(#[$when:meta])* $name:ident($($argument:ident: $kind:ty),*);)*) => {
        /// The functions by name; `None` for those that the driver lacks.
        #[allow(non_snake_case, reason = "the driver's own names")]
        pub(super) struct Table {
            $($(#[$when])* pub(super) $name: Option<unsafe extern "C" fn($($argument: $kind),*) -> u32>),*
        }

        #[cfg(feature = "cuda")]
        impl Table {
            /// The functions as `library` has them.
            ///
            /// # Safety
            ///
            /// It is the driver's library, and stays open as long as the table is used.
            pub(super) unsafe fn read(library: &Library) -> Self {
                Self {
                    // SAFETY: under this name the driver has a function of this type, as its header says.
                    $($(#[$when])* $name: unsafe { library.get(stringify!($name)) }.ok().map(|function| *function)),*
                }
            }
        }
    };
}

functions! {
    cuInit(flags: u32);
    cuDriverGetVersion(version: *mut i32);
    cuGetErrorName(code: u32, text: *mut *const c_char);

    cuDeviceGetCount(count: *mut i32);
    cuDeviceGet(device: *mut CUdevice, ordinal: i32);
    cuDeviceGetName(name: *mut c_char, len: i32, device: CUdevice);
    cuDeviceGetAttribute(value: *mut i32, attribute: u32, device: CUdevice);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    cuDevicePrimaryCtxRelease_v2(device: CUdevice);

    cuCtxGetCurrent(context: *mut CUcontext);
    cuCtxPushCurrent_v2(context: CUcontext);
    cuCtxPopCurrent_v2(context: *mut CUcontext);

    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    cuMemFree_v2(address: CUdeviceptr);
    cuMemHostAlloc(start: *mut *mut c_void, bytes: usize, flags: u32);
    cuMemFreeHost(start: *mut c_void);
    cuMemHostRegister_v2(start: *mut c_void, bytes: usize, flags: u32);
    cuMemHostUnregister(start: *mut c_void);
    cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemsetD8Async(to: CUdeviceptr, byte: u8, count: usize, stream: CUstream);

    cuStreamCreateWithPriority(stream: *mut CUstream, flags: u32, priority: i32);
    cuStreamDestroy_v2(stream: CUstream);
    cuStreamSynchronize(stream: CUstream);
    cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: u32);
    #[cfg(feature = "cust")]
    cuStreamGetCtx(stream: CUstream, context: *mut CUcontext);
    #[cfg(feature = "cust")]
    cuPointerGetAttribute(value: *mut c_void, attribute: u32, address: CUdeviceptr);

    cuEventCreate(event: *mut CUevent, flags: u32);
    cuEventDestroy_v2(event: CUevent);
    cuEventRecord(event: CUevent, stream: CUstream);
    cuEventQuery(event: CUevent);
    cuEventSynchronize(event: CUevent);
    cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);

    cuModuleLoadDataEx(
        module: *mut CUmodule,
        image: *const c_void,
        count: u32,
        options: *mut u32,
        values: *mut *mut c_void
    );
    cuModuleUnload(module: CUmodule);
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    cuFuncGetAttribute(value: *mut i32, attribute: u32, function: CUfunction);
    cuFuncSetAttribute(function: CUfunction, attribute: u32, value: i32);
    cuLaunchKernel(
        function: CUfunction,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_bytes: u32,
        stream: CUstream,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void
    );
    cuLaunchKernelEx(
        config: *const CUlaunchConfig,
        function: CUfunction,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void
    );
}
