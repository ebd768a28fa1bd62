//! The solution, in the shared memory of all blocks, and the mbarriers that tell when each part of it is there.
//!
//! Parts come to other blocks by asynchronous stores, if they have strips that wait for them. In the second sweep a
//! part takes the place of what the first left of the same rows. By then all have read that, and none of it is on its
//! way any more: whoever sends the new part has waited for strips that waited for the old one.

use simt::mbarrier::Mbarrier;
use simt::shared::Shared;
use simt::{block, cluster, thread, warp};

use crate::memory::vector::Vectorized;
use crate::operation::getrs::cluster_per_rhs::MAX_BLOCKS;
use crate::operation::getrs::cluster_per_rhs::strips::{STRIP, Strips};
use crate::operation::getrs::cluster_per_rhs::sweep::Sweep;

/// Rows that are solved for together, and sent.
pub const GROUP: usize = 8;
/// Groups of a strip.
pub const GROUPS: u32 = STRIP / GROUP as u32;
/// Blocks that a warp sends to by one instruction: a lane a number.
const DESTINATIONS: u32 = warp::SIZE / GROUP as u32;
/// Instructions that send to all blocks.
const SENDS: usize = (MAX_BLOCKS / DESTINATIONS) as usize;

/// Where parts of the solution arrive.
#[derive(Clone, Copy)]
pub struct Exchange<T> {
    /// The solution, by groups of rows, in each by turns: shape (groups, GROUP).
    x: Shared<T>,
    /// Whether they are there: shape (2, groups).
    arrived: Shared<u64>,
    strips: Strips,
}

impl<T: Vectorized> Exchange<T> {
    /// That of a matrix, in arrays of these shapes.
    #[inline(always)]
    #[must_use]
    pub fn new(x: Shared<T>, arrived: Shared<u64>, strips: Strips) -> Self {
        Self { x, arrived, strips }
    }

    /// Makes this block's mbarriers ready. A barrier of the block must follow, then [`Self::arrive`].
    #[inline(always)]
    pub fn prepare(&self) {
        let groups = self.strips.count * GROUPS;
        let mut group = thread::index();
        while group < groups {
            let is_own = self.strips.is_own(group / GROUPS);
            for sweep in 0..2 {
                let arrived = self.arrived(sweep, group);
                arrived.init(1);
                if !is_own {
                    arrived.arrive_expect(GROUP as u32 * size_of::<T>() as u32);
                }
            }
            group += block::dim();
        }
    }

    /// Tells the cluster that this block is ready.
    #[inline(always)]
    pub fn arrive(&self) {
        if cluster::size() > 1 {
            cluster::arrive();
        }
    }

    /// Waits until all blocks are ready.
    #[inline(always)]
    pub fn begin(&self) {
        if cluster::size() > 1 {
            cluster::wait();
        }
    }

    /// Waits until no block needs this one's memory any more.
    #[inline(always)]
    pub fn end(&self) {
        if cluster::size() > 1 {
            cluster::sync();
        }
    }

    /// Waits for a group of the solution, and returns it, by turns.
    #[inline(always)]
    #[must_use]
    pub fn wait(&self, sweep: &Sweep, turn: u32) -> [T; GROUP] {
        let group = sweep.group(turn);
        self.arrived(sweep.number, group).wait(0);
        T::load_row(self.group(group), 0)
    }

    /// Which of the blocks that this lane sends to wait for a strip: a bit each.
    #[inline(always)]
    #[must_use]
    pub fn receivers(&self, sweep: &Sweep, strip: u32) -> u32 {
        let waits = |block| {
            if sweep.is_backward() { self.strips.first_of(block) < strip } else { self.strips.last_of(block) > strip }
        };
        Self::others(waits)
    }

    /// The other blocks that this lane sends to, of those that are wanted.
    #[inline(always)]
    fn others(is_wanted: impl Fn(u32) -> bool) -> u32 {
        let mut others = 0;
        for send in 0..SENDS {
            let block = destination(send);
            if block < cluster::size() && block != cluster::rank() && is_wanted(block) {
                others |= 1 << send;
            }
        }
        others
    }

    /// Puts a group of the solution, which all lanes of the warp have, where the warps of this block see it.
    #[inline(always)]
    pub fn store(&self, sweep: &Sweep, turn: u32, x: &[T; GROUP]) {
        let group = sweep.group(turn);
        warp::sync(warp::ALL); // all lanes are done with what they have read
        if warp::lane() == 0 {
            T::store_row(self.group(group), x, 0);
            self.arrived(sweep.number, group).arrive();
        }
        warp::sync(warp::ALL);
    }

    /// Sends it to other blocks: to those that wait for the strip, and the last group of all to everyone.
    #[inline(always)]
    pub fn send(&self, sweep: &Sweep, turn: u32, receivers: u32) {
        let (group, number) = (sweep.group(turn), warp::lane() % GROUP as u32);
        let is_last = sweep.is_backward() && group == 0;
        let receivers = if is_last { Self::others(|_| true) } else { receivers };
        if warp::any(warp::ALL, receivers != 0) {
            let own = self.group(group).load(number);
            for send in 0..SENDS {
                if receivers & 1 << send != 0 {
                    let block = destination(send);
                    let arrived = self.arrived(sweep.number, group).of(block);
                    self.group(group).of(block).store_async(number, own, arrived);
                }
            }
        }
    }

    /// What the last turn brought.
    #[inline(always)]
    #[must_use]
    pub fn last(&self, sweep: &Sweep) -> T {
        self.wait(sweep, sweep.turns() - GROUP as u32)[GROUP - 1]
    }

    /// What this warp has solved for at its `turn`, after a synchronization of the warp.
    #[inline(always)]
    #[must_use]
    pub fn own(&self, sweep: &Sweep, turn: u32) -> T {
        self.group(sweep.group(turn)).load(turn % GROUP as u32)
    }

    /// What this warp has solved for in a row, between the two sweeps.
    #[inline(always)]
    #[must_use]
    pub fn after_forward(&self, row: u32) -> T {
        self.x.load(row)
    }

    /// The group's part of the solution: shape (GROUP).
    #[inline(always)]
    fn group(&self, group: u32) -> Shared<T> {
        self.x.offset(group * GROUP as u32)
    }

    /// The mbarrier of a group in a sweep.
    #[inline(always)]
    fn arrived(&self, sweep: u32, group: u32) -> Mbarrier {
        Mbarrier::new(self.arrived.offset(sweep * self.strips.count * GROUPS + group))
    }
}

/// The block that this lane sends to by instruction `send`.
#[inline(always)]
fn destination(send: usize) -> u32 {
    warp::lane() / GROUP as u32 + send as u32 * DESTINATIONS
}
