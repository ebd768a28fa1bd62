//! The exchange of candidates: from lanes to warps, to the block, to every block of the cluster. Where the cluster has
//! few warps with candidates, these send their own, without a barrier of the block.
//!
//! What a candidate is goes ahead; its row follows, from each sender, while the others' candidates are on their way, and
//! is needed only a column later. A column's memory is used again four columns later. By then every sender has sent a
//! candidate that it could only choose after the last use. Each column has mbarriers of its own, which are told at the
//! beginning what to expect: an arrival waits for all that its thread has written, which would be most of a column's
//! time.

use simt::layout::Layout;
use simt::mbarrier::Mbarrier;
use simt::remote::Mapped;
use simt::shared::{Shared, Vector};
use simt::{cluster, sync_threads, thread, warp};

use crate::collective::mma::Mma;
use crate::collective::pivot::largest;
use crate::schedule::multi_block::panel::candidates::{Candidate, are_several, candidate_words, largest_of};
use crate::schedule::multi_block::panel::{THREADS, WARPS};

/// Columns whose candidates have memory at a time.
pub const DEPTH: u32 = 4;

/// Numbers that are sent of the row of the candidate for column `c`: those after the column, in fours, or quarters of
/// `NB`.
#[must_use]
pub const fn row_numbers<const NB: usize>(c: u32) -> u32 {
    let step = if NB > 16 { NB as u32 / 4 } else { 4 };
    NB as u32 - (c + 1) / step * step
}

/// The candidate that a block sent, or a warp by itself.
#[derive(Clone, Copy)]
pub struct Own {
    /// The warp that has it.
    pub warp: u32,
    /// Its position.
    pub position: u32,
}

/// Where the arrays of an exchange are.
#[derive(Clone, Copy)]
pub struct ExchangeStorage<T> {
    /// The candidates of the warps, on their way, for columns of even and odd number: shape (2, WARPS,
    /// [`candidate_words`]).
    of_warps: Shared<u32>,
    /// The candidates of the senders, which these store: shape (DEPTH, senders, [`candidate_words`]).
    candidates: Shared<u32>,
    /// The row of the block's candidate, or those of the warps', on their way: shape (WARPS, NB) or (NB).
    staged: Shared<T>,
    /// The rows of the senders' candidates, which these store: shape (DEPTH, senders, NB).
    rows: Shared<T>,
    /// The mbarriers of candidates, and of rows: shape (2, NB).
    arrived: Shared<u64>,
}

impl<T: Mma> ExchangeStorage<T> {
    /// Those for so many senders at most.
    #[inline(always)]
    pub fn new<const NB: usize, const BY_WARP: bool>(layout: &mut Layout, senders: u32) -> Self {
        Self {
            of_warps: layout.array(2 * WARPS * candidate_words::<T>()),
            candidates: layout.array(DEPTH * senders * candidate_words::<T>()),
            staged: layout.array(if BY_WARP { WARPS } else { 1 } * NB as u32),
            rows: layout.array(DEPTH * senders * NB as u32),
            arrived: layout.array(2 * NB as u32),
        }
    }
}

/// Where candidates meet: those of blocks, or `BY_WARP` those of warps, of which there are fewer then.
#[derive(Clone, Copy)]
pub struct Exchange<T, const NB: usize, const BY_WARP: bool> {
    storage: ExchangeStorage<T>,
    /// How many senders the arrays have room for.
    room: u32,
    /// The same arrays, as other blocks find them.
    candidates: Mapped<u32>,
    rows: Mapped<T>,
    candidates_arrived: Mbarrier,
    rows_arrived: Mbarrier,
    blocks: u32,
    /// How many they are: all the blocks of the cluster, or so many warps of each.
    senders: u32,
    /// Which of them this is.
    sender: u32,
    /// Of the phases of the mbarriers.
    parity: u32,
}

