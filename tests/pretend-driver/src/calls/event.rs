//! The calls about events: to record them, to wait for them, and to ask for the time between them.

use crate::border::{Out, Outcome, fault};
use crate::codes::{INVALID_HANDLE, NOT_READY};
use crate::entering::driver;
use crate::event::Event;
use crate::state::State;
use crate::table::Handle;
use crate::work::Work;

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
        self.events.get_mut(handle)?.record(stream, place, capture);
        Ok(())
    }

    /// The place of an event whose work may be waited for, if it was recorded at all.
    fn place(&self, event: Handle) -> Outcome<Option<(Handle, u64)>> {
        self.contexts.current()?;
        self.events.get(event)?.awaited()
    }

    /// The mark of an event that is reached.
    fn mark(&self, event: Handle) -> Outcome<u64> {
        let event = self.events.get(event)?;
        let (stream, place) = event.timed()?;
        // All work of a stream that is gone is done.
        let pending = self.streams.get(stream).is_ok_and(|stream| !stream.has_done(place));
        event.reached.filter(|_| !pending).ok_or(NOT_READY.into())
    }
}

driver! {
    fn cuEventCreate(event: Out<Handle>, flags: u32) |state| {
        let context = state.contexts.current()?;
        event.set(state.events.insert(Event::new(context, flags)))
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
