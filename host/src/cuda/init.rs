//! The driver, initialised.

use std::sync::atomic::{AtomicUsize, Ordering};

use simt::cpu::threads;

use super::call::call;
use super::error::CudaError;
use super::table::CUDA_ERROR_NO_DEVICE;

/// The process in which the driver was initialised, by its [forks](threads::forks) from 1; 0 before.
static OWNER: AtomicUsize = AtomicUsize::new(0);

/// Opens and initialises the driver. Cheap after the first time.
pub(super) fn load() -> Result<(), CudaError> {
    let own = threads::forks() + 1;
    let owner = OWNER.load(Ordering::Relaxed);
    if owner != 0 && owner != own {
        return Err(CudaError::Forked);
    }
    // SAFETY: may be called at any time, any number of times.
    match unsafe { call!(cuInit(0)) } {
        Err(CudaError::Driver { code: CUDA_ERROR_NO_DEVICE, .. }) => Err(CudaError::NoDevice),
        Err(other) => Err(other),
        Ok(()) => {
            OWNER.store(own, Ordering::Relaxed);
            Ok(())
        }
    }
}

/// The newest CUDA version that the driver supports, such as 13.0.
pub(super) fn version() -> Result<String, CudaError> {
    let mut version = 0;
    // SAFETY: writes one integer.
    unsafe { call!(cuDriverGetVersion(&mut version)) }?;
    Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
}
