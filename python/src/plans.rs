//! Plans that are kept between calls on device memory.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use warplu::resident::{Event, Stream};
use warplu::{Device, Element, Error};

use crate::error::released;
use crate::method::Method;
use crate::place::Gpu;

/// Plans at most.
const MOST: usize = 256;
/// Bytes of a GPU's memory that plans at rest may work in, all together.
const MOST_BYTES: usize = 1 << 30;
/// Matrices that a plan without memory of its own is for.
const ANY: usize = 1 << 31;

/// What a plan is for, but for the number of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    plan: TypeId,
    ordinal: u32,
    n: usize,
    rhs: usize,
    method: Method,
}

/// A plan, as it is kept.
pub(crate) struct Kept<P> {
    plan: P,
    /// Matrices at most.
    most: usize,
    bytes: usize,
    /// Of the last work in the plan's memory, in whichever stream: a mark of ours, which outlives that stream. Locked
    /// until the next work is behind it.
    last: Mutex<Option<Event>>,
    /// Whether a graph may work in the plan's memory.
    is_captured: AtomicBool,
}

/// What is kept, each with its bytes and the time of its last use.
#[derive(Default)]
struct Plans {
    kept: HashMap<Key, (Arc<dyn Any + Send + Sync>, usize, u64)>,
    /// Those in whose memory graphs may work, whatever becomes of them above.
    captured: Vec<Arc<dyn Any + Send + Sync>>,
    time: u64,
}

static PLANS: Mutex<Option<Plans>> = Mutex::new(None);

/// A plan that tells what memory it works in.
pub(crate) trait Plan: Send + Sync + 'static {
    fn bytes(&self) -> usize;
}

impl<O: 'static, T: Element> Plan for warplu::resident::Plan<O, T> {
    fn bytes(&self) -> usize {
        self.bytes()
    }
}

/// The plan for so many matrices of order `n` with `rhs` right-hand sides: a kept one, or one that `make` makes on a
/// device for a number of matrices.
pub(crate) fn plan<P: Plan>(
    gpu: &Gpu,
    (n, rhs): (usize, usize),
    method: Method,
    batch: usize,
    make: impl Fn(&Device, usize) -> Result<P, Error>,
) -> Result<Arc<Kept<P>>, Error> {
    let key = Key { plan: TypeId::of::<P>(), ordinal: gpu.ordinal, n, rhs, method };
    if let Some(kept) = lock().get_or_insert_default().find::<P>(&key)
        && batch <= kept.most
    {
        return Ok(kept);
    }
    // Not under the lock: to load kernels takes long.
    let device = method.on(&gpu.device);
    let one = make(&device, 1)?;
    let most = if one.bytes() > 0 { batch } else { any(n, rhs) };
    let plan = make(&device, most)?;
    let kept =
        Arc::new(Kept { bytes: plan.bytes(), plan, most, last: Mutex::new(None), is_captured: AtomicBool::new(false) });
    let dropped = lock().get_or_insert_default().keep(key, Arc::clone(&kept) as _, kept.bytes);
    // Not under the lock either, as some wait for their work.
    drop(dropped);
    Ok(kept)
}

/// Matrices that a plan without memory may be made for: no more than there could be.
fn any(n: usize, rhs: usize) -> usize {
    ANY.min((isize::MAX as usize / 16) / n.max(1) / n.max(rhs).max(1)).max(1)
}

impl<P: Plan> Kept<P> {
    /// Enqueues work of the plan in a stream, behind what else works in its memory.
    pub(crate) fn run(
        self: &Arc<Self>,
        gpu: &Gpu,
        stream: &Stream,
        enqueue: impl FnOnce(&P) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.bytes == 0 {
            return enqueue(&self.plan);
        }
        if gpu.captured {
            if !self.is_captured.swap(true, Ordering::Relaxed) {
                lock().get_or_insert_default().captured.push(Arc::clone(self) as _);
            }
            // A stream that is being captured can wait for nothing else: whoever captures keeps the order.
            return enqueue(&self.plan);
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last {
            stream.wait(last)?;
        }
        let outcome = enqueue(&self.plan);
        match &mut *last {
            Some(last) => stream.record_again(last)?,
            None => *last = Some(stream.record()?),
        }
        outcome
    }
}

impl<P> Drop for Kept<P> {
    fn drop(&mut self) {
        let last = self.last.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.take() {
            // Its memory is freed behind this. Where the wait fails the GPU is lost, and nothing works there any more.
            let _ = last.synchronize();
        }
    }
}

impl Plans {
    fn find<P: Plan>(&mut self, key: &Key) -> Option<Arc<Kept<P>>> {
        self.time += 1;
        let (kept, _, used) = self.kept.get_mut(key)?;
        *used = self.time;
        Arc::clone(kept).downcast().ok()
    }

    /// Keeps a plan, and returns those that must go.
    fn keep(&mut self, key: Key, kept: Arc<dyn Any + Send + Sync>, bytes: usize) -> Vec<Arc<dyn Any + Send + Sync>> {
        let mut gone = Vec::new();
        if bytes > MOST_BYTES {
            return gone;
        }
        self.time += 1;
        gone.extend(self.kept.insert(key, (kept, bytes, self.time)).map(|(kept, ..)| kept));
        while self.kept.len() > MOST || self.kept.values().map(|(_, bytes, _)| bytes).sum::<usize>() > MOST_BYTES {
            let Some((&oldest, _)) = self.kept.iter().min_by_key(|(_, (_, _, used))| used) else { break };
            gone.extend(self.kept.remove(&oldest).map(|(kept, ..)| kept));
        }
        gone
    }
}

fn lock() -> MutexGuard<'static, Option<Plans>> {
    PLANS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives back the GPU memory of plans that are kept between calls, once the work in it is done. CUDA graphs that were
/// captured with them must not be launched any more.
#[pyfunction]
pub(crate) fn clear_plans(py: Python<'_>) -> PyResult<()> {
    released(py, || {
        let plans = lock().take();
        drop(plans);
        Ok(())
    })
}
