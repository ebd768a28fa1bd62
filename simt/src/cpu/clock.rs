//! Which accesses of a cluster's threads happen before which.
//!
//! Time advances when a barrier or a collective completes. A thread stamps its accesses with the time of the last one
//! that it took part in, so an access by `a` is ordered before what `b` does now if its stamp is earlier than the
//! latest synchronisation with `a` that `b` knows of, directly or through other threads.
//!
//! Within a block and a warp few numbers say what is known; [`Learned`] has the rest, where there is any.

use std::rc::Rc;

use super::collective::lanes;
use super::id::Id;
use super::learned::{ARRIVAL_WARP, Learned, Need, Places, join_all};

/// The clocks of one cluster.
#[derive(Debug)]
pub(super) struct Clocks {
    pub(super) places: Places,
    now: u32,
    /// Threads of a block.
    threads_each: u32,
    /// When the cluster's last barrier completed that ordered everything.
    cluster_epoch: u32,
    /// When each block's last barrier completed: all that the block stamped earlier is ordered before everything now.
    epochs: Vec<u32>,
    /// Block after block, as the next two.
    threads: Vec<Clock>,
    /// For each thread and each lane of its warp, the latest synchronisation known of; only where it exceeds the floor.
    /// Empty until the first collective of part of a warp.
    known: Vec<[u32; 32]>,
    /// What each thread knows beyond that. Empty until the first of them learns something.
    learned: Vec<Option<Rc<Learned>>>,
    /// Whether one of the above has what the few numbers do not say.
    is_intricate: bool,
    /// What the last thread knew before it learned something, that, and both together: others will want the same.
    last: Option<[Rc<Learned>; 3]>,
}

#[derive(Clone, Copy, Debug)]
struct Clock {
    stamp: u32,
    /// The latest time at which this thread knew of a synchronisation with every lane of its warp.
    floor: u32,
}

/// A thread's clock, as its accesses are checked against. What is seldom needed is looked up when it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) stamp: u32,
    pub(super) epoch: u32,
    floor: u32,
    /// None where barriers of the block and of whole warps are all that there was.
    source: Option<Source<'a>>,
}

#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    /// The clock of a thread as it is.
    Now(&'a Clocks, u32),
    /// As it was.
    Then(&'a Snapshot, &'a Places),
}

/// A thread's clock as it was at some time.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    id: Id,
    stamp: u32,
    epoch: u32,
    floor: u32,
    cluster_epoch: u32,
    known: Option<Box<[u32; 32]>>,
    learned: Option<Rc<Learned>>,
}

impl Clocks {
    pub(super) fn new(first_block: u32, blocks: u32, threads: u32) -> Self {
        let start = Clock { stamp: 1, floor: 1 };
        Self {
            places: Places::new(first_block, blocks, threads),
            now: 1,
            threads_each: threads,
            cluster_epoch: 1,
            epochs: vec![1; blocks as usize],
            threads: vec![start; (blocks * threads) as usize],
            known: Vec::new(),
            learned: Vec::new(),
            is_intricate: blocks > 1,
            last: None,
        }
    }

    /// Where the clock of a thread is.
    #[inline]
    fn at(&self, id: Id) -> usize {
        (id.rank * self.threads_each + id.thread) as usize
    }

    /// The clocks of a block.
    fn of(&self, rank: u32) -> std::ops::Range<usize> {
        let first = (rank * self.threads_each) as usize;
        first..first + self.threads_each as usize
    }

