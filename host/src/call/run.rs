//! The driver of calls: the CPU works in the caller's memory, other machines by chunks that their workers take.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use simt::cpu::threads;

use crate::backend::{Backend, Memory, Queue, Worker};
use crate::error::{Error, Result};
use crate::launch::Launcher;
use crate::operation::{self, Operation, Size};
use crate::route::Space;
use crate::statuses::Statuses;
use kernels_cpu::fresh::filled;
use numbers::op::Op;

use super::chunk::{Chunk, Handle};
use super::chunks::{Scheme, Traffic, worker_threads};
use super::job::{Enqueue, Job};
use super::place::{Place, Port};
use super::share::{self, Share};
use super::worker::make_lanes;
use super::{Call, MOST_PORTS};

/// Memory for chunks on the CPU, unless a matrix takes more.
const CPU_CHUNKS: usize = 1 << 30;
/// Memory for routes that need room on the CPU, unless four matrices a thread take more: about what its caches hold.
const CPU_ROOM: usize = 32 << 20;
/// Parts that a batch is worked through in where somebody watches the progress.
const STEPS: usize = 100;
/// Codes that need no memory of their own.
const FEW: usize = 16;

/// Enqueues what is to be done after the work on a chunk, given the port of statuses.
pub(crate) type Then<'a> = &'a (dyn Fn(&Launcher<'_>, &Chunk<'_>, Handle) -> Result<()> + Sync);

impl<'a> Call<'a> {
    fn drive(
        mut self,
        operation: &Operation,
        (size, op): (Size, Op),
        codes: &'a mut [i32],
        then: Then<'_>,
    ) -> Result<()> {
        self.device.check_algorithm()?;
        let status = operation.has_status().then(|| self.values(codes, 1));
        operation.check_count(self.ports.len())?;
        self.check(operation, size)?;
        if size.n == 0 {
            return Ok(());
        }
        let batch = self.batch;
        self.ports.iter_mut().try_for_each(|port| match &mut port.place {
            Place::Staged(staged) => staged.allocate(batch),
            _ => Ok(()),
        })?;
        share::for_each(&self, &|share| {
            let mut space = Space::default();
            let route = operation.route(&self.device.single_of(share.backend), size, &mut space)?;
            run(share, &space, &|launcher, chunk| {
                let (batch, room, memory) = (chunk.count, chunk.room, chunk.room_memory);
                let work = operation::Work {
                    launcher,
                    batch,
                    operands: chunk,
                    how: op.into(),
                    triangle: operation.triangle,
                    room,
                    memory,
                };
                // SAFETY: the ports are borrowed as long as the call is, of these types and sizes, and checked to be
                // what the operation takes; pivots come from a factorization or have been looked at.
                unsafe { route.enqueue(&work)? };
                status.map_or(Ok(()), |status| then(launcher, chunk, status))
            })
        })?;
        self.ports.iter().try_for_each(|port| match &port.place {
            Place::Staged(staged) => staged.hand_over(batch),
            _ => Ok(()),
        })
    }
}

impl Call<'_> {
    /// Checks what is given for an operation.
    ///
    /// # Errors
    /// [`Error::Shape`], which names what does not fit.
    pub(crate) fn check(&self, operation: &Operation, size: Size) -> Result<()> {
        for (operand, port) in operation.operands.iter().zip(&self.ports) {
            operand.expect_type(port.element)?;
            operand.expect((self.batch, operand.extent.shape(size)), (self.batch, port.shape))?;
        }
        Ok(())
    }

    /// Works through the batch by an operation, whose operands the ports are, in order, but for its statuses: their codes
    /// are returned. Nothing is done for matrices of order 0, which are well.
    ///
    /// # Errors
    /// [`Error::Shape`] if a port is not what the operation takes. The first error of any chunk; then outputs are partly
    /// written.
    pub(crate) fn perform(self, operation: &Operation, size: Size) -> Result<Vec<i32>> {
        let codes = filled(0, self.batch)?;
        self.perform_then(operation, (size, Op::None), codes, &|_, _, _| Ok(()))
    }

    /// As [`Self::perform`], with the codes as statuses, and without memory for codes of a few.
    pub(crate) fn statuses(self, operation: &Operation, size: Size) -> Result<Statuses> {
        let mut few = [0; FEW];
        let (batch, mut many) = (self.batch, Vec::new());
        let codes = match few.get_mut(..batch) {
            Some(few) => few,
            None => {
                many = filled(0, batch)?;
                &mut many[..]
            }
        };
        self.drive(operation, (size, Op::None), codes, &|_, _, _| Ok(()))?;
        Ok(Statuses::from_codes(many.get(..batch).unwrap_or(&few[..batch.min(FEW)])))
    }

    /// As [`Self::perform`], of op(A). `codes` are those of matrices of order 0; `then` follows the work on each chunk.
    pub(crate) fn perform_then(
        self,
        operation: &Operation,
        (size, op): (Size, Op),
        mut codes: Vec<i32>,
        then: Then<'_>,
    ) -> Result<Vec<i32>> {
        self.drive(operation, (size, op), &mut codes, then)?;
        Ok(codes)
    }

    /// Works through the batch by what needs neither a route nor memory: copies.
    pub(crate) fn copy(self, enqueue: Enqueue<'_>) -> Result<()> {
        share::for_each(&self, &|share| run(share, &Space::default(), enqueue))
    }
}

