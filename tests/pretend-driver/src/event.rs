//! Events: marks in streams.

use crate::border::Outcome;
use crate::codes::{CAPTURED_EVENT, INVALID_HANDLE};
use crate::table::Handle;

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

impl Event {
    /// One that is recorded nowhere yet.
    pub(crate) fn new(context: Handle, flags: u32) -> Self {
        let timed = flags & NO_TIMING == 0;
        Self { context, timed, place: None, capture: None, reached: None }
    }

    /// Records it at a place of a stream, or in the capture that the stream is in.
    pub(crate) fn record(&mut self, stream: Handle, place: u64, capture: Option<Handle>) {
        (self.capture, self.reached) = (capture, None);
        self.place = capture.is_none().then_some((stream, place));
    }

    /// The place whose work may be waited for, if it was recorded at all.
    pub(crate) fn awaited(&self) -> Outcome<Option<(Handle, u64)>> {
        match self.capture {
            Some(_) => Err(CAPTURED_EVENT.into()),
            None => Ok(self.place),
        }
    }

    /// The place whose time may be asked for.
    pub(crate) fn timed(&self) -> Outcome<(Handle, u64)> {
        self.place.filter(|_| self.timed).ok_or(INVALID_HANDLE.into())
    }
}
