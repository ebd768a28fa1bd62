//! The calls about streams: to create and destroy them, to wait for them, and to let them wait for events.

use crate::border::{Out, Outcome, fault};
use crate::codes::INVALID_HANDLE;
use crate::entering::driver;
use crate::state::State;
use crate::stream::Stream;
use crate::table::Handle;
use crate::work::Work;

impl State {
    fn create_stream(&mut self, flags: u32) -> Outcome<Handle> {
        let context = self.contexts.current()?;
        Ok(self.streams.insert(Stream::new(context, flags)))
    }
}

driver! {
    fn cuStreamCreate(stream: Out<Handle>, flags: u32) |state| stream.set(state.create_stream(flags)?);

    fn cuStreamCreateWithPriority(stream: Out<Handle>, flags: u32, _priority: i32) |state| {
        stream.set(state.create_stream(flags)?)
    };

    fn cuStreamDestroy_v2(stream: Handle) |state| {
        let stream = state.stream(stream)?;
        let it = state.streams.get_mut(stream)?;
        if it.is_default() {
            return Err(fault(INVALID_HANDLE, "the default stream is destroyed"));
        }
        it.destroyed = true;
        // Its work is still done, if there is any.
        state.streams.retain(|stream| stream.is_alive() || !stream.queue.is_empty());
        Ok(())
    };

    fn cuStreamSynchronize(stream: Handle) |state| {
        let stream = state.stream(stream)?;
        state.refuse_captured(stream)?;
        state.run(stream, u64::MAX);
        Ok(())
    };

    fn cuStreamQuery(stream: Handle) |state| {
        let stream = state.stream(stream)?;
        state.refuse_captured(stream)?;
        let last = state.streams.get(stream)?.last;
        state.ask(stream, last)
    };

    fn cuStreamGetCtx(stream: Handle, context: Out<Handle>) |state| {
        let stream = state.stream(stream)?;
        context.set(state.streams.get(stream)?.context)
    };

    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: u32) |state| {
        let stream = state.stream(stream)?;
        let event = state.events.get(event)?;
        if let Some(capture) = event.capture {
            return state.join(stream, capture);
        }
        // An event that was never recorded holds nobody up.
        let Some((other, place)) = event.place else { return Ok(()) };
        state.refuse_foreign(stream)?;
        state.queue(stream, Work::Wait { stream: other, place })?;
        Ok(())
    };
}
