//! Groups of matrices take turns at a device: several are under way at once, as many as its workers can serve.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use rayon::prelude::*;
use simt::cpu::threads;

use crate::backend::{Backend, MOST_WORKERS};
use crate::call::start_threads;
use crate::device::Device;
use crate::error::{Error, Result};

/// Bytes of a group for which its call takes a worker more.
const WORTH: usize = 2 << 20;
/// Groups that the emulator, which uses all processors for each, has under way at once.
const EMULATED_AT_ONCE: usize = 2;

/// Works on groups from the first to the last, on several at once; returns what the work on each does.
///
/// On the CPU they share rayon's threads with what each of them spreads over these. For a machine with memory of its
/// own, threads take them in turn; together the calls under way want no more workers, and so no more memory, than one
/// call on a large batch. Where the caller has set a limit to the memory, groups are one after the other, and each has
/// all of it.
pub(super) fn each<R: Send>(
    device: &Device,
    groups: usize,
    bytes: impl Fn(usize) -> usize,
    work: impl Fn(usize) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let done: Vec<_> = (0..groups).map(|_| Mutex::new(None)).collect();
    perform(device, groups, &bytes, &|group| {
        *lock(&done[group]) = Some(work(group)?);
        Ok(())
    })?;
    let results = done.into_iter().map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(results.map(|one| one.expect("each group has been worked on")).collect())
}

/// What is done for a group.
type Work<'a> = &'a (dyn Fn(usize) -> Result<()> + Sync);

/// Works on groups. Through pointers, so that threads are compiled once, and not for each call and type.
fn perform(device: &Device, groups: usize, bytes: &dyn Fn(usize) -> usize, work: Work<'_>) -> Result<()> {
    if groups <= 1 || device.memory_limit.is_some() {
        return (0..groups).try_for_each(work);
    }
    let most = match device.first() {
        Backend::Cpu => {
            start_threads()?;
            return on_rayon(groups, work);
        }
        Backend::Sim(_) => EMULATED_AT_ONCE,
        Backend::Cuda(_) => thread::available_parallelism().map_or(1, usize::from).min(MOST_WORKERS),
    };
    let weights = (0..groups).map(|group| (bytes(group) / WORTH).clamp(1, most)).collect();
    on_threads(&Turns::new(most, weights), work)
}

/// In order, whichever part of the range rayon gives to a thread.
fn on_rayon(groups: usize, work: Work<'_>) -> Result<()> {
    let next = AtomicUsize::new(0);
    let one = |_| work(next.fetch_add(1, Ordering::Relaxed));
    threads::run(|| (0..groups).into_par_iter().with_max_len(1).try_for_each(one))
}

/// The calling thread is one of them. Where the system gives fewer than wanted, these do all the work.
fn on_threads(turns: &Turns, work: Work<'_>) -> Result<()> {
    let run = || {
        while let Some(turn) = turns.take() {
            if let Err(error) = work(turn.group) {
                turns.stop(error);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..turns.most.min(turns.weights.len()) {
            if thread::Builder::new().name("warplu".to_owned()).spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
    lock(&turns.state).failure.take().map_or(Ok(()), Err)
}

/// Who may work when: groups in order, each when as many workers are free as it wants.
struct Turns {
    most: usize,
    weights: Vec<usize>,
    state: Mutex<State>,
    freed: Condvar,
}

struct State {
    next: usize,
    free: usize,
    failure: Option<Error>,
}

/// A group's turn, which ends when it is dropped.
struct Turn<'a> {
    turns: &'a Turns,
    group: usize,
}

impl Turns {
    fn new(most: usize, weights: Vec<usize>) -> Self {
        let state = Mutex::new(State { next: 0, free: most, failure: None });
        Self { most, weights, state, freed: Condvar::new() }
    }

    /// Waits for the next group's turn; none where all have had theirs, or one has failed.
    fn take(&self) -> Option<Turn<'_>> {
        let mut state = lock(&self.state);
        loop {
            let (None, Some(&weight)) = (&state.failure, self.weights.get(state.next)) else { return None };
            if weight <= state.free {
                let group = state.next;
                (state.next, state.free) = (group + 1, state.free - weight);
                return Some(Turn { turns: self, group });
            }
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Leaves the rest undone.
    fn stop(&self, error: Error) {
        lock(&self.state).failure.get_or_insert(error);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.turns.state).free += self.turns.weights[self.group];
        self.turns.freed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_has_its_turn_and_no_more_work_than_may() {
        for most in [1, 2, 5] {
            let weights: Vec<usize> = (0..40).map(|at| 1 + at % most).collect();
            let (under_way, largest) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let turns = Turns::new(most, weights.clone());
            let done = Mutex::new(Vec::new());
            let outcome = on_threads(&turns, &|group| {
                let now = under_way.fetch_add(weights[group], Ordering::SeqCst) + weights[group];
                largest.fetch_max(now, Ordering::SeqCst);
                thread::yield_now();
                under_way.fetch_sub(weights[group], Ordering::SeqCst);
                lock(&done).push(group);
                Ok(())
            });
            let mut done = done.into_inner().unwrap();
            done.sort_unstable();
            assert!(outcome.is_ok() && done == (0..40).collect::<Vec<_>>());
            assert!(largest.into_inner() <= most);
        }
        let results = each(&Device::cpu(), 100, |_| 1, |group| Ok(group + 1));
        assert_eq!(results.unwrap(), (1..=100).collect::<Vec<_>>());
    }

    #[test]
    fn a_failure_ends_it() {
        let fails = |group: usize| match group {
            7 => Err(Error::NoCuda),
            _ => Ok(()),
        };
        assert!(matches!(on_threads(&Turns::new(3, vec![1; 1000]), &fails), Err(Error::NoCuda)));
        assert!(matches!(on_rayon(1000, &fails), Err(Error::NoCuda)));
    }
}
