//! A thread's loads and stores: found, counted and checked.

use std::panic::Location;
use std::sync::Arc;

use super::clock::Clocks;
use super::cluster::Cluster;
use super::fault::{FaultKind, Finding};
use super::id::Id;
use super::memory::Allocation;
use super::region::Problem;
use super::shadow::Actor;
use super::state::{State, shared_memory};

/// A kernel's thread, at the line where it calls the machine.
#[derive(Clone, Copy)]
pub(super) struct Caller<'a> {
    pub(super) cluster: &'a Cluster<'a>,
    pub(super) id: Id,
    pub(super) location: &'static Location<'static>,
}

impl<'a> Caller<'a> {
    /// A read of the shared memory of the block of a rank, which must be there.
    pub(super) fn load_shared(self, rank: u32, offset: u64, align: usize, out: &mut [u8]) {
        self.attempt(|state| {
            state.traffic.shared_loads += 1;
            let offset = self.find_shared("a read", offset, align, out.len())?;
            let block = &mut state.blocks[rank as usize];
            if !block.mbarriers.is_empty() {
                block.mbarriers.check_apart("a read", offset, out.len())?;
            }
            let actor = self.actor(&state.clocks, block.era());
            let loaded = block.shared.load(offset, out, &actor);
            loaded.map_err(|problem| self.too_early(problem, state, rank, offset, out.len()))
        });
    }

    /// A write to the shared memory of the block of a rank, which must be there.
    pub(super) fn store_shared(self, rank: u32, offset: u64, align: usize, data: &[u8]) {
        self.attempt(|state| {
            state.traffic.shared_stores += 1;
            let offset = self.find_shared("a write", offset, align, data.len())?;
            let block = &mut state.blocks[rank as usize];
            if !block.mbarriers.is_empty() {
                block.mbarriers.check_apart("a write", offset, data.len())?;
            }
            let actor = self.actor(&state.clocks, block.era());
            let stored = block.shared.store(offset, data, &actor);
            stored.map_err(|problem| problem.finding("a write", 0, &shared_memory(self.cluster.grid, block.index)))
        });
    }

    pub(super) fn load_global(self, address: u64, align: usize, out: &mut [u8]) {
        self.attempt(|state| {
            state.traffic.global_loads += 1;
            let allocation = self.find_global("a read", address, align, out.len(), &mut state.recent)?;
            let actor = self.actor(&state.clocks, self.cluster.grid.era);
            allocation.load((address - allocation.address) as usize, out, &actor)
        });
    }

    pub(super) fn store_global(self, address: u64, align: usize, data: &[u8]) {
        self.attempt(|state| {
            state.traffic.global_stores += 1;
            let allocation = self.find_global("a write", address, align, data.len(), &mut state.recent)?;
            let actor = self.actor(&state.clocks, self.cluster.grid.era);
            allocation.store((address - allocation.address) as usize, data, &actor)
        });
    }

    #[inline]
    pub(super) fn attempt<R>(self, access: impl FnOnce(&mut State<'a>) -> Result<R, Box<Finding>>) -> R {
        self.cluster.attempt(self.id, self.location, access)
    }

    /// The index of its block.
    #[inline]
    pub(super) fn block(self) -> u32 {
        self.cluster.block(self.id.rank)
    }

    #[inline]
    pub(super) fn actor(self, clocks: &Clocks, era: u64) -> Actor<'_> {
        let Self { id, location, .. } = self;
        Actor { era, block: self.block(), thread: id.thread, location, clock: clocks.view(id), arrival: None }
    }

    /// What a failed read of shared memory found. What nobody wrote may be on its way.
    #[cold]
    fn too_early(self, problem: Problem, state: &State<'_>, rank: u32, offset: usize, len: usize) -> Box<Finding> {
        let memory = shared_memory(self.cluster.grid, state.blocks[rank as usize].index);
        let coming = matches!(problem, Problem::Unwritten(_)).then(|| state.flights.bound_for(rank, offset, len));
        match coming.flatten() {
            None => problem.finding("a read", 0, &memory),
            Some(flight) => {
                let sender = flight.site(self.cluster.first_block);
                let detail = format!(
                    "a read of byte {offset} of {memory}, which {sender} writes asynchronously, with nothing to order \
                     the two"
                );
                Finding::against(FaultKind::Race, sender, detail)
            }
        }
    }

    #[inline(always)]
    pub(super) fn find_shared(
        self,
        access: &str,
        offset: u64,
        align: usize,
        bytes: usize,
    ) -> Result<usize, Box<Finding>> {
        if offset & (align as u64 - 1) != 0 {
            return Err(misaligned(access, bytes, align, &format!("byte {offset} of shared memory")));
        }
        let size = self.cluster.grid.launch.shared_bytes;
        if offset + bytes as u64 > u64::from(size) {
            let detail = format!("{access} of {bytes} bytes at byte {offset} of {size} bytes of shared memory");
            return Err(Finding::new(FaultKind::OutOfBounds, detail));
        }
        Ok(offset as usize)
    }

    #[inline]
    fn find_global(
        self,
        access: &str,
        address: u64,
        align: usize,
        bytes: usize,
        recent: &mut usize,
    ) -> Result<&'a Allocation, Box<Finding>> {
        if address & (align as u64 - 1) != 0 {
            return Err(misaligned(access, bytes, align, &format!("address {address:#x}")));
        }
        let allocations = &self.cluster.grid.allocations;
        match allocations.get(*recent) {
            Some(allocation) if allocation.holds(address, bytes) => return Ok(allocation),
            _ => *recent = allocations.partition_point(|a| a.address <= address).saturating_sub(1),
        }
        match allocations.get(*recent) {
            Some(allocation) if allocation.holds(address, bytes) => Ok(allocation),
            nearest => Err(lost(access, address, bytes, nearest)),
        }
    }
}

#[cold]
fn misaligned(access: &str, bytes: usize, align: usize, place: &str) -> Box<Finding> {
    let detail = format!("{access} of {bytes} bytes at {place}, which is not a multiple of {align}");
    Finding::new(FaultKind::Misaligned, detail)
}

#[cold]
fn lost(access: &str, address: u64, bytes: usize, nearest: Option<&Arc<Allocation>>) -> Box<Finding> {
    let place = match nearest {
        None => "where nothing is allocated".to_owned(),
        Some(nearest) => {
            let offset = i128::from(address) - i128::from(nearest.address);
            format!("at byte {offset} of {}, the nearest allocation", nearest.name())
        }
    };
    let detail = format!("{access} of {bytes} bytes at address {address:#x}, {place}");
    Finding::new(FaultKind::OutOfBounds, detail)
}
