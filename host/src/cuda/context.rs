//! A device's primary context: the one that every CUDA user of the process shares.

use std::marker::PhantomData;
use std::ptr;

use cust::device::Device;
use cust::sys::CUcontext;

use super::call::call;
use super::error::CudaError;

/// A hold on the primary context of a device.
///
/// cust's own type also makes the context current for good, which would take the caller's GPU from under its feet.
#[derive(Debug)]
pub(super) struct Context {
    raw: CUcontext,
    device: Device,
}

// SAFETY: a context may be used from any thread, by several at once.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// Takes hold of the device's primary context, creating it if nobody else uses it.
    pub(super) fn retain(device: Device) -> Result<Self, CudaError> {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one pointer.
        unsafe { call!(cuDevicePrimaryCtxRetain(&mut raw, device.as_raw())) }?;
        Ok(Self { raw, device })
    }

    /// Makes the context current on this thread until the guard drops.
    pub(super) fn bind(&self) -> Result<Bound<'_>, CudaError> {
        let mut current = ptr::null_mut();
        // SAFETY: writes one pointer.
        unsafe { call!(cuCtxGetCurrent(&mut current)) }?;
        let pushed = current != self.raw;
        if pushed {
            // SAFETY: the context is held.
            unsafe { call!(cuCtxPushCurrent_v2(self.raw)) }?;
        }
        Ok(Bound { pushed, context: PhantomData })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once. A driver that has already shut down says so, and nothing is left to release.
        let _ = unsafe { call!(cuDevicePrimaryCtxRelease_v2(self.device.as_raw())) };
    }
}

/// A context that is current on this thread. Dropping it brings the caller's own context back.
pub(super) struct Bound<'a> {
    pushed: bool,
    /// Also keeps the guard on its thread.
    context: PhantomData<(&'a Context, *const ())>,
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        if self.pushed {
            let mut popped = ptr::null_mut();
            // SAFETY: pops what `bind` pushed.
            let _ = unsafe { call!(cuCtxPopCurrent_v2(&mut popped)) };
        }
    }
}