fn run(share: &Share<'_>, space: &Space, enqueue: Enqueue<'_>) -> Result<()> {
    let &Share { call: &Call { device, ref ports, reserved, .. }, backend, machine, machines, batch, chunks } = share;
    if batch == 0 {
        return Ok(());
    }
    if matches!(backend, Backend::Cpu) {
        start_threads()?;
        if ports.iter().all(|port| port.place.stays_at(machine, 0).is_some()) {
            return in_place(share, space, enqueue);
        }
    }
    let mut traffic = Traffic { staged_in: 0, staged_out: 0, direct: 0, room: space.each() };
    for Port { each, place, .. } in ports {
        match place {
            Place::Machine { .. } | Place::Host { .. } | Place::Addresses(_) | Place::Staged(_) => {}
            Place::DirectIn(_) | Place::DirectOut(_) => traffic.direct += each,
            Place::Feed(_) => traffic.staged_in += each,
            Place::Drain(_) => traffic.staged_out += each,
        }
    }
    let threads = match backend {
        Backend::Sim(_) => 2,
        // Threads of its own would wait for rayon's, which may all wait for such: on one of these it works alone.
        Backend::Cpu if rayon::current_thread_index().is_some() => 1,
        _ => (worker_threads() / machines).max(1),
    };
    let limit = device.memory_limit.map(|limit| limit.saturating_sub(reserved));
    let budget = || match limit {
        Some(limit) => Ok(limit),
        None if !backend.has_own_memory() => Ok(CPU_CHUNKS.max(traffic.device())),
        None => backend.memory_budget(),
    };
    let scheme = traffic.scheme(batch, threads, budget, limit.is_some())?;
    let job = |scheme: Scheme| Job { device, backend, machine, ports, space, scheme, chunks, enqueue };
    let wanted = job(scheme);
    match crew(&wanted, limit) {
        Ok(workers) => by_workers(&wanted, workers),
        Err(error) if error.is_out_of_memory() => {
            // Others have the memory, or workers at rest; nothing is done yet, and fewer or smaller chunks may do.
            backend.free_kept_memory();
            let free = backend.memory_budget()?;
            let scheme = traffic.scheme(batch, threads, || Ok(limit.map_or(free, |limit| limit.min(free))), true)?;
            let fewer = job(scheme);
            by_workers(&fewer, crew(&fewer, limit)?)
        }
        Err(error) => Err(error),
    }
}

/// The workers of a call, with machine memory for its chunks.
fn crew(job: &Job<'_>, limit: Option<usize>) -> Result<Vec<Worker>> {
    let Job { backend, scheme, .. } = job;
    let bytes = job.bytes()?;
    let mut workers = match backend.pool() {
        Some(pool) => pool.take(scheme.crew(), bytes, limit),
        None => (0..scheme.workers).map(|_| Worker::default()).collect(),
    };
    workers.iter_mut().try_for_each(|worker| make_lanes(worker, backend, scheme.lanes, bytes))?;
    Ok(workers)
}

