//! Marks in a stream, to measure the time between two.

use std::ptr;
use std::sync::Arc;

use cust::event::EventFlags;
use cust::sys::CUevent;

use super::call::call;
use super::context::Context;
use super::error::CudaError;
use super::{Gpu, Stream};

/// A mark that a stream reaches. cust's own type cannot be recorded on a caller's stream.
#[derive(Debug)]
pub(crate) struct Event {
    raw: CUevent,
    context: Arc<Context>,
}

// SAFETY: an event may be used from any thread, by several at once.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// A new mark, not yet in a stream.
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        let context = Arc::clone(gpu.context());
        let mut raw = ptr::null_mut();
        {
            let _bound = context.bind()?;
            // SAFETY: writes one pointer.
            unsafe { call!(cuEventCreate(&mut raw, EventFlags::DEFAULT.bits())) }?;
        }
        Ok(Self { raw, context })
    }

    /// Queues the mark behind the work that is in the stream now.
    pub(crate) fn record(&self, stream: &Stream) -> Result<(), CudaError> {
        let _bound = self.context.bind()?;
        // SAFETY: the event and the stream are alive.
        unsafe { call!(cuEventRecord(self.raw, stream.raw())) }
    }

    /// Waits until the stream has reached the mark.
    pub(crate) fn synchronize(&self) -> Result<(), CudaError> {
        let _bound = self.context.bind()?;
        // SAFETY: the event is alive.
        unsafe { call!(cuEventSynchronize(self.raw)) }
    }

    /// The milliseconds from `start` to this mark, both of them reached.
    pub(crate) fn elapsed_ms(&self, start: &Self) -> Result<f32, CudaError> {
        let _bound = self.context.bind()?;
        let mut milliseconds = 0.0;
        // SAFETY: writes one number; both events are alive.
        unsafe { call!(cuEventElapsedTime(&mut milliseconds, start.raw, self.raw)) }?;
        Ok(milliseconds)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(_bound) = self.context.bind() {
            // SAFETY: created here and destroyed once.
            let _ = unsafe { call!(cuEventDestroy_v2(self.raw)) };
        }
    }
}
