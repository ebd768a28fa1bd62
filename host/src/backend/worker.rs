//! What those who copy chunks to a machine and back work with, and keep between calls.

use std::ops::Range;

use super::memory::{Memory, Staging};
use super::queue::{Event, Queue};

/// Lanes and slots of a thread that copies chunks, made on first use.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    pub(crate) lanes: Vec<Lane>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) next_slot: usize,
}

/// A queue, and the machine memory of the chunk that is under way in it.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) memory: Memory,
    pub(crate) queue: Queue,
}

/// Bytes on their way to or from the machine.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) staging: Staging,
    /// Behind the copy from or to the slot.
    pub(crate) mark: Event,
    pub(crate) holds: Holds,
}

/// What a slot is used for.
#[derive(Debug)]
pub(crate) enum Holds {
    Nothing,
    /// What is being uploaded.
    Input,
    /// A piece of a chunk's results, which is being downloaded.
    Output {
        first: usize,
        count: usize,
        piece: Range<usize>,
        is_last: bool,
    },
}

impl Worker {
    /// Machine memory that it keeps.
    pub(super) fn machine_bytes(&self) -> usize {
        self.machine_bytes_with(0, 0)
    }

    /// Machine memory that it keeps after its lanes are made.
    pub(super) fn machine_bytes_with(&self, lanes: usize, bytes: usize) -> usize {
        let missing = lanes.saturating_sub(self.lanes.len()) * bytes;
        let kept =
            self.lanes.iter().enumerate().map(|(i, lane)| lane.memory.len().max(if i < lanes { bytes } else { 0 }));
        kept.sum::<usize>() + missing
    }

    pub(super) fn free_machine_memory(&mut self) {
        self.lanes.clear();
    }

    /// Slots that it keeps.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Frees all slots but so many. All of them are empty.
    pub(super) fn keep_slots(&mut self, most: usize) {
        self.slots.truncate(most);
        self.next_slot = 0;
    }
}
