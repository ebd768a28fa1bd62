//! Captures: streams whose work goes to a graph instead of a queue.

use std::thread::{self, ThreadId};

use crate::border::{Out, Outcome};
use crate::codes::{CAPTURE_INVALIDATED, CAPTURE_ISOLATION, CAPTURE_UNMATCHED, CAPTURE_UNSUPPORTED, INVALID_VALUE};
use crate::graph::Graph;
use crate::state::State;
use crate::table::Handle;
use crate::work::Work;

/// The mode in which all threads must keep from calls that a capture does not stand.
const GLOBAL: u32 = 0;
/// The mode in which only the thread that began it must.
const THREAD_LOCAL: u32 = 1;

/// A capture that is going on.
pub(crate) struct Capture {
    /// The stream that it began in.
    origin: Handle,
    mode: u32,
    thread: ThreadId,
    /// What it has captured, in the order of the calls: all dependences point back.
    works: Vec<Work>,
    /// Whether a call has spoilt it.
    invalid: bool,
}

impl Capture {
    /// Takes a piece of work.
    pub(crate) fn add(&mut self, work: Work) -> Outcome {
        if self.invalid {
            return Err(CAPTURE_INVALIDATED.into());
        }
        self.works.push(work);
        Ok(())
    }
}

impl State {
    /// Refuses a call that may synchronize while somebody captures who does not stand that.
    pub(crate) fn refuse_in_capture(&mut self) -> Outcome {
        let here = thread::current().id();
        let mut refused = Ok(());
        for capture in self.captures.values_mut() {
            if capture.mode == GLOBAL || (capture.mode == THREAD_LOCAL && capture.thread == here) {
                capture.invalid = true;
                refused = Err(CAPTURE_UNSUPPORTED.into());
            }
        }
        refused
    }

    /// Refuses to wait for a stream whose work goes to a capture.
    pub(crate) fn refuse_captured(&mut self, stream: Handle) -> Outcome {
        let Some(capture) = self.streams.get(stream)?.capture else { return Ok(()) };
        self.captures.get_mut(capture)?.invalid = true;
        Err(CAPTURE_UNSUPPORTED.into())
    }

    /// Refuses to let captured work wait for work that is not captured.
    pub(crate) fn refuse_foreign(&mut self, stream: Handle) -> Outcome {
        let Some(capture) = self.streams.get(stream)?.capture else { return Ok(()) };
        self.captures.get_mut(capture)?.invalid = true;
        Err(CAPTURE_ISOLATION.into())
    }

    /// Lets a stream wait for captured work, which captures it too.
    pub(crate) fn join(&mut self, stream: Handle, capture: Handle) -> Outcome {
        self.captures.get(capture)?;
        self.streams.get_mut(stream)?.capture = Some(capture);
        Ok(())
    }

    fn begin_capture(&mut self, stream: Handle, mode: u32) -> Outcome {
        let stream = self.stream(stream)?;
        let it = self.streams.get(stream)?;
        if it.is_default() || it.capture.is_some() {
            return Err(CAPTURE_UNSUPPORTED.into());
        }
        let thread = thread::current().id();
        let capture = Capture { origin: stream, mode, thread, works: Vec::new(), invalid: false };
        let capture = self.captures.insert(capture);
        self.streams.get_mut(stream)?.capture = Some(capture);
        Ok(())
    }

    fn end_capture(&mut self, stream: Handle) -> Outcome<Handle> {
        let stream = self.stream(stream)?;
        let handle = self.streams.get(stream)?.capture.ok_or(INVALID_VALUE)?;
        if self.captures.get(handle)?.origin != stream {
            return Err(CAPTURE_UNMATCHED.into());
        }
        let capture = self.captures.remove(handle)?;
        for stream in self.streams.values_mut().filter(|stream| stream.capture == Some(handle)) {
            stream.capture = None;
        }
        if capture.invalid {
            return Err(CAPTURE_INVALIDATED.into());
        }
        Ok(self.graphs.insert(Graph { works: capture.works }))
    }
}

driver! {
    fn cuStreamBeginCapture_v2(stream: Handle, mode: u32) |state| state.begin_capture(stream, mode);

    fn cuStreamEndCapture(stream: Handle, graph: Out<Handle>) |state| {
        let ended = state.end_capture(stream);
        graph.set_if_wanted(ended.as_ref().copied().unwrap_or(0));
        ended.map(|_| ())
    };

    fn cuStreamIsCapturing(stream: Handle, status: Out<u32>) |state| {
        let stream = state.stream(stream)?;
        status.set(match state.streams.get(stream)?.capture {
            None => 0,
            Some(capture) => 1 + u32::from(state.captures.get(capture)?.invalid),
        })
    };
}
