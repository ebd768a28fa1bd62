//! Captures, in which the work of streams goes to a graph instead of their queues, and the graphs that come of them.

use std::thread::{self, ThreadId};

use crate::border::Outcome;
use crate::codes::CAPTURE_INVALIDATED;
use crate::table::Handle;
use crate::work::Work;

/// The mode in which all threads must keep from calls that a capture does not stand.
const GLOBAL: u32 = 0;
/// The mode in which only the thread that began it must.
const THREAD_LOCAL: u32 = 1;

/// Captured work, in order.
pub(crate) struct Graph {
    pub(crate) works: Vec<Work>,
}

/// A capture that is going on.
pub(crate) struct Capture {
    /// The stream that it began in.
    pub(crate) origin: Handle,
    mode: u32,
    thread: ThreadId,
    /// What it has captured, in the order of the calls: all dependences point back.
    works: Vec<Work>,
    /// Whether a call has spoilt it.
    pub(crate) invalid: bool,
}

impl Capture {
    /// One that this thread begins.
    pub(crate) fn new(origin: Handle, mode: u32) -> Self {
        Self { origin, mode, thread: thread::current().id(), works: Vec::new(), invalid: false }
    }

    /// Whether it does not stand that a thread synchronizes.
    pub(crate) fn forbids(&self, thread: ThreadId) -> bool {
        self.mode == GLOBAL || (self.mode == THREAD_LOCAL && self.thread == thread)
    }

    /// Takes a piece of work.
    pub(crate) fn add(&mut self, work: Work) -> Outcome {
        if self.invalid {
            return Err(CAPTURE_INVALIDATED.into());
        }
        self.works.push(work);
        Ok(())
    }

    /// The graph that it becomes.
    pub(crate) fn end(self) -> Outcome<Graph> {
        if self.invalid {
            return Err(CAPTURE_INVALIDATED.into());
        }
        Ok(Graph { works: self.works })
    }
}