impl<T: Mma, const NB: usize, const BY_WARP: bool> Exchange<T, NB, BY_WARP> {
    /// That of a block, or of the first `warps` of each.
    #[inline(always)]
    pub fn new(storage: ExchangeStorage<T>, room: u32, (blocks, rank, warps): (u32, u32, u32)) -> Self {
        let arrived = Mbarrier::new(storage.arrived);
        let (senders, sender) = if BY_WARP { (blocks * warps, rank * warps + warp::index()) } else { (blocks, rank) };
        Self {
            storage,
            room,
            candidates: storage.candidates.mapped(),
            rows: storage.rows.mapped(),
            candidates_arrived: arrived,
            rows_arrived: arrived.offset(NB as u32),
            blocks,
            senders,
            sender,
            parity: 0,
        }
    }

    /// Makes this block's memory ready, for `warps` of its warps. A barrier of the block must follow, then
    /// [`Self::arrive`].
    #[inline(always)]
    pub fn prepare(&self, warps: u32) {
        let c = thread::index();
        if c < NB as u32 && self.blocks > 1 {
            self.candidates_arrived.offset(c).init(1);
            self.rows_arrived.offset(c).init(1);
            self.expect();
        } else if c < NB as u32 && BY_WARP {
            self.candidates_arrived.offset(c).init(warps);
            self.rows_arrived.offset(c).init(warps);
        }
        // A sender without candidates sends a row, too.
        let mut e = c;
        while e < if BY_WARP { WARPS } else { 1 } * NB as u32 {
            self.storage.staged.store(e, T::ZERO);
            e += THREADS;
        }
    }

    /// Lets the mbarriers expect what comes for a panel.
    #[inline(always)]
    fn expect(&self) {
        let c = thread::index();
        let row_bytes = row_numbers::<NB>(c) * size_of::<T>() as u32;
        self.candidates_arrived.offset(c).arrive_expect(4 * candidate_words::<T>() * self.senders);
        // Right of the last column there is nothing to send.
        if row_bytes > 0 {
            self.rows_arrived.offset(c).arrive_expect(row_bytes * self.senders);
        }
    }

