//! Calls of the driver, with their error codes turned into [`CudaError`].

use std::ffi::{CStr, c_char};
use std::ptr;

use cust::sys::{self, CUresult};

use super::error::CudaError;

/// A driver function whose status is read as a plain number.
///
/// cust declares the status as an enum, of which the codes that newer drivers added are no values.
pub(super) trait Coded {
    /// The same function, with a plain number for its status.
    type Function;

    /// The function under the other type.
    fn coded(self) -> Self::Function;
}

macro_rules! coded {
    ($($argument:ident)*) => {
        impl<$($argument),*> Coded for unsafe extern "C" fn($($argument),*) -> CUresult {
            type Function = unsafe extern "C" fn($($argument),*) -> u32;

            fn coded(self) -> Self::Function {
                // SAFETY: the enum is `repr(u32)`, which C functions return just as they return a `u32`.
                unsafe { std::mem::transmute(self) }
            }
        }
    };
}

coded!(A);
coded!(A B);
coded!(A B C);
coded!(A B C D);
coded!(A B C D E);
coded!(A B C D E F G H I J K);

/// `call!(cuName(arguments))`: calls `cust::sys::cuName` for a `Result<(), CudaError>`.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let function: unsafe extern "C" fn($($crate::cuda::call::any!($argument)),*) -> _ =
            cust::sys::$name;
        let function = $crate::cuda::call::Coded::coded(function);
        $crate::cuda::call::check(stringify!($name), function($($argument),*))
    }};
}
pub(super) use call;

/// The type `_`, once per argument.
macro_rules! any {
    ($argument:expr) => {
        _
    };
}
pub(super) use any;

/// An error unless `code` is that of success.
pub(super) fn check(call: &'static str, code: u32) -> Result<(), CudaError> {
    match code {
        0 => Ok(()),
        code => Err(CudaError::Driver { call, code, name: name(code) }),
    }
}

/// The driver's name of an error code, such as `CUDA_ERROR_INVALID_VALUE`.
pub(super) fn name(code: u32) -> String {
    let mut text: *const c_char = ptr::null();
    // SAFETY: both signatures have the same layout, and an unknown code is no value of the enum.
    let get_name: unsafe extern "C" fn(u32, *mut *const c_char) -> u32 = unsafe {
        std::mem::transmute(sys::cuGetErrorName as unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult)
    };
    // SAFETY: writes one pointer.
    let status = unsafe { get_name(code, &mut text) };
    if status != 0 || text.is_null() {
        return format!("CUDA error {code}");
    }
    // SAFETY: the driver's names are strings that live as long as the driver.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
