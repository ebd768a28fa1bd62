//! The workers that a device keeps between calls.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::worker::Worker;

/// Workers of a call at most: these saturate the bus.
pub(crate) const MOST_WORKERS: usize = 16;
/// Machine memory that the workers of a device keep at most.
const KEPT: usize = 256 << 20;
/// Slots that they keep at most, two for each worker of a call: 64 MiB of page-locked memory, beside 1.5 MiB of one
/// worker for calls on page-locked memory.
const KEPT_SLOTS: usize = 2 * MOST_WORKERS;
/// Workers for calls on page-locked memory that are kept at most.
const KEPT_DIRECT: usize = 1;

/// The workers that a call wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crew {
    pub(crate) workers: usize,
    /// Chunks that a worker has under way.
    pub(crate) lanes: usize,
    /// Whether they have little to copy themselves, and so small slots.
    pub(crate) is_direct: bool,
}

/// Workers at rest.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<Kinds>);

/// Those with slots of either size.
#[derive(Debug, Default)]
struct Kinds {
    staged: Vec<Worker>,
    direct: Vec<Worker>,
}

impl Kinds {
    fn of(&mut self, crew: Crew) -> &mut Vec<Worker> {
        if crew.is_direct { &mut self.direct } else { &mut self.staged }
    }

    fn machine_bytes(&self) -> usize {
        self.staged.iter().chain(&self.direct).map(Worker::machine_bytes).sum()
    }

    /// Frees machine memory, that of those longest at rest first, until at most so many bytes are kept. Whether it
    /// freed any.
    fn shrink(&mut self, most: usize) -> bool {
        let mut bytes = self.machine_bytes();
        let is_more = bytes > most;
        for worker in self.staged.iter_mut().chain(&mut self.direct) {
            if bytes <= most {
                break;
            }
            bytes -= worker.machine_bytes();
            worker.free_machine_memory();
        }
        is_more
    }
}

impl Pool {
    /// As many as a call wants, that have worked before or are new. They are taken at once: which memory a call finds
    /// does not depend on how soon its threads start.
    ///
    /// Once their lanes have memory for `bytes` each, they and those at rest keep at most `limit`.
    pub(crate) fn take(&self, crew: Crew, bytes: usize, limit: Option<usize>) -> Vec<Worker> {
        let mut all = self.lock();
        let mut workers: Vec<Worker> = (0..crew.workers).map(|_| all.of(crew).pop().unwrap_or_default()).collect();
        if let Some(limit) = limit {
            let wanted = workers.iter().map(|worker| worker.machine_bytes_with(crew.lanes, bytes)).sum();
            all.shrink(limit.saturating_sub(wanted));
            // Calls with larger chunks have left them more than they need.
            if wanted > limit.max(crew.workers * crew.lanes * bytes) {
                workers.iter_mut().for_each(Worker::free_machine_memory);
            }
        }
        workers
    }

    /// Frees machine memory of workers at rest until they keep at most so many bytes. Whether it freed any.
    pub(crate) fn shrink(&self, most: usize) -> bool {
        self.lock().shrink(most)
    }

    /// Keeps workers that have nothing under way, and their memory unless others keep too much or `limit` is passed.
    pub(crate) fn keep(&self, workers: Vec<Worker>, crew: Crew, limit: Option<usize>) {
        let most = KEPT.min(limit.unwrap_or(KEPT));
        let mut all = self.lock();
        // In reverse, as they are taken from the end: the next call gets the same ones.
        for mut worker in workers.into_iter().rev() {
            if all.machine_bytes() + worker.machine_bytes() > most {
                worker.free_machine_memory();
            }
            let kind = all.of(crew);
            if crew.is_direct {
                if kind.len() < KEPT_DIRECT {
                    kind.push(worker);
                }
                continue;
            }
            let slots: usize = kind.iter().map(Worker::slots).sum();
            worker.keep_slots(KEPT_SLOTS.saturating_sub(slots));
            if worker.slots() > 0 || worker.machine_bytes() > 0 {
                kind.push(worker);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kinds> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
