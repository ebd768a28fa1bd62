//! How large chunks are and how many workers take them, and the queue that they take them from.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::backend::{Crew, MOST_WORKERS};
use crate::error::{Error, Result};

/// Bytes of a slot: small enough to stay in a processor's cache while it is copied in or out.
const SLOT: usize = 2 << 20;
/// Bytes of a slot for what little comes beside page-locked memory, such as statuses.
const SMALL_SLOT: usize = 256 << 10;
/// Matrices that keep a GPU busier than fewer: chunks are made larger to hold as many, up to the sizes of large ones.
const FULL: usize = 16;
/// Bytes of a large chunk, one way.
const LARGE_CHUNK: usize = 16 << 20;
/// Bytes of a chunk that nobody but the copy engines touches, both ways.
const DIRECT_CHUNK: usize = 16 << 20;
/// Bytes of a large one.
const LARGE_DIRECT_CHUNK: usize = 64 << 20;
/// Bytes of a chunk below which smaller ones gain nothing.
const SMALL_CHUNK: usize = 256 << 10;
/// Bytes that are worth a worker more.
const WORTH: usize = 2 << 20;
/// Device memory that is taken without asking how much is free.
const MODEST: usize = 256 << 20;

/// Bytes that a matrix takes on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traffic {
    /// Copied by workers, in.
    pub(super) staged_in: usize,
    /// Copied by workers, out.
    pub(super) staged_out: usize,
    /// Copied by the machine itself, in and out.
    pub(super) direct: usize,
    /// Worked in.
    pub(super) room: usize,
}

/// How a batch is worked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scheme {
    /// Matrices of a chunk.
    pub(super) chunk: usize,
    pub(super) workers: usize,
    /// Chunks that a worker has under way.
    pub(super) lanes: usize,
    /// Bytes of each of its slots.
    pub(super) slot: usize,
}

impl Traffic {
    /// Bytes of machine memory for a matrix in a chunk.
    pub(super) fn device(&self) -> usize {
        self.staged_in + self.staged_out + self.direct + self.room
    }

    /// For `batch` matrices, by at most `threads` workers, in at most the memory that `budget` tells.
    pub(super) fn scheme(
        &self,
        batch: usize,
        threads: usize,
        budget: impl Fn() -> Result<usize>,
        limited: bool,
    ) -> Result<Scheme> {
        let staged = self.staged_in.max(self.staged_out).max(1);
        // What little comes beside, such as statuses, does not make workers of use.
        let is_direct = self.direct > 8 * (self.staged_in + self.staged_out);
        let chunk = if is_direct {
            (DIRECT_CHUNK / self.direct).max((2 * FULL).min(LARGE_DIRECT_CHUNK / self.direct))
        } else {
            (SLOT / staged).max(FULL.min(LARGE_CHUNK / staged))
        };
        let bytes = batch.saturating_mul(self.staged_in + self.staged_out);
        let workers = if is_direct { 1 } else { (bytes / WORTH).clamp(1, MOST_WORKERS.min(threads)) };
        let lanes = if is_direct { 4 } else { 2 };
        // Two chunks for each lane, so that copies and work overlap, unless that makes them too small.
        let spread = batch.div_ceil(2 * workers * lanes).max(SMALL_CHUNK / staged.max(self.direct));
        let chunk = chunk.min(spread).clamp(1, batch.max(1));
        let chunks = batch.div_ceil(chunk);
        let workers = workers.min(chunks);
        let lanes = lanes.min(chunks.div_ceil(workers));
        let wanted = Scheme { chunk, workers, lanes, slot: if is_direct { SMALL_SLOT } else { SLOT } };
        let each = self.device().max(1);
        if !limited && chunk.saturating_mul(each).saturating_mul(workers * lanes) <= MODEST {
            return Ok(wanted);
        }
        wanted.within(each, budget()?)
    }
}

impl Scheme {
    /// The workers that it wants.
    pub(super) fn crew(&self) -> Crew {
        Crew { workers: self.workers, lanes: self.lanes, is_direct: self.slot == SMALL_SLOT }
    }

    /// Fewer workers, then fewer lanes, then smaller chunks, until the memory suffices.
    fn within(mut self, each: usize, budget: usize) -> Result<Self> {
        let fit = budget / each;
        if fit == 0 {
            return Err(Error::Memory { needed: each, available: budget });
        }
        if self.chunk * self.lanes > fit {
            self.lanes = fit.min(2); // as several chunks are needed
            self.chunk = self.chunk.min(fit / self.lanes);
        }
        self.workers = self.workers.min(fit / (self.chunk * self.lanes));
        Ok(self)
    }
}

