//! The memory that a plan works in, and its own streams, in which it has several groups of matrices under way at once.

use std::sync::{Arc, Mutex, PoisonError};

use super::buffer::DeviceBuffer;
use super::stream::Stream;
use super::uses::{Access, Allocation, Use};
use crate::backend::{Backend, Event, Queue, foreign};
use crate::device::Device;
use crate::error::Result;

/// A room for each group that is under way at once.
#[derive(Debug)]
pub(super) struct Rooms {
    pub(super) backend: Backend,
    rooms: Vec<DeviceBuffer<u8>>,
    bytes: usize,
    /// Taken by who enqueues work in the rooms, which streams of several threads share.
    turn: Mutex<Option<Fork>>,
}

/// A stream of the plan's for each room, where there are several: the caller's does for one.
#[derive(Debug)]
struct Fork {
    /// Behind what was in the caller's stream before.
    begin: Event,
    own: Vec<(Queue, Event)>,
}

/// The rooms, and queues for the work in them.
pub(super) struct Lanes<'a> {
    rooms: &'a [DeviceBuffer<u8>],
    queue: &'a Queue,
    own: &'a [(Queue, Event)],
}

impl Lanes<'_> {
    /// The queue and the room of a lane.
    pub(super) fn at(&self, lane: usize) -> (&Queue, &DeviceBuffer<u8>) {
        (self.own.get(lane).map_or(self.queue, |(queue, _)| queue), &self.rooms[lane])
    }
}

impl Rooms {
    /// Rooms of so many bytes.
    pub(super) fn new(device: &Device, bytes: &[usize]) -> Result<Self> {
        let backend = device.single()?.backend;
        let own = || Ok::<_, crate::Error>((backend.queue()?, backend.event(false)?));
        let fork = match bytes.len() {
            0 | 1 => None,
            several => {
                Some(Fork { begin: backend.event(false)?, own: (0..several).map(|_| own()).collect::<Result<_>>()? })
            }
        };
        let rooms = bytes.iter().map(|&bytes| device.buffer(bytes)).collect::<Result<_>>()?;
        Ok(Self { backend, rooms, bytes: bytes.iter().sum(), turn: Mutex::new(fork) })
    }

    /// Bytes of all of them.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Checks that a stream and all buffers are of the plan's device.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape).
    pub(super) fn check<'a>(
        &self,
        stream: &Stream,
        mut buffers: impl Iterator<Item = &'a Arc<Allocation>>,
    ) -> Result<()> {
        let is_own = |backend: &Backend| backend.is(&self.backend);
        let all_are = is_own(&stream.work().backend) && buffers.all(|buffer| is_own(&buffer.backend));
        if all_are { Ok(()) } else { Err(foreign()) }
    }

    /// Has the stream wait for others' work on what is used, which has been [checked](Self::check); then calls
    /// `enqueue`. What that enqueues is behind what is in the stream, and what comes into the stream afterwards is behind
    /// it.
    pub(super) fn run<'a>(
        &'a self,
        stream: &Stream,
        uses: impl Iterator<Item = Use<'a>>,
        enqueue: impl FnOnce(Lanes<'_>) -> Result<()>,
    ) -> Result<()> {
        let work = stream.work();
        let is_shared = self.bytes > 0 || self.rooms.len() > 1;
        let mut fork = is_shared.then(|| self.turn.lock().unwrap_or_else(PoisonError::into_inner));
        let _turn = work.turn();
        if !matches!(work.queue, Queue::Host) {
            let rooms = self.rooms.iter().filter(|room| !room.is_empty());
            let rooms = rooms.map(|room| (&room.allocation, Access::Write));
            uses.chain(rooms).try_for_each(|(allocation, access)| allocation.enter(work, access))?;
        }
        let Some(Fork { begin, own }) = fork.as_deref_mut().and_then(Option::as_mut) else {
            return enqueue(Lanes { rooms: &self.rooms, queue: &work.queue, own: &[] });
        };
        work.queue.record(begin)?;
        own.iter().try_for_each(|(queue, _)| queue.wait(begin))?;
        let mut outcome = enqueue(Lanes { rooms: &self.rooms, queue: &work.queue, own });
        // Also where one has failed, the caller's stream waits for what is under way.
        for (queue, mark) in own {
            outcome = outcome.and(queue.record(mark).and_then(|()| work.queue.wait(mark)));
        }
        outcome
    }
}
