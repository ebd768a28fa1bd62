//! The driver of calls: the CPU works in the caller's memory, other machines by chunks that workers take.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use rayon::ThreadPoolBuilder;

use crate::backend::{Backend, Queue};
use crate::error::{Error, Result};
use crate::launch::Launcher;
use crate::route::Space;

use super::chunks::{Chunks, Scheme, Traffic, threads};
use super::job::{Enqueue, Job};
use super::place::{Place, Port};
use super::{Call, Chunk};

/// Memory for chunks on the CPU, unless a matrix takes more.
const CPU_CHUNKS: usize = 1 << 30;
/// Parts that a batch is worked through in where somebody watches the progress.
const STEPS: usize = 100;

/// Works through a batch; see [`Call::run`].
pub(super) fn run(call: &Call<'_>, space: &Space, enqueue: Enqueue<'_>) -> Result<()> {
    let &Call { device, batch, ref ports, reserved } = call;
    if batch == 0 {
        return Ok(());
    }
    if matches!(device.backend, Backend::Cpu) {
        start_threads()?;
        if ports.iter().all(|port| matches!(port.place, Place::Machine { .. })) {
            return in_place(call, space, enqueue);
        }
    }
    let mut traffic = Traffic { staged_in: 0, staged_out: 0, direct: 0, room: space.each() };
    for Port { each, place } in ports {
        match place {
            Place::Machine { .. } => {}
            Place::DirectIn(_) | Place::DirectOut(_) => traffic.direct += each,
            Place::Feed(_) => traffic.staged_in += each,
            Place::Drain(_) => traffic.staged_out += each,
        }
    }
    let threads = if matches!(device.backend, Backend::Sim(_)) { 2 } else { threads() };
    let budget = || match device.memory_limit {
        Some(limit) => Ok(limit.saturating_sub(reserved)),
        None if !device.backend.has_own_memory() => Ok(CPU_CHUNKS.max(traffic.device())),
        None => device.backend.memory_budget(),
    };
    let scheme = traffic.scheme(batch, threads, budget, device.memory_limit.is_some())?;
    by_workers(&Job { device, ports, space, scheme, chunks: Chunks::new(batch, scheme.chunk), enqueue })
}

/// The CPU on the caller's memory, which its routes spread over all threads.
fn in_place(call: &Call<'_>, space: &Space, enqueue: Enqueue<'_>) -> Result<()> {
    let &Call { device, batch, ref ports, .. } = call;
    let launcher = Launcher { backend: &device.backend, queue: &Queue::Host };
    let step = if device.progress.is_some() { batch.div_ceil(STEPS).max(4 * threads()) } else { batch };
    for first in (0..batch).step_by(step) {
        let count = step.min(batch - first);
        let address = |port: &Port<'_>| match port.place {
            Place::Machine { address, stride } => address + (first * stride) as u64,
            _ => 0, // none such here
        };
        let addresses: Vec<u64> = ports.iter().map(address).collect();
        let room = space.room(0, count as u64); // of a space that is empty
        enqueue(&launcher, &Chunk { first, count: count as u64, addresses: &addresses, memory: None, room })?;
        device.finished(count);
    }
    Ok(())
}

/// The first worker is the calling thread. Where the system gives fewer threads than wanted, these do all the work.
fn by_workers(job: &Job<'_>) -> Result<()> {
    let scheme @ Scheme { workers, .. } = job.scheme;
    let pool = job.device.backend.pool();
    let idle = Mutex::new(pool.map_or_else(Vec::new, |pool| pool.take(scheme)));
    let (rested, failure) = (Mutex::new(Vec::new()), Mutex::new(None));
    let work = || {
        let worker = lock(&idle).pop().unwrap_or_default();
        match job.device.backend.with_context(|| job.work(worker)).and_then(|done| done) {
            Ok(worker) => lock(&rested).push(worker),
            Err(error) => {
                job.chunks.stop();
                lock(&failure).get_or_insert(error);
            }
        }
    };
    if workers == 1 {
        work();
    } else {
        thread::scope(|scope| {
            for _ in 1..workers {
                if thread::Builder::new().name("warplu".to_owned()).spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
    }
    if let Some(pool) = pool {
        let mut all = into_inner(rested);
        all.append(&mut into_inner(idle));
        pool.keep(all, scheme, job.device.memory_limit);
    }
    into_inner(failure).map_or(Ok(()), Err)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Starts rayon's threads, if nobody has, so that a system that gives none is an error and no panic.
fn start_threads() -> Result<()> {
    static STARTED: std::sync::OnceLock<std::result::Result<(), String>> = std::sync::OnceLock::new();
    let start = || match ThreadPoolBuilder::new().build_global() {
        Ok(()) => Ok(()),
        // The program has made it before.
        Err(error) if std::error::Error::source(&error).is_none() => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    STARTED.get_or_init(start).clone().map_err(Error::Threads)
}
