//! Events: marks in streams.

use crate::border::{Out, Outcome, fault};
use crate::codes::{CAPTURED_EVENT, INVALID_HANDLE, NOT_READY};
use crate::state::State;
use crate::table::Handle;
use crate::work::Work;

/// The flag of an event that takes no time.
const NO_TIMING: u32 = 2;

/// A mark that a stream reaches.
pub(crate) struct Event {
    pub(crate) context: Handle,
    timed: bool,
    /// The stream that it was last recorded in, and where.
    pub(crate) place: Option<(Handle, u64)>,
    /// The capture that it was last recorded in instead.
    pub(crate) capture: Option<Handle>,
    /// Which of all marks it was, once it is reached.
    pub(crate) reached: Option<u64>,
}

impl State {
    fn record(&mut self, handle: Handle, stream: Handle) -> Outcome {
        let context = self.events.get(handle)?.context;
        let stream = self.stream(stream)?;
        let (of_stream, capture) = {
            let stream = self.streams.get(stream)?;
            (stream.context, stream.capture)
        };
        if of_stream != context {
            return Err(fault(INVALID_HANDLE, "an event of one context is recorded in a stream of another"));
        }
        let place = self.queue(stream, Work::Mark(handle))?;
        let event = self.events.get_mut(handle)?;
        (event.capture, event.reached) = (capture, None);
        event.place = capture.is_none().then_some((stream, place));
        Ok(())
    }

    /// The place of an event whose work may be waited for, if it was recorded at all.
    fn place(&self, event: Handle) -> Outcome<Option<(Handle, u64)>> {
        self.contexts.current()?;
        let event = self.events.get(event)?;
        match event.capture {
            Some(_) => Err(CAPTURED_EVENT.into()),
            None => Ok(event.place),
        }
    }

    /// The mark of an event that is reached.
    fn mark(&self, event: Handle) -> Outcome<u64> {
        let event = self.events.get(event)?;
        let (stream, place) = event.place.filter(|_| event.timed).ok_or(INVALID_HANDLE)?;
        // All work of a stream that is gone is done.
        let pending = self.streams.get(stream).is_ok_and(|stream| !stream.has_done(place));
        event.reached.filter(|_| !pending).ok_or(NOT_READY.into())
    }
}

driver! {
    fn cuEventCreate(event: Out<Handle>, flags: u32) |state| {
        let context = state.contexts.current()?;
        let timed = flags & NO_TIMING == 0;
        event.set(state.events.insert(Event { context, timed, place: None, capture: None, reached: None }))
    };

    fn cuEventDestroy_v2(event: Handle) |state| {
        state.contexts.current()?;
        state.events.remove(event).map(|_| ())
    };

    fn cuEventRecord(event: Handle, stream: Handle) |state| state.record(event, stream);

    fn cuEventSynchronize(event: Handle) |state| {
        if let Some((stream, place)) = state.place(event)? {
            state.run(stream, place);
        }
        Ok(())
    };

    fn cuEventQuery(event: Handle) |state| match state.place(event)? {
        // All work of a stream that is gone is done.
        Some((stream, place)) if state.streams.get(stream).is_ok() => state.ask(stream, place),
        _ => Ok(()),
    };

    // A millisecond from a mark to the next one, in whatever stream.
    fn cuEventElapsedTime(milliseconds: Out<f32>, start: Handle, end: Handle) |state| {
        state.contexts.current()?;
        let (start, end) = (state.mark(start)?, state.mark(end)?);
        milliseconds.set(end as f32 - start as f32)
    };
}
