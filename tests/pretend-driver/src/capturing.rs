//! What a capture stands of the calls of others, and how other streams come into it.

use std::thread;

use crate::border::Outcome;
use crate::codes::{CAPTURE_ISOLATION, CAPTURE_UNSUPPORTED};
use crate::state::State;
use crate::table::Handle;

impl State {
    /// Refuses a call that may synchronize while somebody captures who does not stand that.
    pub(crate) fn refuse_in_capture(&mut self) -> Outcome {
        let here = thread::current().id();
        let mut refused = Ok(());
        for capture in self.captures.values_mut() {
            if capture.forbids(here) {
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
}
