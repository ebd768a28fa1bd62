//! Which streams work on a buffer, so that others wait for them, and memory is freed after them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use crate::backend::{Backend, Memory, Queue};
use crate::error::Result;
pub(super) use crate::operation::Access;

/// A stream, as buffers remember it.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) backend: Backend,
    pub(super) queue: Queue,
    /// How often it has been given something to do, and how much of that is known to be done.
    issued: AtomicU64,
    completed: AtomicU64,
    /// Whether a stream that was only lent is its owner's alone again.
    is_returned: RwLock<bool>,
    /// Taken by who enqueues, from [`Allocation::enter`] until the work is in the queue.
    turn: Mutex<()>,
}

/// Machine memory, and who works on it. Freed when the work is done.
#[derive(Debug)]
pub(super) struct Allocation {
    pub(super) backend: Backend,
    pub(super) memory: Memory,
    uses: Mutex<Uses>,
}

/// The work that has not been waited for.
#[derive(Clone, Debug, Default)]
struct Uses {
    /// The last that writes.
    writer: Option<Ticket>,
    /// Those that read what it wrote, one a stream.
    readers: Vec<Ticket>,
}

/// What a run uses of a buffer.
pub(super) type Use<'a> = (&'a Arc<Allocation>, Access);

/// Work of a stream up to a ticket.
#[derive(Clone, Debug)]
struct Ticket {
    work: Arc<Work>,
    ticket: u64,
}

impl Work {
    pub(super) fn new(backend: Backend, queue: Queue) -> Arc<Self> {
        Arc::new(Self {
            backend,
            queue,
            issued: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            is_returned: RwLock::new(false),
            turn: Mutex::new(()),
        })
    }

    /// Keeps the stream from being returned; `None` where it has been, and so has nothing left to do.
    fn hold(&self) -> Option<RwLockReadGuard<'_, bool>> {
        Some(self.is_returned.read().unwrap_or_else(PoisonError::into_inner)).filter(|is_returned| !**is_returned)
    }

    /// Whoever holds it alone enqueues: what it was issued is in the queue before somebody waits for it.
    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all that was enqueued before the call.
    pub(super) fn synchronize(&self) -> Result<()> {
        let Some(_held) = self.hold() else { return Ok(()) };
        let issued = {
            let _turn = self.turn();
            self.issued.load(Ordering::Acquire)
        };
        self.queue.synchronize()?;
        self.completed.fetch_max(issued, Ordering::AcqRel);
        Ok(())
    }

    /// As [`Self::synchronize`], and once more where that fails: for want of the context perhaps, which says nothing of
    /// the work. For those after whom its memory is gone.
    pub(super) fn settle(&self) -> Result<()> {
        self.synchronize().inspect_err(|_| drop(self.synchronize()))
    }

    /// Waits for all of it, and from then on nobody touches the stream, which its owner may destroy.
    #[cfg(feature = "cust")]
    pub(super) fn give_back(&self) -> Result<()> {
        let done = self.synchronize();
        // Where the wait failed the GPU is lost, and nothing works in the stream any more.
        *self.is_returned.write().unwrap_or_else(PoisonError::into_inner) = true;
        done
    }

    /// Nobody waits for its work any more, or touches the stream, which its owner may destroy.
    pub(super) fn let_go(&self) {
        *self.is_returned.write().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

impl Ticket {
    fn is_done(&self) -> bool {
        self.work.completed.load(Ordering::Acquire) >= self.ticket
    }
}

impl Allocation {
    pub(super) fn new(backend: Backend, memory: Memory) -> Arc<Self> {
        Arc::new(Self { backend, memory, uses: Mutex::default() })
    }

    /// Has further work of a stream of the same machine wait for what it must not overtake, and notes it. The caller
    /// has the stream's turn until that work is enqueued.
    pub(super) fn enter(&self, work: &Arc<Work>, access: Access) -> Result<()> {
        if matches!(work.queue, Queue::Host) {
            return Ok(()); // it works at once
        }
        let mut uses = self.uses();
        let Uses { writer, readers } = &mut *uses;
        let readers_too = readers.iter().filter(|_| access == Access::Write);
        for other in writer.iter().chain(readers_too) {
            if !Arc::ptr_eq(&other.work, work)
                && !other.is_done()
                && let Some(_held) = other.work.hold()
            {
                let mut mark = self.backend.event(false)?;
                other.work.queue.record(&mut mark)?;
                work.queue.wait(&mark)?;
            }
        }
        let ticket = work.issued.fetch_add(1, Ordering::AcqRel) + 1;
        let own = Ticket { work: Arc::clone(work), ticket };
        match access {
            Access::Read => {
                readers.retain(|other| !Arc::ptr_eq(&other.work, work) && !other.is_done());
                readers.push(own);
            }
            Access::Write => {
                readers.clear();
                *writer = Some(own);
            }
        }
        Ok(())
    }

    /// Waits for all work on the memory.
    pub(super) fn wait(&self) -> Result<()> {
        // Not under the lock, which is taken by who has a stream's turn; and others who wait must see them still.
        let Uses { writer, readers } = self.uses().clone();
        let mut outcome = Ok(());
        for other in writer.iter().chain(&readers).filter(|other| !other.is_done()) {
            // Also behind one that fails.
            outcome = outcome.and(other.work.settle());
        }
        let mut uses = self.uses();
        uses.writer.take_if(|other| other.is_done());
        uses.readers.retain(|other| !other.is_done());
        outcome
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // Where the wait fails the machine is lost, and nothing works on the memory any more.
        let _ = self.wait();
    }
}
