//! The exchange of candidates: from lanes to warps, to the block, to every block of the cluster.
//!
//! What a candidate is goes ahead; its row follows, from each block, while the others' candidates are on their way, and
//! is needed only a column later. A column's memory is used again four columns later. By then every block has sent a
//! candidate that it could only choose after the last use. Each column has mbarriers of its own, which are told at the
//! beginning what to expect: an arrival waits for all that its thread has written, which would be most of a column's
//! time.

use simt::mbarrier::Mbarrier;
use simt::shared::Shared;
use simt::{cluster, sync_threads, thread, warp};

use crate::collective::pivot::largest;
use crate::numbers::mma::Mma;
use crate::schedule::multi_block::panel::candidates::{Candidate, are_several, candidate_words, largest_of};
use crate::schedule::multi_block::panel::storage::SharedStorage;
use crate::schedule::multi_block::panel::{MAX_BLOCKS, WARPS};

/// Columns whose candidates have memory at a time.
pub const DEPTH: u32 = 4;

/// Numbers that are sent of the row of the candidate for column `c`: those after the column, in fours, or quarters of
/// `NB`.
#[must_use]
pub const fn row_numbers<const NB: usize>(c: u32) -> u32 {
    let step = if NB > 16 { NB as u32 / 4 } else { 4 };
    NB as u32 - (c + 1) / step * step
}

/// The candidate of a block.
#[derive(Clone, Copy)]
pub struct OfBlock {
    /// The warp that has it.
    pub warp: u32,
    /// Its position.
    pub position: u32,
}

/// Where candidates meet.
#[derive(Clone, Copy)]
pub struct Exchange<T, const NB: usize> {
    of_warps: Shared<u32>,
    of_blocks: Shared<u32>,
    staged: Shared<T>,
    rows: Shared<T>,
    arrived: Shared<u64>,
    /// Blocks of the cluster.
    pub blocks: u32,
    /// Which of them this is.
    pub rank: u32,
}

impl<T: Mma, const NB: usize> Exchange<T, NB> {
    /// That of a block.
    #[inline(always)]
    pub fn new<const LANE_ROWS: usize>(shared: &SharedStorage<T, NB, LANE_ROWS>) -> Self {
        let SharedStorage { of_warps, of_blocks, staged, rows, arrived, .. } = *shared;
        Self { of_warps, of_blocks, staged, rows, arrived, blocks: cluster::size(), rank: cluster::rank() }
    }

    /// Makes this block's memory ready. A barrier of the block must follow, then [`Self::arrive`].
    #[inline(always)]
    pub fn prepare(&self) {
        let c = thread::index();
        if self.blocks > 1 && c < NB as u32 {
            let row_bytes = row_numbers::<NB>(c) * size_of::<T>() as u32;
            self.expect(self.candidates_arrived(c), 4 * candidate_words::<T>());
            self.expect(self.rows_arrived(c), row_bytes);
            self.staged.store(c, T::ZERO); // a block without candidates sends that
        }
    }

    /// Tells the cluster that this block is ready.
    #[inline(always)]
    pub fn arrive(&self) {
        if self.blocks > 1 {
            cluster::arrive();
        }
    }

    /// Waits until all blocks are ready.
    #[inline(always)]
    pub fn begin(&self) {
        if self.blocks > 1 {
            cluster::wait();
        }
    }

    /// Lets an mbarrier expect so many bytes of each block.
    #[inline(always)]
    fn expect(&self, arrived: Mbarrier, bytes: u32) {
        arrived.init(1);
        arrived.arrive_expect(bytes * self.blocks);
    }

    /// Waits until no block needs this one's memory any more.
    #[inline(always)]
    pub fn end(&self) {
        if self.blocks > 1 {
            cluster::sync();
        }
    }

    /// The mbarrier of the candidates for column `c`.
    #[inline(always)]
    fn candidates_arrived(&self, c: u32) -> Mbarrier {
        Mbarrier::new(self.arrived.offset(c))
    }

    /// The mbarrier of their rows.
    #[inline(always)]
    fn rows_arrived(&self, c: u32) -> Mbarrier {
        Mbarrier::new(self.arrived.offset(NB as u32 + c))
    }

    /// Candidate `warp` of the block's.
    #[inline(always)]
    fn of_warp(&self, c: u32, warp: u32) -> Shared<u32> {
        self.of_warps.offset((c % 2 * WARPS + warp) * candidate_words::<T>())
    }