/// The CPU on the caller's memory, which its routes spread over all threads.
fn in_place(share: &Share<'_>, space: &Space, enqueue: Enqueue<'_>) -> Result<()> {
    let &Share { call: &Call { device, ref ports, .. }, backend, machine, batch, .. } = share;
    let launcher = Launcher { backend, queue: &Queue::Host };
    let step = if device.progress.is_some() { batch.div_ceil(STEPS).max(4 * worker_threads()) } else { batch };
    // Most routes need no room here; for those that do, some matrices at a time.
    let step = if space.each() == 0 { step } else { step.min((CPU_ROOM / space.each()).max(4 * worker_threads())) };
    let room_memory = match space.each() {
        0 => None,
        _ => Some(backend.allocate(space.bytes(step)?)?),
    };
    let mut addresses = [0; MOST_PORTS];
    for first in (0..batch).step_by(step) {
        let count = step.min(batch - first);
        // All of them stay where they are.
        let address = |port: &Port<'_>| port.place.stays_at(machine, first).unwrap_or_default();
        addresses.iter_mut().zip(ports).for_each(|(to, port)| *to = address(port));
        let room = space.room(room_memory.as_ref().map_or(0, Memory::address), count as u64);
        let (offset, room_memory) = (first, room_memory.as_ref());
        let (number, addresses) = (count as u64, &addresses[..ports.len()]);
        let chunk = Chunk { machine, offset, count: number, addresses, ports, memory: None, room, room_memory };
        enqueue(&launcher, &chunk)?;
        device.finished(count);
    }
    Ok(())
}

/// The first worker is the calling thread. Where the system gives fewer threads than wanted, these do all the work.
fn by_workers(job: &Job<'_>, workers: Vec<Worker>) -> Result<()> {
    let threads = workers.len();
    let (idle, rested, failure) = (Mutex::new(workers), Mutex::new(Vec::new()), Mutex::new(None));
    let work = || {
        let Some(worker) = lock(&idle).pop() else { return };
        match job.backend.with_context(|| job.work(worker)).and_then(|done| done) {
            Ok(worker) => lock(&rested).push(worker),
            Err(error) => {
                job.chunks.stop();
                lock(&failure).get_or_insert(error);
            }
        }
    };
    if threads == 1 {
        work();
    } else {
        thread::scope(|scope| {
            for _ in 1..threads {
                if thread::Builder::new().name("warplu".to_owned()).spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
    }
    if let Some(pool) = job.backend.pool() {
        let mut all = into_inner(rested);
        all.append(&mut into_inner(idle));
        pool.keep(all, job.scheme.crew(), job.device.memory_limit);
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
pub(crate) fn start_threads() -> Result<()> {
    threads::start().map_err(Error::Threads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::layout::Layout;
    use crate::operation::{ElementType, Operand};

    const SIZE: Size = Size { n: 2, rhs: 3 };

    /// Elements that an operand may have, of each type.
    struct Memory {
        numbers: [f64; 64],
        words: [u32; 64],
        codes: [i32; 64],
        others: [f32; 64],
    }

    impl Memory {
        fn port<'a>(&'a self, call: &mut Call<'a>, operand: &Operand, is_of_other_type: bool, more: usize) {
            let (rows, cols) = operand.extent.shape(SIZE);
            let (rows, layout) = (rows + more, Layout::column_major(rows + more, cols));
            let element = operand.element;
            if is_of_other_type {
                call.elements(&self.others, rows, cols, layout);
            } else if element == ElementType::of::<f64>() {
                call.elements(&self.numbers, rows, cols, layout);
            } else if element == ElementType::of::<u32>() {
                call.values_in(&self.words[..2 * rows], rows);
            } else {
                assert!(element == ElementType::of::<i32>());
                call.values_in(&self.codes[..2 * rows], rows);
            }
        }
    }

    /// Each operand of each operation is handed over with elements of another type, with another shape, and not at all.
    #[test]
    fn an_operand_that_is_wrong_is_named() {
        let (device, memory) =
            (Device::cpu(), Memory { numbers: [0.0; 64], words: [0; 64], codes: [0; 64], others: [0.0; 64] });
        for operation in operation::all() {
            // The driver itself has the statuses.
            let given = &operation.operands[..operation.operands.len() - usize::from(operation.has_status())];
            for (wrong, operand) in given.iter().enumerate() {
                for (is_of_other_type, more) in [(true, 0), (false, 1)] {
                    let mut call = Call::new(&device, 2);
                    for (at, operand) in given.iter().enumerate() {
                        let is_wrong = at == wrong;
                        memory.port(&mut call, operand, is_of_other_type && is_wrong, if is_wrong { more } else { 0 });
                    }
                    let told = call.perform(&operation, SIZE).unwrap_err().to_string();
                    assert!(told.contains(&format!("`{}`", operand.name)), "{operation:?}, {wrong}: {told}");
                }
            }
            let mut call = Call::new(&device, 2);
            given[1..].iter().for_each(|operand| memory.port(&mut call, operand, false, 0));
            assert!(matches!(call.perform(&operation, SIZE), Err(Error::Shape(_))));
        }
    }
}
