//! Streams: queues of work.

use std::collections::VecDeque;

use crate::border::{Out, Outcome, fault};
use crate::codes::{INVALID_HANDLE, NOT_READY};
use crate::memory::Kind;
use crate::state::State;
use crate::table::Handle;
use crate::work::Work;

/// The flag of a stream that does not wait for the default stream.
const NON_BLOCKING: u32 = 1;

/// A queue of work of a context.
pub(crate) struct Stream {
    pub(crate) context: Handle,
    /// Work that is not done, with its place: they count from 1.
    pub(crate) queue: VecDeque<(u64, Work)>,
    /// The place of the last piece of work.
    pub(crate) last: u64,
    /// The capture that its work goes to instead.
    pub(crate) capture: Option<Handle>,
    kind: Order,
    /// Whether it is destroyed, and only its work is left.
    destroyed: bool,
    /// How often its work was asked for since it was last done.
    asked: u32,
}

/// Whose work a stream's work waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// That of all blocking streams.
    Default,
    /// That of the default stream.
    Blocking,
    /// Nobody's.
    NonBlocking,
}

impl Stream {
    fn new(context: Handle, kind: Order) -> Self {
        Self { context, queue: VecDeque::new(), last: 0, capture: None, kind, destroyed: false, asked: 0 }
    }

    /// The default stream of a context.
    pub(crate) fn default_of(context: Handle) -> Self {
        Self::new(context, Order::Default)
    }

    pub(crate) fn is_alive(&self) -> bool {
        !self.destroyed
    }

    pub(crate) fn is_default(&self) -> bool {
        self.kind == Order::Default
    }

    /// Whether all up to a place is done.
    pub(crate) fn has_done(&self, place: u64) -> bool {
        self.queue.front().is_none_or(|&(first, _)| first > place)
    }

    /// The next work, up to a place.
    pub(crate) fn take(&mut self, place: u64) -> Option<Work> {
        if self.has_done(place) {
            self.asked = 0;
            return None;
        }
        self.queue.pop_front().map(|(_, work)| work)
    }

    fn push(&mut self, work: Work) -> u64 {
        self.last += 1;
        self.queue.push_back((self.last, work));
        self.last
    }
}

impl State {
    /// The stream of a caller's handle, of which null and 1 mean the default stream.
    pub(crate) fn stream(&self, handle: Handle) -> Outcome<Handle> {
        let current = self.contexts.current()?;
        if handle <= 1 {
            return self.contexts.default_stream(current);
        }
        let stream = self.streams.get(handle)?;
        if stream.destroyed {
            return Err(fault(INVALID_HANDLE, "use of a destroyed stream"));
        }
        Ok(handle)
    }

    /// Queues work, or hands it to the capture that the stream is in. Its place, 0 in a capture.
    pub(crate) fn queue(&mut self, handle: Handle, work: Work) -> Outcome<u64> {
        let (context, kind, capture) = {
            let stream = self.streams.get(handle)?;
            (stream.context, stream.kind, stream.capture)
        };
        self.check(context, &work)?;
        if let Some(capture) = capture {
            self.captures.get_mut(capture)?.add(work)?;
            return Ok(0);
        }
        let waits_for = |other: &Stream| match kind {
            Order::Default => other.kind == Order::Blocking,
            Order::Blocking => other.kind == Order::Default,
            Order::NonBlocking => false,
        };
        let others = self.streams.iter().filter(|(_, other)| other.context == context && waits_for(other));
        let waits: Vec<_> = others.map(|(stream, other)| Work::Wait { stream, place: other.last }).collect();
        let stream = self.streams.get_mut(handle)?;
        for wait in waits {
            stream.push(wait);
        }
        Ok(stream.push(work))
    }

    /// Notes where the work of a stream uses memory that it may not, or that is not there at all.
    fn check(&mut self, context: Handle, work: &Work) -> Outcome {
        for range in work.ranges() {
            if self.memory.around(&range)?.is_some_and(|block| block.kind == Kind::Device && block.context != context) {
                self.notes.fault(format!("a stream of one device gets {} with memory of another", work.name()));
            }
        }
        Ok(())
    }

    /// Whether work up to a place is done. Who asks often enough has it done.
    pub(crate) fn ask(&mut self, handle: Handle, place: u64) -> Outcome {
        let patience = self.patience;
        let stream = self.streams.get_mut(handle)?;
        if stream.has_done(place) {
            return Ok(());
        }
        stream.asked += 1;
        if stream.asked <= patience {
            return Err(NOT_READY.into());
        }
        self.run(handle, place);
        Ok(())
    }

    fn create_stream(&mut self, flags: u32) -> Outcome<Handle> {
        let context = self.contexts.current()?;
        let kind = if flags & NON_BLOCKING == 0 { Order::Blocking } else { Order::NonBlocking };
        Ok(self.streams.insert(Stream::new(context, kind)))
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