    #[inline]
    pub(super) fn view(&self, id: Id) -> View<'_> {
        let at = self.at(id);
        let Clock { stamp, floor } = self.threads[at];
        let source = self.is_intricate.then_some(Source::Now(self, at as u32));
        View { stamp, epoch: self.epochs[id.rank as usize], floor, source }
    }

    /// All threads of a block wait for each other.
    pub(super) fn barrier(&mut self, rank: u32) {
        self.now += 1;
        self.epochs[rank as usize] = self.now;
        let block = self.of(rank);
        self.threads[block.clone()].fill(Clock { stamp: self.now, floor: self.now });
        if !self.learned.is_empty() {
            let joined = join_all(self.learned[block.clone()].iter());
            self.learned[block].fill(joined);
        }
    }

    /// All threads of the cluster wait for each other.
    pub(super) fn cluster_barrier(&mut self) {
        self.now += 1;
        self.cluster_epoch = self.now;
        self.epochs.fill(self.now);
        self.threads.fill(Clock { stamp: self.now, floor: self.now });
        if !self.learned.is_empty() {
            let joined = join_all(self.learned.iter());
            self.learned.fill(joined);
        }
    }

    /// The lanes in `mask` of the warp that begins at thread `first` wait for each other; `all` are the warp's lanes.
    pub(super) fn collective(&mut self, first: Id, mask: u32, all: u32) {
        self.now += 1;
        let now = self.now;
        let first = self.at(first);
        if !self.learned.is_empty() {
            let joined = join_all(lanes(mask).map(|lane| &self.learned[first + lane as usize]));
            lanes(mask).for_each(|lane| self.learned[first + lane as usize].clone_from(&joined));
        }
        if mask == all {
            self.threads[first..][..all.count_ones() as usize].fill(Clock { stamp: now, floor: now });
            return;
        }
        if self.known.is_empty() {
            self.known.resize(self.threads.len(), [0; 32]);
            self.is_intricate = true;
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

    /// A time of its own, later than all before.
    pub(super) fn tick(&mut self) -> u32 {
        self.now += 1;
        self.now
    }

    /// The thread's clock now: what it has done is before it, what it will do is not.
    pub(super) fn part(&mut self, id: Id) -> Snapshot {
        let at = self.at(id);
        let stamp = self.tick();
        self.threads[at].stamp = stamp;
        Snapshot {
            id,
            stamp,
            epoch: self.epochs[id.rank as usize],
            floor: self.threads[at].floor,
            cluster_epoch: self.cluster_epoch,
            known: self.known.get(at).map(|known| Box::new(*known)),
            learned: self.learned.get(at).cloned().flatten(),
        }
    }

    /// The thread knows from here on what others did.
    pub(super) fn learn(&mut self, id: Id, news: &Rc<Learned>) {
        let at = self.at(id);
        if self.learned.is_empty() {
            self.learned.resize(self.threads.len(), None);
            self.is_intricate = true;
        }
        let joined = match (&self.learned[at], &self.last) {
            (None, _) => Rc::clone(news),
            (Some(own), _) if Rc::ptr_eq(own, news) => return,
            (Some(own), Some([old, new, both])) if Rc::ptr_eq(own, old) && Rc::ptr_eq(news, new) => Rc::clone(both),
            (Some(own), _) => {
                let mut both = Learned::clone(own);
                both.join(news, true);
                let both = Rc::new(both);
                self.last = Some([Rc::clone(own), Rc::clone(news), Rc::clone(&both)]);
                both
            }
        };
        self.learned[at] = Some(joined);
    }

    /// Whether any thread of a block knows that what an entry did at a time is over. Barriers tell it of threads only.
    pub(super) fn any_knows(&self, rank: u32, entry: usize, stamp: u32, is_thread: bool) -> bool {
        let knows = |learned: &Option<Rc<Learned>>| learned.as_ref().is_some_and(|known| known.over[entry] > stamp);
        (is_thread && stamp < self.cluster_epoch)
            || self.learned.get(self.of(rank)).is_some_and(|block| block.iter().any(knows))
    }
}

impl Snapshot {
    pub(super) fn view<'a>(&'a self, places: &'a Places) -> View<'a> {
        let Self { stamp, epoch, floor, .. } = *self;
        View { stamp, epoch, floor, source: Some(Source::Then(self, places)) }
    }

    /// Adds to `learned` what the thread knew; without `visibly` only that it is over.
    pub(super) fn tell(&self, places: &Places, learned: &mut Learned, visibly: bool) {
        if let Some(own) = &self.learned {
            learned.join(own, visibly);
        }
        for rank in 0..places.blocks {
            learned.raise(places.threads(rank), self.cluster_epoch, visibly);
        }
        learned.raise(places.threads(self.id.rank), self.epoch, visibly);
        let warp = places.thread(self.id.rank, self.id.thread & !31);
        learned.raise(warp..warp + 32, self.floor, visibly);
        for (lane, &time) in self.known.iter().flat_map(|known| known.iter().enumerate()) {
            learned.raise(warp + lane..warp + lane + 1, time, visibly);
        }
        let own = places.thread(self.id.rank, self.id.thread);
        learned.raise(own..own + 1, self.stamp, visibly);
    }
}

impl View<'_> {
    /// The lanes of `mask`, in the viewer's warp, whose accesses stamped `stamp` are not ordered before now.
    #[inline]
    pub(super) fn unordered(&self, mask: u32, stamp: u32) -> u32 {
        if stamp < self.floor {
            return 0;
        }
        let known = match self.source {
            None => None,
            Some(Source::Now(clocks, at)) => clocks.known.get(at as usize),
            Some(Source::Then(snapshot, _)) => snapshot.known.as_deref(),
        };
        let Some(known) = known else { return mask };
        lanes(mask).filter(|&lane| stamp >= known[lane as usize]).fold(0, |found, lane| found | 1 << lane)
    }

    /// Whether more than barriers of the block and of whole warps orders accesses here.
    #[inline]
    pub(super) fn is_intricate(&self) -> bool {
        self.source.is_some()
    }

    /// The lanes of `mask`, in a warp of a block, whose accesses stamped `stamp` are not ordered before now by more
    /// than barriers of blocks.
    #[cold]
    pub(super) fn unordered_beyond(&self, block: u32, warp: u8, mask: u32, stamp: u32, need: Need) -> u32 {
        let (places, epoch, learned) = match self.source {
            None => return mask,
            Some(Source::Now(clocks, at)) => {
                (&clocks.places, clocks.cluster_epoch, clocks.learned.get(at as usize).and_then(Option::as_deref))
            }
            Some(Source::Then(snapshot, places)) => (places, snapshot.cluster_epoch, snapshot.learned.as_deref()),
        };
        let Some(rank) = places.rank(block) else { return mask };
        if warp != ARRIVAL_WARP && stamp < epoch {
            return 0;
        }
        let Some(learned) = learned else { return mask };
        let (first, times) = (places.warp(rank, warp), learned.of(need));
        lanes(mask).filter(|&lane| stamp >= times[first + lane as usize]).fold(0, |found, lane| found | 1 << lane)
    }
}
