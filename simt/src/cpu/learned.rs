//! What threads of a cluster learn of each other beyond their block's barriers: through mbarriers, and from barriers of
//! the cluster that they pass one by one.

use std::rc::Rc;

/// Entries of a block beyond those of its threads: what arrives by asynchronous stores, one an mbarrier.
pub(super) const ARRIVALS: usize = 32;

/// The warp that accesses by asynchronous stores are noted under, its lanes being those entries.
pub(super) const ARRIVAL_WARP: u8 = u8::MAX;

/// Where a cluster's threads have their entries: block after block, each with its threads in whole warps, then its
/// arrivals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// The cluster's first block.
    pub(super) first_block: u32,
    /// Blocks of the cluster.
    pub(super) blocks: u32,
    /// Entries of the threads of a block.
    warps: usize,
}

/// For each entry a time: what its thread did before is ordered before what comes now.
#[derive(Clone, Debug)]
pub(super) struct Learned {
    /// Of what is seen: its writes may be read.
    pub(super) seen: Box<[u32]>,
    /// Of what is over: it may be overwritten. Never earlier than the above.
    pub(super) over: Box<[u32]>,
}

/// What an access is ordered by: reads must see what they read, writes only have to come later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Seen,
    Over,
}

impl Places {
    pub(super) fn new(first_block: u32, blocks: u32, threads: u32) -> Self {
        Self { first_block, blocks, warps: threads.next_multiple_of(32) as usize }
    }

    fn stride(&self) -> usize {
        self.warps + ARRIVALS
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.blocks as usize * self.stride()
    }

    /// The entry of a thread.
    pub(super) fn thread(&self, rank: u32, thread: u32) -> usize {
        rank as usize * self.stride() + thread as usize
    }

    /// The entries of the threads of a block.
    pub(super) fn threads(&self, rank: u32) -> std::ops::Range<usize> {
        let first = self.thread(rank, 0);
        first..first + self.warps
    }

    /// The entry of what arrives with an mbarrier.
    pub(super) fn arrival(&self, rank: u32, lane: u32) -> usize {
        rank as usize * self.stride() + self.warps + lane as usize
    }

    /// The entry of lane 0 of a warp.
    pub(super) fn warp(&self, rank: u32, warp: u8) -> usize {
        if warp == ARRIVAL_WARP { self.arrival(rank, 0) } else { self.thread(rank, 32 * u32::from(warp)) }
    }

    /// The rank of a block, if it is one of the cluster.
    pub(super) fn rank(&self, block: u32) -> Option<u32> {
        let rank = block.wrapping_sub(self.first_block);
        (rank < self.blocks).then_some(rank)
    }
}

impl Learned {
    /// Nothing yet.
    pub(super) fn new(places: &Places) -> Self {
        let none = vec![0; places.len()].into_boxed_slice();
        Self { seen: none.clone(), over: none }
    }

    pub(super) fn of(&self, need: Need) -> &[u32] {
        match need {
            Need::Seen => &self.seen,
            Need::Over => &self.over,
        }
    }

    /// Adds what another knows; without `visibly` only that it is over.
    pub(super) fn join(&mut self, other: &Self, visibly: bool) {
        if visibly {
            raise_each(&mut self.seen, &other.seen);
        }
        raise_each(&mut self.over, &other.over);
    }

    /// Adds that a range of entries is known up to a time.
    pub(super) fn raise(&mut self, entries: std::ops::Range<usize>, time: u32, visibly: bool) {
        let raise = |list: &mut [u32]| list[entries.clone()].iter_mut().for_each(|entry| *entry = time.max(*entry));
        if visibly {
            raise(&mut self.seen);
        }
        raise(&mut self.over);
    }
}

fn raise_each(to: &mut [u32], from: &[u32]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = from.max(*to);
    }
}

/// Joins what several know. Many know the very same, which is then shared again.
pub(super) fn join_all<'a>(all: impl Iterator<Item = &'a Option<Rc<Learned>>>) -> Option<Rc<Learned>> {
    let mut distinct: Vec<&Rc<Learned>> = Vec::new();
    for learned in all.flatten() {
        if !distinct.iter().any(|known| Rc::ptr_eq(known, learned)) {
            distinct.push(learned);
        }
    }
    let (first, others) = distinct.split_first()?;
    if others.is_empty() {
        return Some(Rc::clone(first));
    }
    let mut joined = Learned::clone(first);
    others.iter().for_each(|other| joined.join(other, true));
    Some(Rc::new(joined))
}
