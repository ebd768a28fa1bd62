//! What calls of these libraries take, and what they answer.

use std::ffi::c_int;

use crate::dtype::Dtype;
use crate::failure::{Failure, Result};

/// An error unless a call's status is that of success.
pub(super) fn check(call: &str, status: c_int) -> Result<()> {
    match status {
        0 => Ok(()),
        _ => {
            let list = if call.starts_with("cublas") { "cublasStatus_t" } else { "cusolverStatus_t" };
            Err(Failure::Bench(format!("{call} failed with status {status} (see {list} in NVIDIA's documentation)")))
        }
    }
}

/// A size as these libraries take it.
pub(super) fn int(size: usize) -> Result<c_int> {
    c_int::try_from(size).map_err(|_| Failure::Bench(format!("{size} is more than the library takes")))
}

/// The letter of a type in LAPACK's names.
pub(super) fn letter(dtype: Dtype) -> Option<char> {
    match dtype {
        Dtype::F16 => None,
        Dtype::F32 => Some('S'),
        Dtype::F64 => Some('D'),
        Dtype::C32 => Some('C'),
        Dtype::C64 => Some('Z'),
    }
}

/// One-based pivots as zero-based; 0, which is none, becomes one that leads nowhere.
pub(super) fn zero_based(pivots: Vec<i32>) -> Vec<u32> {
    pivots.into_iter().map(|pivot| pivot.wrapping_sub(1).cast_unsigned()).collect()
}
