//! How work comes into a stream's queue, and how callers ask whether it is done.

use crate::border::{Outcome, fault};
use crate::codes::{INVALID_HANDLE, NOT_READY};
use crate::memory::Kind;
use crate::state::State;
use crate::table::Handle;
use crate::work::Work;

impl State {
    /// The stream of a caller's handle, of which null and 1 mean the default stream.
    pub(crate) fn stream(&self, handle: Handle) -> Outcome<Handle> {
        let current = self.contexts.current()?;
        if handle <= 1 {
            return self.contexts.default_stream(current);
        }
        let stream = self.streams.get(handle)?;
        if !stream.is_alive() {
            return Err(fault(INVALID_HANDLE, "use of a destroyed stream"));
        }
        Ok(handle)
    }

    /// Queues work, or hands it to the capture that the stream is in. Its place, 0 in a capture.
    pub(crate) fn queue(&mut self, handle: Handle, work: Work) -> Outcome<u64> {
        let (context, capture) = {
            let stream = self.streams.get(handle)?;
            (stream.context, stream.capture)
        };
        self.check(context, &work)?;
        if let Some(capture) = capture {
            self.captures.get_mut(capture)?.add(work)?;
            return Ok(0);
        }
        let stream = self.streams.get(handle)?;
        let others = self.streams.iter().filter(|(_, other)| stream.waits_for(other));
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
}
