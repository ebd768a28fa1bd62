//! Errors of warplu as Python's.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PyMemoryError, PyNotImplementedError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use warplu::{CudaError, Error};

/// Does `work` with Python's lock released, and makes of its error, or of a panic, an exception.
pub(crate) fn released<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R, Error> + Send) -> PyResult<R> {
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(result) => result.map_err(exception),
        Err(payload) => {
            let told = payload.downcast_ref::<String>().map(String::as_str);
            let told = told.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(PyRuntimeError::new_err(format!("a defect of warplu, please report it: {told}")))
        }
    }
}

/// The exception for an error, with its message.
pub(crate) fn exception(error: Error) -> PyErr {
    let text = error.to_string();
    match innermost(&error) {
        Error::Shape(_) | Error::UnknownDevice(_) | Error::UnknownAlgorithm(_) => PyValueError::new_err(text),
        Error::Unsupported(_) | Error::TooLarge { .. } | Error::AlgorithmTooLarge { .. } => {
            PyNotImplementedError::new_err(text)
        }
        Error::Memory { .. } | Error::HostMemory { .. } => PyMemoryError::new_err(text),
        Error::Cuda(
            CudaError::OutOfMemory { .. } | CudaError::OutOfHostMemory { .. } | CudaError::Driver { code: 2, .. },
        ) => PyMemoryError::new_err(text),
        Error::Io(_) => PyOSError::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}

/// Of several devices, what happened to the one that failed.
fn innermost(error: &Error) -> &Error {
    match error {
        Error::OneOfSeveral { source, .. } => innermost(source),
        other => other,
    }
}
