//! Queued work, and how it is done: by whoever waits for it.

use std::ops::Range;
use std::ptr;

use crate::launch::Launch;
use crate::state::State;
use crate::table::Handle;

/// A piece of queued work. Its addresses are of live memory: it is cancelled when that is let go.
#[derive(Clone)]
pub(crate) enum Work {
    /// A copy, either way or within a device.
    Copy { to: usize, from: usize, len: usize },
    /// A copy from pageable memory, which the driver reads at once.
    Upload { to: usize, bytes: Vec<u8> },
    /// A fill with one byte.
    Fill { at: usize, byte: u8, len: usize },
    /// A kernel.
    Launch(Launch),
    /// A mark of an event.
    Mark(Handle),
    /// Whatever of another stream is before a place of it.
    Wait { stream: Handle, place: u64 },
    /// Work whose memory is gone.
    Cancelled,
}

impl Work {
    /// The memory that it reads or writes.
    pub(crate) fn ranges(&self) -> Vec<Range<usize>> {
        let range = |start: usize, len: usize| start..start.saturating_add(len);
        match self {
            Self::Copy { to, from, len } => vec![range(*to, *len), range(*from, *len)],
            Self::Upload { to, bytes } => vec![range(*to, bytes.len())],
            Self::Fill { at, len, .. } => vec![range(*at, *len)],
            Self::Launch(launch) => launch.memory.clone(),
            Self::Mark(_) | Self::Wait { .. } | Self::Cancelled => Vec::new(),
        }
    }

    /// What it is called in a fault.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Copy { .. } | Self::Upload { .. } => "a copy".into(),
            Self::Fill { .. } => "a fill".into(),
            Self::Launch(launch) => launch.name.to_string_lossy().into_owned(),
            Self::Mark(_) | Self::Wait { .. } | Self::Cancelled => "a mark".into(),
        }
    }
}

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
