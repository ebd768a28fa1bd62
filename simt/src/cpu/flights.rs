//! Asynchronous stores that are under way.

use std::panic::Location;

use super::clock::Snapshot;
use super::fault::Site;
use super::id::Id;
use super::random::SplitMix64;

/// A store to the shared memory of a block of the cluster.
#[derive(Debug)]
pub(super) struct Flight {
    /// Who began it, where, and what that thread's clock was then.
    pub(super) sender: Id,
    pub(super) location: &'static Location<'static>,
    pub(super) clock: Snapshot,
    /// The block where it arrives.
    pub(super) rank: u32,
    /// Where in the block's shared memory.
    pub(super) offset: usize,
    pub(super) bytes: [u8; 16],
    pub(super) len: usize,
    /// The mbarrier of the same block that counts the bytes.
    pub(super) mbarrier: u32,
}

impl Flight {
    /// Who began it, in a cluster with this first block.
    pub(super) fn site(&self, first_block: u32) -> Site {
        Site::new(first_block + self.sender.rank, self.sender.thread, self.location)
    }
}

/// The stores of a cluster. They arrive in no order, at times drawn from the seed: in some launches soon, in others
/// when nobody can go on without them.
#[derive(Debug)]
pub(super) struct Flights {
    flights: Vec<Flight>,
    random: SplitMix64,
    /// On average one arrives in so many turns; never before it must, if this is 0.
    patience: u32,
}

impl Flights {
    pub(super) fn new(random: &SplitMix64) -> Self {
        let mut random = random.split();
        let patience = [0, 1, 4, 32][random.below(4) as usize];
        Self { flights: Vec::new(), random, patience }
    }

    pub(super) fn begin(&mut self, flight: Flight) {
        self.flights.push(flight);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.flights.is_empty()
    }

    /// One that arrives now, of its own accord.
    #[inline]
    pub(super) fn arriving(&mut self) -> Option<Flight> {
        if self.flights.is_empty() || self.patience == 0 || self.random.below(self.patience) != 0 {
            return None;
        }
        self.any()
    }

    /// Any of them.
    pub(super) fn any(&mut self) -> Option<Flight> {
        let count = self.flights.len() as u32;
        (count > 0).then(|| self.flights.swap_remove(self.random.below(count) as usize))
    }

    /// One that has these bytes of a block's memory under way.
    pub(super) fn bound_for(&self, rank: u32, offset: usize, len: usize) -> Option<&Flight> {
        let meets = |flight: &Flight| {
            flight.rank == rank && flight.offset < offset + len && offset < flight.offset + flight.len
        };
        self.flights.iter().find(|flight| meets(flight))
    }
}
