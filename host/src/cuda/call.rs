//! Calls of the driver through its table, with their error codes turned into [`CudaError`].

use std::ffi::CStr;
use std::ptr;

use super::error::CudaError;
use super::table::CUDA_SUCCESS;

/// `status!(cuName(arguments))`: calls the driver's function for its status, a `Result<u32, CudaError>`. The error is
/// that there is no driver, or no such function in it.
macro_rules! status {
    ($name:ident($($argument:expr),* $(,)?)) => {
        match $crate::cuda::driver::table() {
            Ok(table) => match table.$name {
                Some(function) => Ok(function($($argument),*)),
                None => Err($crate::cuda::CudaError::NoFunction { function: stringify!($name) }),
            },
            Err(error) => Err(error),
        }
    };
}
pub(super) use status;

/// `call!(cuName(arguments))`: calls the driver's function for a `Result<(), CudaError>`.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {
        $crate::cuda::call::status!($name($($argument),*))
            .and_then(|code| $crate::cuda::call::check(stringify!($name), code))
    };
}
pub(super) use call;

/// An error unless `code` is that of success.
pub(super) fn check(call: &'static str, code: u32) -> Result<(), CudaError> {
    match code {
        CUDA_SUCCESS => Ok(()),
        code => Err(CudaError::Driver { call, code, name: name(code) }),
    }
}

/// The driver's name of an error code, such as `CUDA_ERROR_INVALID_VALUE`.
fn name(code: u32) -> String {
    let mut text = ptr::null();
    // SAFETY: writes one pointer.
    let status: Result<u32, CudaError> = unsafe { status!(cuGetErrorName(code, &mut text)) };
    if status != Ok(CUDA_SUCCESS) || text.is_null() {
        return format!("CUDA error {code}");
    }
    // SAFETY: the driver's names are strings that live as long as the driver, which is never closed.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_is_no_error() {
        assert_eq!(check("cuInit", 0), Ok(()));
    }

    #[test]
    fn an_error_without_a_name_is_called_by_its_number() {
        let Err(CudaError::Driver { call, code, name }) = check("cuInit", 123_456) else {
            panic!("a failure is an error");
        };
        assert_eq!((call, code, name.as_str()), ("cuInit", 123_456, "CUDA error 123456"));
    }
}
