//! Streams: queues of work.

use std::collections::VecDeque;

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
    pub(crate) destroyed: bool,
    /// How often its work was asked for since it was last done.
    pub(crate) asked: u32,
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
    fn with_order(context: Handle, kind: Order) -> Self {
        Self { context, queue: VecDeque::new(), last: 0, capture: None, kind, destroyed: false, asked: 0 }
    }

    /// A stream that a caller creates.
    pub(crate) fn new(context: Handle, flags: u32) -> Self {
        let kind = if flags & NON_BLOCKING == 0 { Order::Blocking } else { Order::NonBlocking };
        Self::with_order(context, kind)
    }

    /// The default stream of a context.
    pub(crate) fn default_of(context: Handle) -> Self {
        Self::with_order(context, Order::Default)
    }

    pub(crate) fn is_alive(&self) -> bool {
        !self.destroyed
    }

    pub(crate) fn is_default(&self) -> bool {
        self.kind == Order::Default
    }

    /// Whether its work waits for what is queued in another stream.
    pub(crate) fn waits_for(&self, other: &Self) -> bool {
        let by_order = match self.kind {
            Order::Default => other.kind == Order::Blocking,
            Order::Blocking => other.kind == Order::Default,
            Order::NonBlocking => false,
        };
        other.context == self.context && by_order
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

    /// Appends work, whose place it is.
    pub(crate) fn push(&mut self, work: Work) -> u64 {
        self.last += 1;
        self.queue.push_back((self.last, work));
        self.last
    }
}
