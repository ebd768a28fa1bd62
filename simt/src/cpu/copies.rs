//! Copies from device to shared memory that are under way.

use std::collections::VecDeque;

/// A copy: what arrives, and where in shared memory.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) offset: u64,
    pub(super) align: usize,
    pub(super) bytes: [u8; 16],
    pub(super) len: usize,
}

/// The copies of one thread. They arrive when it waits for them, no sooner: what is read too early is what was there before.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Not committed yet.
    open: Vec<Arrival>,
    /// The groups that were committed, the oldest first.
    groups: VecDeque<Vec<Arrival>>,
}

impl Copies {
    /// Begins a copy.
    pub(super) fn begin(&mut self, arrival: Arrival) {
        self.open.push(arrival);
    }

    /// Makes a group of the copies that were begun since the last.
    pub(super) fn commit(&mut self) {
        let group = std::mem::take(&mut self.open);
        self.groups.push_back(group);
    }

    /// What arrives before no more than `pending` groups are under way.
    pub(super) fn wait(&mut self, pending: usize) -> Vec<Arrival> {
        let done = self.groups.len().saturating_sub(pending);
        self.groups.drain(..done).flatten().collect()
    }
}
