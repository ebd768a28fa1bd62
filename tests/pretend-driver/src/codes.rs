//! The driver's numbers of errors, and their names.

use std::ffi::CStr;

pub(crate) const INVALID_VALUE: u32 = 1;
pub(crate) const OUT_OF_MEMORY: u32 = 2;
pub(crate) const NO_DEVICE: u32 = 100;
pub(crate) const INVALID_DEVICE: u32 = 101;
pub(crate) const INVALID_CONTEXT: u32 = 201;
pub(crate) const INVALID_PTX: u32 = 218;
pub(crate) const INVALID_HANDLE: u32 = 400;
pub(crate) const NOT_FOUND: u32 = 500;
pub(crate) const NOT_READY: u32 = 600;
pub(crate) const CONTEXT_IS_DESTROYED: u32 = 709;
pub(crate) const ALREADY_REGISTERED: u32 = 712;
pub(crate) const NOT_REGISTERED: u32 = 713;
pub(crate) const CAPTURE_UNSUPPORTED: u32 = 900;
pub(crate) const CAPTURE_INVALIDATED: u32 = 901;
pub(crate) const CAPTURE_UNMATCHED: u32 = 903;
pub(crate) const CAPTURE_ISOLATION: u32 = 905;
pub(crate) const CAPTURED_EVENT: u32 = 907;

/// The name of an error, if it is known.
pub(crate) fn name(code: u32) -> Option<&'static CStr> {
    Some(match code {
        0 => c"CUDA_SUCCESS",
        INVALID_VALUE => c"CUDA_ERROR_INVALID_VALUE",
        OUT_OF_MEMORY => c"CUDA_ERROR_OUT_OF_MEMORY",
        NO_DEVICE => c"CUDA_ERROR_NO_DEVICE",
        INVALID_DEVICE => c"CUDA_ERROR_INVALID_DEVICE",
        INVALID_CONTEXT => c"CUDA_ERROR_INVALID_CONTEXT",
        INVALID_PTX => c"CUDA_ERROR_INVALID_PTX",
        INVALID_HANDLE => c"CUDA_ERROR_INVALID_HANDLE",
        NOT_FOUND => c"CUDA_ERROR_NOT_FOUND",
        NOT_READY => c"CUDA_ERROR_NOT_READY",
        700 => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        CONTEXT_IS_DESTROYED => c"CUDA_ERROR_CONTEXT_IS_DESTROYED",
        ALREADY_REGISTERED => c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        NOT_REGISTERED => c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
        CAPTURE_UNSUPPORTED => c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
        CAPTURE_INVALIDATED => c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
        CAPTURE_UNMATCHED => c"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
        CAPTURE_ISOLATION => c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
        CAPTURED_EVENT => c"CUDA_ERROR_CAPTURED_EVENT",
        999 => c"CUDA_ERROR_UNKNOWN",
        _ => return None,
    })
}
