//! Launches: a grid's blocks, handed out to workers in order.

use std::ops::AddAssign;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::block::Block;
use super::fault::{Fault, FaultKind, Site};
use super::memory::{Allocation, Memory};
use super::region::Region;
use super::stacks::{self, Stacks};
use super::{machine, panics};

/// Most blocks of a grid.
pub const MAX_GRID: u32 = i32::MAX as u32;

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
    /// Threads of each block, 1 to [`MAX_BLOCK`].
    pub block: u32,
    /// Bytes of shared memory of each block, up to [`MAX_SHARED_BYTES`].
    pub shared_bytes: u32,
    /// Determines the order in which the threads of a block take turns.
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

/// Runs `body` as the kernel, in every thread of every block.
///
/// With a fault, the blocks that have begun still run to their end, and the fault of the lowest block is reported.
///
/// # Errors
/// What the kernel, or the launch itself, did wrong.
#[track_caller]
pub fn run(memory: &Memory, launch: &Launch<'_>, body: impl Fn() + Sync) -> Result<Traffic, Fault> {
    let caller = Location::caller();
    let refuse = |detail: String| Fault {
        kind: FaultKind::Launch,
        kernel: launch.kernel.to_owned(),
        site: Site::new(0, 0, caller),
        other: None,
        detail,
    };
    check(launch).map_err(refuse)?;
    let stacks = take_stacks(launch).map_err(refuse)?;
    panics::intercept();

    static ERA: AtomicU64 = AtomicU64::new(1);
    let grid = Grid { launch, allocations: memory.snapshot(), era: ERA.fetch_add(1, Ordering::Relaxed), body: &body };
    run_blocks(&grid, stacks)
}

fn check(launch: &Launch<'_>) -> Result<(), String> {
    let Launch { grid, block, shared_bytes, .. } = *launch;
    if machine::running().is_some() {
        return Err("a kernel cannot launch another".to_owned());
    }
    if !(1..=MAX_GRID).contains(&grid) {
        return Err(format!("a grid of {grid} blocks, where 1 to {MAX_GRID} are possible"));
    }
    if !(1..=MAX_BLOCK).contains(&block) {
        return Err(format!("blocks of {block} threads, where 1 to {MAX_BLOCK} are possible"));
    }
    if shared_bytes > MAX_SHARED_BYTES {
        return Err(format!("{shared_bytes} bytes of shared memory, where {MAX_SHARED_BYTES} are possible"));
    }
    Ok(())
}

/// Stacks for as many workers as are of use, and at least one.
fn take_stacks(launch: &Launch<'_>) -> Result<Vec<Stacks>, String> {
    let workers = (rayon::current_num_threads() as u32).min(launch.grid).min(stacks::MOST / launch.block);
    let first = Stacks::take(launch.block).map_err(|error| format!("no stacks for the threads: {error}"))?;
    let others = (1..workers).map_while(|_| Stacks::take(launch.block).ok());
    Ok(std::iter::once(first).chain(others).collect())
}

fn run_blocks(grid: &Grid<'_>, stacks: Vec<Stacks>) -> Result<Traffic, Fault> {
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let total = Mutex::new(Ok(Traffic::default()));
    stacks.into_par_iter().with_max_len(1).for_each(|mut stacks| {
        let mut shared = Region::new(grid.launch.shared_bytes as usize);
        let mut traffic = Traffic::default();
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= u64::from(grid.launch.grid) {
                break;
            }
            match Block::new(grid, index as u32, &mut shared).run(&mut stacks) {
                Ok(done) => traffic += done,
                Err(fault) => {
                    stop.store(true, Ordering::Relaxed);
                    let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
                    // Blocks begin in order, so every lower one ends too and can take precedence.
                    if total.as_ref().err().is_none_or(|known: &Fault| fault.site.block < known.site.block) {
                        *total = Err(fault);
                    }
                }
            }
        }
        if let Ok(total) = &mut *total.lock().unwrap_or_else(PoisonError::into_inner) {
            *total += traffic;
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}
