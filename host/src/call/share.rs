//! Several machines at one call: which matrices each of them may get, and what becomes of the others where one fails.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::backend::Backend;
use crate::error::Result;

use super::Call;
use super::chunks::Chunks;

/// What a machine has of a call.
pub(super) struct Share<'a> {
    pub(super) call: &'a Call<'a>,
    /// The machine, and which of the device's it is.
    pub(super) backend: &'a Backend,
    pub(super) machine: usize,
    /// Machines that the call is done by.
    pub(super) machines: usize,
    /// As many matrices as are its part; those that it takes are others, unless the call is divided.
    pub(super) batch: usize,
    /// Where it takes them from: alone in a call that is divided, else with the other machines.
    pub(super) chunks: &'a Chunks<'a>,
}

/// Has every machine `work` at its share, each on a thread of its own, the first on this one.
///
/// # Errors
/// The first of any machine, which says of which one if the device has several. The others then stop.
///
/// Through a pointer, so that threads are compiled once, and not for each call.
pub(super) fn for_each(call: &Call<'_>, work: &(dyn Fn(&Share<'_>) -> Result<()> + Sync)) -> Result<()> {
    let (stopped, failure) = (AtomicBool::new(false), Mutex::new(None));
    let (whole, mut ranges) = (Chunks::new(0..call.batch, &stopped), call.device.ranges(call.batch));
    if let (Some((backend, _)), None) = (ranges.next(), ranges.next()) {
        // One machine needs no threads.
        let share = Share { call, backend, machine: 0, machines: 1, batch: call.batch, chunks: &whole };
        return work(&share).map_err(|error| call.device.blame(backend, error));
    }
    let ranges: Vec<_> = call.device.ranges(call.batch).collect();
    let own: Vec<_> = ranges.iter().map(|(_, range)| Chunks::new(range.clone(), &stopped)).collect();
    let shares = ranges.iter().zip(&own).enumerate().map(|(machine, (&(backend, ref range), own))| Share {
        call,
        backend,
        machine,
        machines: ranges.len(),
        batch: range.len(),
        chunks: if call.is_divided { own } else { &whole },
    });
    let shares: Vec<_> = shares.collect();
    let perform = &|share: &Share<'_>| {
        if let Err(error) = work(share) {
            share.chunks.stop();
            let error = call.device.blame(share.backend, error);
            failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    };
    thread::scope(|scope| {
        let (first, others) = shares.split_at(1);
        let start =
            |share| thread::Builder::new().name("warplu".to_owned()).spawn_scoped(scope, move || perform(share));
        // Where the system gives no more threads, this one does their work.
        let left: Vec<_> = others.iter().filter(|&share| start(share).is_err()).collect();
        first.iter().chain(left).for_each(perform);
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}