    /// Makes ready for another panel, when all threads of the block have seen the end of the one before.
    #[inline(always)]
    pub fn next_panel(&mut self) {
        self.parity ^= 1;
        if self.blocks > 1 && thread::index() < NB as u32 {
            self.expect();
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

    /// Waits until no block needs this one's memory any more.
    #[inline(always)]
    pub fn end(&self) {
        if self.blocks > 1 {
            cluster::sync();
        }
    }

    /// The candidate that this warp offers, where the block's other warps find it, or where it is sent from.
    #[inline(always)]
    fn of_warp(&self, c: u32, warp: u32) -> Shared<u32> {
        self.storage.of_warps.offset((c % 2 * WARPS + warp) * candidate_words::<T>())
    }

    /// Where in [`ExchangeStorage::candidates`] that of a sender is.
    #[inline(always)]
    fn candidate_at(&self, c: u32, sender: u32) -> u32 {
        (c % DEPTH * self.room + sender) * candidate_words::<T>()
    }

    /// Where in [`ExchangeStorage::rows`] its row is.
    #[inline(always)]
    fn row_at(&self, c: u32, sender: u32) -> u32 {
        (c % DEPTH * self.room + sender) * NB as u32
    }

    /// The row of a sender's candidate, from column `c + 1` on: shape (NB). After [`Self::wait_for_rows`].
    #[inline(always)]
    pub fn row(&self, c: u32, sender: u32) -> Shared<T> {
        self.storage.rows.offset(self.row_at(c, sender))
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
            let is_there = BY_WARP && self.blocks == 1;
            own.store(if is_there {
                self.storage.candidates.offset(self.candidate_at(c, self.sender))
            } else {
                self.of_warp(c, warp::index())
            });
        }
        if BY_WARP {
            warp::sync(warp::ALL);
        } else {
            sync_threads();
        }
    }

    /// Sends what was offered to all blocks of the cluster: that of this warp, or the largest of the block's warps.
    #[inline(always)]
    pub fn send(&self, c: u32) -> Own {
        if BY_WARP {
            return self.send_of_warp(c);
        }
        let is_sent = self.blocks > 1;
        // Half a warp a destination, a lane a vector.
        let (vector, destination) = (warp::lane() % 16, warp::index() + warp::lane() / 16 * WARPS);
        let is_sender = is_sent && vector < candidate_words::<T>() / 4 && destination < self.blocks;
        let (warp, (position, part)) = largest_of::<T, _>(self.of_warp(c, 0), WARPS, |slot| {
            (slot.load(2), slot.vectors::<4>().load(if is_sender { vector } else { 0 }))
        });
        if is_sender {
            self.send_vector(c, destination, vector, part);
        }
        Own { warp, position }
    }

    #[inline(always)]
    fn send_of_warp(&self, c: u32) -> Own {
        let warp = warp::index();
        if self.blocks == 1 {
            if warp::lane() == 0 {
                self.candidates_arrived.offset(c).arrive();
            }
            return Own { warp, position: self.storage.candidates.load(self.candidate_at(c, self.sender) + 2) };
        }
        let slot = self.of_warp(c, warp);
        let vectors = candidate_words::<T>() / 4;
        let lanes = vectors.next_power_of_two();
        let (vector, mut destination) = (warp::lane() % lanes, warp::lane() / lanes);
        let part = slot.vectors::<4>().load(if vector < vectors { vector } else { 0 });
        while destination < self.blocks {
            if vector < vectors {
                self.send_vector(c, destination, vector, part);
            }
            destination += warp::SIZE / lanes;
        }
        Own { warp, position: slot.load(2) }
    }

    /// Sends a vector of the candidate to a block.
    #[inline(always)]
    fn send_vector(&self, c: u32, destination: u32, vector: u32, part: Vector<u32, 4>) {
        let to = self.candidates.offset(self.candidate_at(c, self.sender)).of(destination).vectors::<4>();
        to.store_async(vector, part, self.candidates_arrived.offset(c).of(destination));
    }

    /// Sends the row of the candidate after it, at most `LEFT` numbers, which `store` puts where it is told. By the
    /// warp that has it.
    #[inline(always)]
    pub fn send_row<const LEFT: usize>(&self, c: u32, store: impl FnOnce(Shared<T>)) {
        if self.blocks == 1 {
            store(self.row(c, self.sender));
            if BY_WARP {
                warp::sync(warp::ALL);
                if warp::lane() == 0 {
                    self.rows_arrived.offset(c).arrive();
                }
            }
            return;
        }
        let staged = self.storage.staged.offset(if BY_WARP { warp::index() * NB as u32 } else { 0 });
        store(staged);
        warp::sync(warp::ALL);
        let vectors = (NB / T::VECTOR) as u32; // of a row: a power of two, at most 16
        let vector = warp::lane() % vectors;
        if vector < (LEFT / T::VECTOR) as u32 {
            let part = staged.cast::<u32>().vectors::<4>().load(vector);
            let to = self.rows.offset(self.row_at(c, self.sender));
            let mut destination = warp::lane() / vectors;
            while destination < self.blocks {
                let arrived = self.rows_arrived.offset(c).of(destination);
                to.of(destination).cast::<u32>().vectors::<4>().store_async(vector, part, arrived);
                destination += warp::SIZE / vectors;
            }
        }
    }

    /// Waits for the rows of column `c`. Of a block by itself [`Self::offer`] of the next column has done that.
    #[inline(always)]
    pub fn wait_for_rows(&self, c: u32) {
        if BY_WARP || self.blocks > 1 {
            self.rows_arrived.offset(c).wait_for_stores(self.parity);
        }
    }

    /// The pivot of column `c`, and who sent it. `own` is what [`Self::send`] sent.
    #[inline(always)]
    pub fn pivot(&self, c: u32, own: &Own) -> (u32, Candidate<T>) {
        if !BY_WARP && self.blocks == 1 {
            return (0, Candidate::load(self.of_warp(c, own.warp)));
        }
        self.candidates_arrived.offset(c).wait_for_stores(self.parity);
        let candidates = self.storage.candidates.offset(self.candidate_at(c, 0));
        largest_of::<T, _>(candidates, self.senders, Candidate::load)
    }
}
