//! How queued work is done: by whoever waits for it. And how it is lost or cancelled instead.

use std::ops::Range;
use std::ptr;

use crate::state::State;
use crate::table::Handle;
use crate::work::Work;

impl State {
    /// Does a piece of work.
    fn perform(&mut self, work: Work) {
        match work {
            Work::Copy { to, from, len } => {
                let (to, from) = (ptr::with_exposed_provenance_mut::<u8>(to), ptr::with_exposed_provenance::<u8>(from));
                // SAFETY: both ranges are of allocations that are alive, or the work would be cancelled. They may
                // overlap.
                unsafe { ptr::copy(from, to, len) };
            }
            Work::Upload { to, bytes } => {
                // SAFETY: as above.
                unsafe { ptr::copy(bytes.as_ptr(), ptr::with_exposed_provenance_mut(to), bytes.len()) };
            }
            Work::Fill { at, byte, len } => {
                // SAFETY: as above.
                unsafe { ptr::write_bytes(ptr::with_exposed_provenance_mut::<u8>(at), byte, len) };
            }
            Work::Launch(launch) => {
                if let Some(body) = self.body {
                    launch.run(body);
                }
            }
            Work::Mark(event) => {
                self.marks += 1;
                // A destroyed event is of no interest any more.
                if let Ok(event) = self.events.get_mut(event) {
                    event.reached = Some(self.marks);
                }
            }
            Work::Wait { stream, place } => self.run(stream, place),
            Work::Cancelled => {}
        }
    }

    /// Does the work of a stream up to a place.
    pub(crate) fn run(&mut self, handle: Handle, place: u64) {
        loop {
            // A stream that is gone has no work left.
            let Ok(stream) = self.streams.get_mut(handle) else { return };
            let Some(work) = stream.take(place) else { break };
            self.perform(work);
        }
        self.bury();
    }

    /// Does all work of a context.
    pub(crate) fn run_context(&mut self, context: Handle) {
        let streams = self.streams.iter().filter(|(_, stream)| stream.context == context);
        let streams: Vec<_> = streams.map(|(handle, _)| handle).collect();
        for stream in streams {
            self.run(stream, u64::MAX);
        }
    }

    /// Loses all work that is queued, as when a GPU is lost.
    pub(crate) fn lose_queued_work(&mut self) {
        for stream in self.streams.values_mut() {
            stream.queue.clear();
        }
        self.bury();
    }

    /// Cancels the queued work that names memory which is now let go: whoever does that has not waited.
    pub(crate) fn cancel(&mut self, memory: &Range<usize>, why: &str) {
        let touches = |work: &Work| {
            let overlaps = |range: &Range<usize>| range.start < memory.end && memory.start < range.end;
            work.ranges().iter().any(overlaps)
        };
        for stream in self.streams.values_mut() {
            for (_, work) in stream.queue.iter_mut().filter(|(_, work)| touches(work)) {
                self.notes.fault(format!("{why} while {} that uses it is queued", work.name()));
                *work = Work::Cancelled;
            }
        }
    }

    /// How many pieces of work are queued. Marks and waits are none: who needs no memory may be left to itself.
    pub(crate) fn queued(&self) -> usize {
        let is_work = |work: &Work| !matches!(work, Work::Mark(_) | Work::Wait { .. } | Work::Cancelled);
        self.streams.iter().map(|(_, stream)| stream.queue.iter().filter(|(_, work)| is_work(work)).count()).sum()
    }

    /// Forgets destroyed streams that have no more work.
    fn bury(&mut self) {
        self.streams.retain(|stream| stream.is_alive() || !stream.queue.is_empty());
    }
}
