//! A thread's loads and stores: found, counted and checked.

use std::panic::Location;

use super::block::{Block, State};
use super::fault::{FaultKind, Finding};
use super::memory::Allocation;
use super::shadow::Actor;

type Checked<T = ()> = Result<T, Box<Finding>>;

impl Block<'_> {
    pub(super) fn load_shared(
        &self,
        thread: u32,
        location: &'static Location<'static>,
        offset: u64,
        align: usize,
        out: &mut [u8],
    ) {
        self.access(thread, location, |state| {
            state.traffic.shared_loads += 1;
            let offset = self.shared_offset("a read", offset, align, out.len())?;
            // Shared memory outlives no block: the block's index tells its accesses from those before.
            let actor = self.actor(state, thread, location, u64::from(self.index) + 1);
            let loaded = state.shared.load(offset, out, &actor);
            loaded.map_err(|problem| problem.finding("a read", 0, "shared memory"))
        });
    }

    pub(super) fn store_shared(
        &self,
        thread: u32,
        location: &'static Location<'static>,
        offset: u64,
        align: usize,
        data: &[u8],
    ) {
        self.access(thread, location, |state| {
            state.traffic.shared_stores += 1;
            let offset = self.shared_offset("a write", offset, align, data.len())?;
            let actor = self.actor(state, thread, location, u64::from(self.index) + 1);
            let stored = state.shared.store(offset, data, &actor);
            stored.map_err(|problem| problem.finding("a write", 0, "shared memory"))
        });
    }
}
