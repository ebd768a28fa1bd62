//! Which accesses of a block's threads happen before which.
//!
//! Time advances when a barrier or a collective completes. A thread stamps its accesses with the time of the last one
//! that it took part in, so an access by `a` is ordered before what `b` does now if its stamp is earlier than the
//! latest synchronisation with `a` that `b` knows of, directly or through other lanes.

use super::collective::lanes;

/// The clocks of one block.
#[derive(Debug)]
pub(super) struct Clocks {
    now: u32,
    /// When the last block barrier completed: everything stamped earlier is ordered before everything now.
    epoch: u32,
    threads: Vec<Clock>,
    /// For each thread and each lane of its warp, the latest synchronisation known of; only where it exceeds the floor.
    /// Empty until the first collective of part of a warp.
    known: Vec<[u32; 32]>,
}

#[derive(Clone, Copy, Debug)]
struct Clock {
    stamp: u32,
    /// The latest time at which this thread knew of a synchronisation with every lane of its warp.
    floor: u32,
}

/// A thread's clock, as its accesses are checked against.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) stamp: u32,
    pub(super) epoch: u32,
    pub(super) floor: u32,
    known: Option<&'a [u32; 32]>,
}

impl Clocks {
    pub(super) fn new(threads: u32) -> Self {
        let start = Clock { stamp: 1, floor: 1 };
        Self { now: 1, epoch: 1, threads: vec![start; threads as usize], known: Vec::new() }
    }

    #[inline]
    pub(super) fn view(&self, thread: u32) -> View<'_> {
        let Clock { stamp, floor } = self.threads[thread as usize];
        View { stamp, epoch: self.epoch, floor, known: self.known.get(thread as usize) }
    }

    /// All threads of the block wait for each other.
    pub(super) fn barrier(&mut self) {
        self.now += 1;
        self.epoch = self.now;
        self.threads.fill(Clock { stamp: self.now, floor: self.now });
    }

    /// The lanes in `mask` of the warp that begins at thread `first` wait for each other; `all` are the warp's lanes.
    pub(super) fn collective(&mut self, first: u32, mask: u32, all: u32) {
        self.now += 1;
        let now = self.now;
        let first = first as usize;
        if mask == all {
            self.threads[first..][..all.count_ones() as usize].fill(Clock { stamp: now, floor: now });
            return;
        }
        if self.known.is_empty() {
            self.known.resize(self.threads.len(), [0; 32]);
        }
        // What any of them knows of the others, all of them know from here on.
        let mut merged = [0; 32];
        for lane in lanes(mask) {
            let thread = first + lane as usize;
            let floor = self.threads[thread].floor;
            for (merged, known) in merged.iter_mut().zip(self.known[thread]) {
                *merged = known.max(floor).max(*merged);
            }
        }
        for lane in lanes(mask) {
            merged[lane as usize] = now;
        }
        let floor = lanes(all).map(|lane| merged[lane as usize]).min().unwrap_or(now);
        for lane in lanes(mask) {
            self.threads[first + lane as usize] = Clock { stamp: now, floor };
            self.known[first + lane as usize] = merged;
        }
    }
}

impl View<'_> {
    /// The lanes of `mask`, in the viewer's warp, whose accesses stamped `stamp` are not ordered before now.
    #[inline]
    pub(super) fn unordered(&self, mask: u32, stamp: u32) -> u32 {
        if stamp < self.floor {
            return 0;
        }
        let Some(known) = self.known else { return mask };
        lanes(mask).filter(|&lane| stamp >= known[lane as usize]).fold(0, |found, lane| found | 1 << lane)
    }
}