    /// Candidate `rank` of the cluster's.
    #[inline(always)]
    fn of_block(&self, c: u32, rank: u32) -> Shared<u32> {
        self.of_blocks.offset((c % DEPTH * MAX_BLOCKS + rank) * candidate_words::<T>())
    }

    /// The row of that, from column `c + 1` on: shape (NB). After [`Self::wait_for_rows`].
    #[inline(always)]
    pub fn row(&self, c: u32, rank: u32) -> Shared<T> {
        self.rows.offset((c % DEPTH * MAX_BLOCKS + rank) * NB as u32)
    }

    /// Puts the largest candidate of each warp where all warps of the block see it.
    ///
    /// A lane offers the largest word of its candidates, and its value; `holder` says which candidate has the warp's
    /// largest word, and whether several have. If there are more in the warp, `exact` finds the lane's largest. Neither
    /// has a reciprocal.
    #[inline(always)]
    pub fn offer(
        &self,
        c: u32,
        (word, value): (u32, T),
        holder: impl FnOnce(u32) -> (Candidate<T>, bool),
        exact: impl FnOnce() -> Candidate<T>,
    ) {
        let largest_word = warp::max_u32(warp::ALL, word);
        let reciprocal = value.reciprocal(); // while the maximum is on its way
        let mut is_largest = word == largest_word;
        let holders = warp::ballot(warp::ALL, is_largest);
        let (own, is_tied) = holder(largest_word);
        let mut own = Candidate { value, reciprocal, ..own };
        let are_tied = warp::any(warp::ALL, is_tied);
        if largest_word == 0 {
            is_largest = warp::lane() == 0; // says that there is none
        } else if are_several(holders) || are_tied {
            own = exact();
            own.reciprocal = own.value.reciprocal();
            is_largest = own.key() == largest(own.key());
        }
        if is_largest {
            own.store(self.of_warp(c, warp::index()));
        }
        sync_threads();
    }

    /// The block's candidate of those that its warps offered, which is sent to all blocks of the cluster.
    #[inline(always)]
    pub fn send(&self, c: u32) -> OfBlock {
        let is_sent = self.blocks > 1;
        // Half a warp a destination, a lane a vector.
        let (vector, destination) = (warp::lane() % 16, warp::index() + warp::lane() / 16 * WARPS);
        let is_sender = is_sent && vector < candidate_words::<T>() / 4 && destination < self.blocks;
        let (warp, (position, part)) = largest_of::<T, _>(self.of_warp(c, 0), WARPS, |slot| {
            (slot.load(2), slot.vectors::<4>().load(if is_sender { vector } else { 0 }))
        });
        if is_sender {
            let to = self.of_block(c, self.rank).vectors::<4>().of(destination);
            to.store_async(vector, part, self.candidates_arrived(c).of(destination));
        }
        OfBlock { warp, position }
    }

    /// Sends the row of the block's candidate after it, at most `LEFT` numbers, which `store` puts where it is told. By
    /// the warp that has it.
    #[inline(always)]
    pub fn send_row<const LEFT: usize>(&self, c: u32, store: impl FnOnce(Shared<T>)) {
        if self.blocks == 1 {
            store(self.row(c, 0));
            return;
        }
        store(self.staged);
        warp::sync(warp::ALL);
        let vectors = (NB / T::VECTOR) as u32; // of a row: a power of two, at most 16
        let vector = warp::lane() % vectors;
        if vector < (LEFT / T::VECTOR) as u32 {
            let part = self.staged.cast::<u32>().vectors::<4>().load(vector);
            let mut destination = warp::lane() / vectors;
            while destination < self.blocks {
                let to = self.row(c, self.rank).cast::<u32>().vectors::<4>().of(destination);
                to.store_async(vector, part, self.rows_arrived(c).of(destination));
                destination += warp::SIZE / vectors;
            }
        }
    }

    /// Waits for the rows of column `c`. In a cluster of one block [`Self::offer`] of the next column has done that.
    #[inline(always)]
    pub fn wait_for_rows(&self, c: u32) {
        if self.blocks > 1 {
            self.rows_arrived(c).wait(0);
        }
    }

    /// The pivot of column `c`, and the block that has it. `own` is what [`Self::send`] sent.
    #[inline(always)]
    pub fn pivot(&self, c: u32, own: &OfBlock) -> (u32, Candidate<T>) {
        if self.blocks == 1 {
            return (0, Candidate::load(self.of_warp(c, own.warp)));
        }
        self.candidates_arrived(c).wait(0);
        largest_of::<T, _>(self.of_block(c, 0), self.blocks, Candidate::load)
    }
}