/// Threads that this process may run at once.
pub(super) fn worker_threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// A range of a batch, of which workers take chunks in turn until one fails.
#[derive(Debug)]
pub(super) struct Chunks<'a> {
    /// Where the range begins and ends.
    pub(super) range: Range<usize>,
    next: AtomicUsize,
    /// Whether a worker of the call has failed, here or at another range.
    stopped: &'a AtomicBool,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(range: Range<usize>, stopped: &'a AtomicBool) -> Self {
        Self { next: AtomicUsize::new(range.start), range, stopped }
    }

    /// The first matrix of a chunk that nobody else has, and how many it holds: `most` or what is left.
    pub(super) fn take(&self, most: usize) -> Option<(usize, usize)> {
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let count = |first| most.min(self.range.end - first);
        let after = |first| (first < self.range.end).then(|| first + count(first));
        let first = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after).ok()?;
        Some((first, count(first)))
    }

    /// Leaves the rest undone.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1 << 10;

    fn scheme(traffic: Traffic, batch: usize, budget: usize) -> Result<Scheme> {
        traffic.scheme(batch, 16, || Ok(budget), true)
    }

    #[test]
    fn large_batches_go_by_slots_over_all_threads() {
        let traffic = Traffic { staged_in: 128 * KIB, staged_out: 128 * KIB, direct: 0, room: 0 };
        assert_eq!(scheme(traffic, 10_000, 1 << 37).unwrap(), Scheme { chunk: 16, workers: 16, lanes: 2, slot: SLOT });
        assert_eq!(scheme(traffic, 1, 1 << 37).unwrap(), Scheme { chunk: 1, workers: 1, lanes: 1, slot: SLOT });
        let large = Traffic { staged_in: 2048 * KIB, staged_out: 2048 * KIB, direct: 0, room: 0 };
        assert_eq!(scheme(large, 512, 1 << 37).unwrap().chunk, 8);
    }

    #[test]
    fn small_batches_are_spread_but_not_thin() {
        let traffic = Traffic { staged_in: KIB, staged_out: KIB, direct: 0, room: 0 };
        assert_eq!(scheme(traffic, 10_000, 1 << 37).unwrap(), Scheme { chunk: 278, workers: 9, lanes: 2, slot: SLOT });
        assert_eq!(scheme(traffic, 100, 1 << 37).unwrap(), Scheme { chunk: 100, workers: 1, lanes: 1, slot: SLOT });
    }

    #[test]
    fn pinned_memory_needs_one_worker() {
        let traffic = Traffic { staged_in: 0, staged_out: 4, direct: 256 * KIB, room: 0 };
        assert_eq!(
            scheme(traffic, 10_000, 1 << 37).unwrap(),
            Scheme { chunk: 64, workers: 1, lanes: 4, slot: SMALL_SLOT }
        );
    }

    #[test]
    fn copies_and_work_overlap_where_memory_is_short() {
        let traffic = Traffic { staged_in: KIB, staged_out: KIB, direct: 0, room: 0 };
        assert_eq!(scheme(traffic, 100, 80 * KIB).unwrap(), Scheme { chunk: 20, workers: 1, lanes: 2, slot: SLOT });
        assert_eq!(scheme(traffic, 100, 2 * KIB).unwrap(), Scheme { chunk: 1, workers: 1, lanes: 1, slot: SLOT });
    }

    #[test]
    fn no_scheme_takes_more_than_it_may() {
        for each in [1, 100, 300 * KIB, 3 << 20] {
            let traffic = Traffic { staged_in: each, staged_out: each, direct: 0, room: 8 };
            for budget in [1, 1000, 1 << 20, 1 << 24, 1 << 30] {
                for batch in [1, 7, 100_000] {
                    match scheme(traffic, batch, budget) {
                        Ok(Scheme { chunk, workers, lanes, .. }) => {
                            assert!(chunk * workers * lanes * traffic.device() <= budget);
                            assert!(chunk * workers * lanes > 0);
                        }
                        Err(Error::Memory { needed, available }) => assert!(needed > available),
                        Err(other) => panic!("{other}"),
                    }
                }
            }
        }
    }

    #[test]
    fn every_matrix_is_taken_once() {
        let stopped = AtomicBool::new(false);
        let chunks = Chunks::new(0..10, &stopped);
        assert_eq!([(); 4].map(|()| chunks.take(4)), [Some((0, 4)), Some((4, 4)), Some((8, 2)), None]);
        let chunks = Chunks::new(3..10, &stopped);
        assert_eq!([1, 5, 2].map(|most| chunks.take(most)), [Some((3, 1)), Some((4, 5)), Some((9, 1))]);
        assert_eq!(chunks.take(usize::MAX), None);
        let (chunks, others) = (Chunks::new(0..10, &stopped), Chunks::new(10..20, &stopped));
        chunks.stop();
        assert_eq!((chunks.take(4), others.take(4)), (None, None));
    }
}
