//! Launches: a grid's clusters, handed out to workers in order.

use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::threads;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::cluster::Cluster;
use super::fault::{Fault, FaultKind, Site};
use super::grid::{Grid, Launch, MAX_BLOCK, MAX_CLUSTER, MAX_GRID, MAX_SHARED_BYTES, Traffic};
use super::memory::Memory;
use super::region::Region;
use super::stacks::{self, Stacks};
use super::{current, panics};

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
    run_clusters(&grid, stacks)
}

fn check(launch: &Launch<'_>) -> Result<(), String> {
    let Launch { grid, cluster, block, shared_bytes, .. } = *launch;
    if current::running().is_some() {
        return Err("a kernel cannot launch another".to_owned());
    }
    if !(1..=MAX_GRID).contains(&grid) {
        return Err(format!("a grid of {grid} blocks, where 1 to {MAX_GRID} are possible"));
    }
    if !(1..=MAX_CLUSTER).contains(&cluster) || !grid.is_multiple_of(cluster) {
        let possible = format!("where 1 to {MAX_CLUSTER} are possible that divide the grid");
        return Err(format!("a grid of {grid} blocks in clusters of {cluster}, {possible}"));
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
    let threads = launch.block * launch.cluster;
    let clusters = launch.grid / launch.cluster;
    let workers = (rayon::current_num_threads() as u32).min(clusters).min(stacks::MOST / threads);
    let first = Stacks::take(threads).map_err(|error| format!("no stacks for the threads: {error}"))?;
    let others = (1..workers).map_while(|_| Stacks::take(threads).ok());
    Ok(std::iter::once(first).chain(others).collect())
}

fn run_clusters(grid: &Grid<'_>, stacks: Vec<Stacks>) -> Result<Traffic, Fault> {
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let total = Mutex::new(Ok(Traffic::default()));
    let work = |mut stacks| {
        let new = |_| Region::new(grid.launch.shared_bytes as usize);
        let mut shared: Vec<Region> = (0..grid.launch.cluster).map(new).collect();
        let mut traffic = Traffic::default();
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let first = index * u64::from(grid.launch.cluster);
            if first >= u64::from(grid.launch.grid) {
                break;
            }
            let cluster = Cluster::new(grid, first as u32, &mut shared);
            match current::enter(&cluster, || cluster.run(&mut stacks)) {
                Ok(done) => traffic += done,
                Err(fault) => {
                    stop.store(true, Ordering::Relaxed);
                    let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
                    // Clusters begin in order, so every lower one ends too and can take precedence.
                    if total.as_ref().err().is_none_or(|known: &Fault| fault.site.block < known.site.block) {
                        *total = Err(fault);
                    }
                }
            }
        }
        if let Ok(total) = &mut *total.lock().unwrap_or_else(PoisonError::into_inner) {
            *total += traffic;
        }
    };
    threads::run(|| stacks.into_par_iter().with_max_len(1).for_each(work));
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}
