//! A thread's loads and stores: found, counted and checked.

use std::panic::Location;
use std::sync::Arc;

use super::block::{Block, State};
use super::clock::Clocks;
use super::fault::{FaultKind, Finding};
use super::memory::Allocation;
use super::shadow::Actor;

/// A kernel's thread, at the line where it calls the machine.
#[derive(Clone, Copy)]
pub(super) struct Caller<'a> {
    pub(super) block: &'a Block<'a>,
    pub(super) thread: u32,
    pub(super) location: &'static Location<'static>,
}

impl<'a> Caller<'a> {
    pub(super) fn load_shared(self, offset: u64, align: usize, out: &mut [u8]) {
        self.attempt(|state| {
            state.traffic.shared_loads += 1;
            let offset = self.find_shared("a read", offset, align, out.len())?;
            let actor = self.actor(&state.clocks, self.shared_era());
            let loaded = state.shared.load(offset, out, &actor);
            loaded.map_err(|problem| problem.finding("a read", 0, "shared memory"))
        });
    }

    pub(super) fn store_shared(self, offset: u64, align: usize, data: &[u8]) {
        self.attempt(|state| {
            state.traffic.shared_stores += 1;
            let offset = self.find_shared("a write", offset, align, data.len())?;
            let actor = self.actor(&state.clocks, self.shared_era());
            let stored = state.shared.store(offset, data, &actor);
            stored.map_err(|problem| problem.finding("a write", 0, "shared memory"))
        });
    }

    pub(super) fn load_global(self, address: u64, align: usize, out: &mut [u8]) {
        self.attempt(|state| {
            state.traffic.global_loads += 1;
            let allocation = self.find_global("a read", address, align, out.len(), &mut state.recent)?;
            let actor = self.actor(&state.clocks, self.block.grid.era);
            allocation.load((address - allocation.address) as usize, out, &actor)
        });
    }

    pub(super) fn store_global(self, address: u64, align: usize, data: &[u8]) {
        self.attempt(|state| {
            state.traffic.global_stores += 1;
            let allocation = self.find_global("a write", address, align, data.len(), &mut state.recent)?;
            let actor = self.actor(&state.clocks, self.block.grid.era);
            allocation.store((address - allocation.address) as usize, data, &actor)
        });
    }

    #[inline]
    fn attempt(self, access: impl FnOnce(&mut State<'_>) -> Result<(), Box<Finding>>) {
        let outcome = access(&mut self.block.state.borrow_mut());
        if let Err(finding) = outcome {
            self.block.fail(self.thread, self.location, *finding);
        }
    }

    /// Shared memory is used by one block after another; each is an era of its own.
    #[inline]
    fn shared_era(self) -> u64 {
        u64::from(self.block.index) + 1
    }

    #[inline]
    fn actor(self, clocks: &Clocks, era: u64) -> Actor<'_> {
        let Self { block, thread, location } = self;
        Actor { era, block: block.index, thread, location, clock: clocks.view(thread) }
    }

    #[inline]
    fn find_shared(self, access: &str, offset: u64, align: usize, bytes: usize) -> Result<usize, Box<Finding>> {
        if offset & (align as u64 - 1) != 0 {
            return Err(misaligned(access, bytes, align, &format!("byte {offset} of shared memory")));
        }
        let size = self.block.grid.launch.shared_bytes;
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
        let allocations = &self.block.grid.allocations;
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
