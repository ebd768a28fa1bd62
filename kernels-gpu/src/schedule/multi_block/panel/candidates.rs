//! The pivot search: each lane has a candidate, and all threads of the cluster get to know the largest, with its row.

use simt::mbarrier::Mbarrier;
use simt::shared::{Shared, Vector};
use simt::{block, cluster, sync_threads, thread, warp};

use crate::collective::pivot::{Key, largest};
use crate::numbers::mma::Mma;
use crate::schedule::multi_block::panel::storage::{SharedStorage, candidate_words};
use crate::schedule::multi_block::panel::{MAX_BLOCKS, WARPS};

/// The pivot of a column.
#[derive(Clone, Copy)]
pub struct Pivot<T> {
    /// Its position when it was chosen.
    pub position: u32,
    /// Itself.
    pub value: T,
    /// Its reciprocal, where its magnitude is moderate.
    pub reciprocal: T,
}

/// A lane's candidate.
#[derive(Clone, Copy)]
pub struct Candidate<T> {
    /// What it is compared by; all zeros if the lane has none.
    pub key: Key,
    /// Its position.
    pub position: u32,
    /// Its reciprocal.
    pub reciprocal: T,
}

/// Where candidates meet.
#[derive(Clone, Copy)]
pub struct Candidates<T, const NB: usize> {
    of_warps: Shared<u32>,
    of_blocks: Shared<u32>,
    arrived: Shared<u64>,
    element: core::marker::PhantomData<T>,
}

impl<T: Mma, const NB: usize> Candidates<T, NB> {
    /// Those of a block.
    #[inline(always)]
    pub fn new<const LANE_ROWS: usize>(shared: &SharedStorage<T, NB, LANE_ROWS>) -> Self {
        let SharedStorage { of_warps, of_blocks, arrived, .. } = *shared;
        Self { of_warps, of_blocks, arrived, element: core::marker::PhantomData }
    }

    /// Makes ready for the first column. By all threads of the cluster.
    #[inline(always)]
    pub fn begin(&self) {
        if cluster::size() > 1 {
            if thread::index() == 0 {
                self.arrived(0).init(1);
                self.arrived(1).init(1);
            }
            cluster::sync();
        }
    }

    /// Waits until no block needs this one's memory any more.
    #[inline(always)]
    pub fn end(&self) {
        if cluster::size() > 1 {
            cluster::sync();
        }
    }

    /// The mbarrier for columns of this parity.
    #[inline(always)]
    fn arrived(&self, parity: u32) -> Mbarrier {
        Mbarrier::new(self.arrived.offset(parity))
    }

    /// Publishes the largest candidate of each warp, whose lane calls `store_row` with where its row goes; and waits until all
    /// warps of the block have.
    #[inline(always)]
    pub fn publish(&self, c: u32, own: &Candidate<T>, store_row: impl FnOnce(Shared<T>)) {
        if warp::lane() == winner(own.key) {
            let slot = self.of_warp(c % 2, warp::index());
            slot.vectors::<4>().store(0, Vector([own.key.0, own.key.1, own.key.2, own.position]));
            store_reciprocal(slot, own.reciprocal);
            store_row(row(slot));
        }
        sync_threads();
    }

    /// The largest of all candidates for column `c`, and where its row is: shape (LEFT). After [`Self::publish`].
    #[inline(always)]
    pub fn choose<const LEFT: usize>(&self, c: u32) -> (Pivot<T>, Shared<T>) {
        let parity = c % 2;
        let of_warps = self.of_warp(parity, 0);
        let warp = best_of::<T, NB>(of_warps, WARPS);
        if cluster::size() == 1 {
            return read::<T, NB>(of_warps, warp);
        }
        let arrived = self.arrived(parity);
        // Two vectors before the row.
        let vectors = 2 + (LEFT / T::VECTOR) as u32;
        if thread::index() == 0 {
            arrived.arrive_expect(16 * vectors * cluster::size());
        }
        let from = self.of_warp(parity, warp).vectors::<4>();
        let to = self.of_block(parity, cluster::rank()).vectors::<4>();
        let mut destination = warp::index();
        while destination < cluster::size() {
            if warp::lane() < vectors {
                let vector = from.load(warp::lane());
                to.of(destination).store_async(warp::lane(), vector, arrived.of(destination));
            }
            destination += block::dim() / warp::SIZE;
        }
        arrived.wait(c / 2 % 2);
        let of_blocks = self.of_block(parity, 0);
        read::<T, NB>(of_blocks, best_of::<T, NB>(of_blocks, cluster::size()))
    }

    #[inline(always)]
    fn of_warp(&self, parity: u32, warp: u32) -> Shared<u32> {
        self.of_warps.offset((parity * WARPS + warp) * candidate_words::<T, NB>())
    }

    #[inline(always)]
    fn of_block(&self, parity: u32, rank: u32) -> Shared<u32> {
        self.of_blocks.offset((parity * MAX_BLOCKS + rank) * candidate_words::<T, NB>())
    }
}

/// Which of `count` candidates, at most 32, is the largest. By each warp.
#[inline(always)]
fn best_of<T: Mma, const NB: usize>(slots: Shared<u32>, count: u32) -> u32 {
    let lane = warp::lane();
    let mut key = (0, 0, 0);
    if lane < count {
        let Vector([upper, lower, rank, _]) = slots.offset(lane * candidate_words::<T, NB>()).vectors::<4>().load(0);
        key = (upper, lower, rank);
    }
    winner(key)
}

/// The lane with the largest key. Mostly the upper bits alone tell which one it is.
#[inline(always)]
fn winner(key: Key) -> u32 {
    let upper = warp::max_u32(warp::ALL, key.0);
    let holders = warp::ballot(warp::ALL, key.0 == upper);
    if holders & (holders - 1) == 0 {
        return holders.trailing_zeros();
    }
    let best = largest(key);
    warp::ballot(warp::ALL, key == best).trailing_zeros()
}

/// The candidate in a slot, and its row.
#[inline(always)]
fn read<T: Mma, const NB: usize>(slots: Shared<u32>, i: u32) -> (Pivot<T>, Shared<T>) {
    let slot = slots.offset(i * candidate_words::<T, NB>());
    let Vector([_, _, _, position]) = slot.vectors::<4>().load(0);
    let row = row::<T>(slot);
    (Pivot { position, value: row.load(0), reciprocal: slot.offset(4).cast::<T>().load(0) }, row)
}

/// Where the row of a candidate is.
#[inline(always)]
fn row<T: Mma>(slot: Shared<u32>) -> Shared<T> {
    slot.offset(8).cast()
}

/// The reciprocal's vector, all of which is sent.
#[inline(always)]
fn store_reciprocal<T: Mma>(slot: Shared<u32>, reciprocal: T) {
    T::store_vector(slot.offset(4).cast(), 0, &[reciprocal; 4], 0);
}
