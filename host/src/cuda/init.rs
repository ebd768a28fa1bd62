//! The driver, initialised.

use super::call::call;
use super::error::CudaError;
use super::table::CUDA_ERROR_NO_DEVICE;

/// Opens and initialises the driver. Cheap after the first time.
pub(super) fn load() -> Result<(), CudaError> {
    // SAFETY: may be called at any time, any number of times.
    match unsafe { call!(cuInit(0)) } {
        Err(CudaError::Driver { code: CUDA_ERROR_NO_DEVICE, .. }) => Err(CudaError::NoDevice),
        other => other,
    }
}

/// The newest CUDA version that the driver supports, such as 13.0.
pub(super) fn version() -> Result<String, CudaError> {
    let mut version = 0;
    // SAFETY: writes one integer.
    unsafe { call!(cuDriverGetVersion(&mut version)) }?;
    Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
}
