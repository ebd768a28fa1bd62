//! Marks in a stream, to wait for and to measure the time between two.

use std::ptr;
use std::sync::Arc;

use super::call::{call, check, status};
use super::context::Context;
use super::deferred::Leftover;
use super::error::CudaError;
use super::gpu::Gpu;
use super::table::{CU_EVENT_DEFAULT, CU_EVENT_DISABLE_TIMING, CUDA_ERROR_NOT_READY, CUevent};

/// A mark that a stream reaches.
#[derive(Debug)]
pub(crate) struct Event {
    raw: CUevent,
    context: Arc<Context>,
}

// SAFETY: the driver takes an event from any thread, and from several at once.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// A new mark, not yet in a stream. Only with `timing` is the time of reaching it kept.
    pub(crate) fn new(gpu: &Gpu, timing: bool) -> Result<Self, CudaError> {
        let context = Arc::clone(gpu.context());
        let mut raw = ptr::null_mut();
        {
            let _bound = context.bind()?;
            let flags = if timing { CU_EVENT_DEFAULT } else { CU_EVENT_DISABLE_TIMING };
            // SAFETY: writes one pointer.
            unsafe { call!(cuEventCreate(&mut raw, flags)) }?;
        }
        Ok(Self { raw, context })
    }

    /// Whether the stream has reached the mark; a mark in no stream is reached. Errors of the work before it come back
    /// here.
    pub(crate) fn query(&self) -> Result<bool, CudaError> {
        let _bound = self.context.bind()?;
        // SAFETY: the event is alive.
        match unsafe { status!(cuEventQuery(self.raw)) }? {
            CUDA_ERROR_NOT_READY => Ok(false),
            code => check("cuEventQuery", code).map(|()| true),
        }
    }

    /// Waits until the stream has reached the mark. Errors of the work before it come back here.
    pub(crate) fn synchronize(&self) -> Result<(), CudaError> {
        let _bound = self.context.bind()?;
        // SAFETY: the event is alive.
        unsafe { call!(cuEventSynchronize(self.raw)) }
    }

    /// The milliseconds from `start` to this mark, both of them reached and made with `timing`.
    pub(crate) fn elapsed_ms(&self, start: &Self) -> Result<f32, CudaError> {
        let _bound = self.context.bind()?;
        let mut milliseconds = 0.0;
        // SAFETY: writes one number; both events are alive.
        unsafe { call!(cuEventElapsedTime(&mut milliseconds, start.raw, self.raw)) }?;
        Ok(milliseconds)
    }

    /// The driver's handle.
    pub(super) fn raw(&self) -> CUevent {
        self.raw
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created here and destroyed once; the driver keeps what streams still refer to.
        unsafe { self.context.release(Leftover::Event(self.raw)) };
    }
}
