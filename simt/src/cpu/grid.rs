//! What a launch asks for, and what its blocks have in common.

use std::ops::AddAssign;
use std::sync::Arc;

use super::memory::Allocation;

/// Most blocks of a grid.
pub const MAX_GRID: u32 = i32::MAX as u32;

/// Most blocks of a cluster.
pub const MAX_CLUSTER: u32 = 16;

/// Most threads of a block.
pub const MAX_BLOCK: u32 = 1024;

/// Most bytes of shared memory that a block can ask for.
pub const MAX_SHARED_BYTES: u32 = 227 * 1024;

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Launch<'a> {
    /// The kernel's name, for messages.
    pub kernel: &'a str,
    /// Blocks, 1 to [`MAX_GRID`].
    pub grid: u32,
    /// Blocks of a cluster, 1 to [`MAX_CLUSTER`]: a divisor of the grid.
    pub cluster: u32,
    /// Threads of each block, 1 to [`MAX_BLOCK`].
    pub block: u32,
    /// Bytes of shared memory of each block, up to [`MAX_SHARED_BYTES`].
    pub shared_bytes: u32,
    /// Determines the order in which the threads of a block, or of a cluster, take turns, and when asynchronous stores
    /// arrive.
    pub seed: u64,
}

/// How often a launch accessed memory. A load or store of any type counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Traffic {
    /// Loads from device memory.
    pub global_loads: u64,
    /// Stores to device memory.
    pub global_stores: u64,
    /// Loads from shared memory.
    pub shared_loads: u64,
    /// Stores to shared memory.
    pub shared_stores: u64,
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        self.global_loads += other.global_loads;
        self.global_stores += other.global_stores;
        self.shared_loads += other.shared_loads;
        self.shared_stores += other.shared_stores;
    }
}

/// What the blocks of a launch have in common.
pub(super) struct Grid<'a> {
    pub(super) launch: &'a Launch<'a>,
    /// Those that lived when the launch began, sorted by address. They are not freed before it ends.
    pub(super) allocations: Vec<Arc<Allocation>>,
    /// Tells this launch's accesses to device memory from those of others.
    pub(super) era: u64,
    pub(super) body: &'a (dyn Fn() + Sync),
}
