//! What the threads of a cluster share, and what happens to it without them: asynchronous stores that arrive, blocks
//! that end.

use std::panic::Location;

use super::clock::Clocks;
use super::cluster_barrier::ClusterBarrier;
use super::copies::Copies;
use super::fault::{FaultKind, Finding, Site};
use super::flights::{Flight, Flights};
use super::grid::{Grid, Traffic};
use super::id::Id;
use super::mbarrier::Mbarriers;
use super::random::SplitMix64;
use super::region::Region;
use super::schedule::Schedule;
use super::shadow::{Actor, Arrival};

pub(super) struct State<'a> {
    /// The cluster's blocks, by rank.
    pub(super) blocks: Box<[Block<'a>]>,
    pub(super) clocks: Clocks,
    pub(super) barrier: ClusterBarrier,
    pub(super) flights: Flights,
    pub(super) traffic: Traffic,
    /// Which of the grid's allocations was accessed last.
    pub(super) recent: usize,
    /// What the order of turns is drawn from.
    pub(super) random: SplitMix64,
}

/// A block of the cluster.
pub(super) struct Block<'a> {
    /// Its index in the grid.
    pub(super) index: u32,
    pub(super) shared: &'a mut Region,
    pub(super) schedule: Schedule,
    /// What each thread copies to shared memory.
    pub(super) copies: Box<[Copies]>,
    pub(super) mbarriers: Mbarriers,
    /// For each block of the cluster and each thread of it: when it used this block's shared memory last, and where.
    /// Empty until the first does.
    guests: Vec<Option<(u32, &'static Location<'static>)>>,
}

impl<'a> Block<'a> {
    pub(super) fn new(index: u32, threads: u32, shared: &'a mut Region) -> Self {
        shared.forget();
        Self {
            index,
            shared,
            schedule: Schedule::new(index, threads),
            copies: (0..threads).map(|_| Copies::default()).collect(),
            mbarriers: Mbarriers::default(),
            guests: Vec::new(),
        }
    }

    /// Shared memory is used by one block after another; each is an era of its own.
    #[inline]
    pub(super) fn era(&self) -> u64 {
        u64::from(self.index) + 1
    }
}

impl State<'_> {
    /// Moves the threads that can run now to `order`, shuffled.
    pub(super) fn round(&mut self, order: &mut Vec<Id>) {
        order.clear();
        for (rank, block) in (0..).zip(&mut self.blocks) {
            order.extend(block.schedule.take_ready().map(|thread| Id { rank, thread }));
        }
        self.random.shuffle(order);
    }

    /// Notes that a thread uses the shared memory of another block, which must not have ended.
    pub(super) fn visit(
        &mut self,
        guest: Id,
        location: &'static Location<'static>,
        rank: u32,
    ) -> Result<(), Box<Finding>> {
        self.check_alive(rank)?;
        if rank != guest.rank {
            let Self { blocks, clocks, .. } = self;
            let guests = &mut blocks[rank as usize].guests;
            if guests.is_empty() {
                guests.resize(clocks.places.len(), None);
            }
            let entry = clocks.places.thread(guest.rank, guest.thread);
            guests[entry] = Some((clocks.view(guest).stamp, location));
        }
        Ok(())
    }

    fn check_alive(&self, rank: u32) -> Result<(), Box<Finding>> {
        let block = &self.blocks[rank as usize];
        if block.schedule.has_ended() {
            let detail = format!(
                "shared memory of a block that has ended: all threads of block {}, of rank {rank}, have returned",
                block.index
            );
            return Err(Finding::new(FaultKind::Ended, detail));
        }
        Ok(())
    }

    /// A thread has returned. If it was its block's last, nobody else may still use the block's shared memory.
    pub(super) fn exit(&mut self, id: Id) -> Result<(), (Site, Box<Finding>)> {
        let Self { blocks, clocks, .. } = self;
        let block = &mut blocks[id.rank as usize];
        block.schedule.exit(id.thread);
        if !block.schedule.has_ended() {
            return Ok(());
        }
        let places = clocks.places;
        let end = |who: String| {
            let detail = format!("{who}, which nothing orders before the end of block {}", block.index);
            Finding::new(FaultKind::Ended, detail)
        };
        for rank in 0..places.blocks {
            for (thread, entry) in (0..).zip(places.threads(rank)) {
                let Some((stamp, location)) = block.guests.get(entry).copied().flatten() else { continue };
                if !clocks.any_knows(id.rank, entry, stamp, true) {
                    let site = Site::new(places.first_block + rank, thread, location);
                    return Err((site, end(format!("it uses the shared memory of block {}", block.index))));
                }
            }
        }
        for (lane, stamp, made) in block.mbarriers.arrivals() {
            if !clocks.any_knows(id.rank, places.arrival(id.rank, lane), stamp, false) {
                return Err((made.clone(), end("bytes come to its mbarrier".to_owned())));
            }
        }
        Ok(())
    }

    /// An asynchronous store arrives.
    pub(super) fn arrive(&mut self, grid: &Grid<'_>, flight: Flight) -> Result<(), (Site, Box<Finding>)> {
        let sender = flight.site(self.clocks.places.first_block);
        let outcome = self.deliver(grid, &flight).map_err(|mut finding| {
            finding.detail = format!("of an asynchronous store of {} bytes: {}", flight.len, finding.detail);
            finding
        });
        outcome.map_err(|finding| (sender, finding))
    }

    fn deliver(&mut self, grid: &Grid<'_>, flight: &Flight) -> Result<(), Box<Finding>> {
        self.check_alive(flight.rank)?;
        let Self { blocks, clocks, .. } = self;
        let block = &mut blocks[flight.rank as usize];
        let stamp = clocks.tick();
        let mbarrier = block.mbarriers.get(flight.mbarrier)?;
        let arrival = Arrival { block: block.index, lane: mbarrier.lane, stamp };
        let actor = Actor {
            era: u64::from(block.index) + 1,
            block: clocks.places.first_block + flight.sender.rank,
            thread: flight.sender.thread,
            location: flight.location,
            clock: flight.clock.view(&clocks.places),
            arrival: Some(&arrival),
        };
        let stored = block.shared.store(flight.offset, &flight.bytes[..flight.len], &actor);
        stored.map_err(|problem| problem.finding("the arrival", 0, &shared_memory(grid, block.index)))?;
        let len = flight.len as u32;
        if mbarrier.complete(&clocks.places, flight.rank, &flight.clock, stamp, len)? {
            block.schedule.end_wait_for_mbarrier(flight.mbarrier);
        }
        Ok(())
    }
}

/// What messages call the shared memory of a block.
pub(super) fn shared_memory(grid: &Grid<'_>, block: u32) -> String {
    match grid.launch.cluster {
        1 => "shared memory".to_owned(),
        _ => format!("the shared memory of block {block}"),
    }
}
