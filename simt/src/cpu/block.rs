//! A block while it runs: its threads' coroutines, and what they share.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::ptr;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};

use super::clock::Clocks;
use super::collective::{Call, Operation};
use super::copies::Copies;
use super::fault::{Fault, FaultKind, Finding, Site};
use super::launch::{Grid, Traffic};
use super::region::Region;
use super::schedule::Schedule;
use super::stacks::Stacks;
use super::{machine, panics};

type Thread = Coroutine<(), (), (), DefaultStack>;

/// A block. Its threads borrow the state while they call the machine, never while they wait.
pub(super) struct Block<'a> {
    pub(super) grid: &'a Grid<'a>,
    pub(super) index: u32,
    /// The thread whose turn it is.
    current: Cell<Option<u32>>,
    pub(super) state: RefCell<State<'a>>,
    /// Where each thread suspends itself.
    yielders: Box<[Cell<*const Yielder<(), ()>>]>,
    fault: RefCell<Option<Fault>>,
    panicked_at: RefCell<Option<Site>>,
}

pub(super) struct State<'a> {
    pub(super) shared: &'a mut Region,
    pub(super) clocks: Clocks,
    pub(super) traffic: Traffic,
    /// What each thread copies to shared memory.
    pub(super) copies: Box<[Copies]>,
    /// Which of the grid's allocations was accessed last.
    pub(super) recent: usize,
    schedule: Schedule,
}

/// What a thread unwinds with once its fault is recorded.
struct Stop;

impl<'a> Block<'a> {
    pub(super) fn new(grid: &'a Grid<'a>, index: u32, shared: &'a mut Region) -> Self {
        let threads = grid.launch.block;
        shared.forget();
        Self {
            grid,
            index,
            current: Cell::new(None),
            state: RefCell::new(State {
                shared,
                clocks: Clocks::new(threads),
                traffic: Traffic::default(),
                copies: (0..threads).map(|_| Copies::default()).collect(),
                recent: 0,
                schedule: Schedule::new(index, threads, grid.launch.seed),
            }),
            yielders: (0..threads).map(|_| Cell::new(ptr::null())).collect(),
            fault: RefCell::new(None),
            panicked_at: RefCell::new(None),
        }
    }

    /// Runs all threads to their end, or to the first fault.
    pub(super) fn run(&self, stacks: &mut Stacks) -> Result<Traffic, Fault> {
        let mut threads: Vec<Thread> = (0..self.grid.launch.block)
            .map(|thread| {
                let main = move |yielder: &Yielder<(), ()>, ()| self.thread_main(thread, yielder);
                // SAFETY: what `main` borrows outlives this call, and no coroutine does: they end or are dropped here.
                unsafe { Thread::with_stack_unchecked(stacks.pop(), main) }
            })
            .collect();
        machine::enter(self, || {
            self.take_turns(&mut threads);
            for (thread, mut coroutine) in threads.into_iter().enumerate() {
                self.current.set(Some(thread as u32));
                coroutine.force_unwind();
                stacks.push(coroutine.into_stack());
            }
            self.current.set(None);
        });
        match self.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(self.state.borrow().traffic),
        }
    }

    /// The thread whose turn it is; `None` while the machine itself is at work.
    #[inline]
    pub(super) fn current(&self) -> Option<u32> {
        self.current.get()
    }

    /// Waits for all threads of the block.
    pub(super) fn barrier(&self, thread: u32, location: &'static Location<'static>) {
        let arrived = {
            let state = &mut *self.state.borrow_mut();
            let complete = state.schedule.barrier(thread, location);
            complete.map(|complete| complete.then(|| state.clocks.barrier()))
        };
        arrived.unwrap_or_else(|finding| self.fail(thread, location, *finding));
        self.wait(thread);
    }

    /// Waits for the lanes of a collective, and returns what this one gets from it.
    pub(super) fn collective(&self, thread: u32, call: &Call<'_>) -> [u32; 4] {
        self.meet(thread, call);
        self.state.borrow().schedule.warp(thread).result(thread % 32)
    }

    /// Waits for the lanes of a product, and returns this one's part of it.
    pub(super) fn product(&self, thread: u32, call: &Call<'_>) -> [f64; 4] {
        self.meet(thread, call);
        self.state.borrow().schedule.warp(thread).product(thread % 32)
    }

    /// Waits for the lanes of a collective.
    fn meet(&self, thread: u32, call: &Call<'_>) {
        let arrived = {
            let state = &mut *self.state.borrow_mut();
            let complete = state.schedule.collective(thread, call);
            let warp = state.schedule.warp(thread);
            // As on a GPU, only a sync orders memory: votes and shuffles merely exchange values.
            let orders = call.operation == Operation::Sync;
            complete
                .map(|complete| (complete && orders).then(|| state.clocks.collective(warp.first, call.mask, warp.all)))
        };
        arrived.unwrap_or_else(|finding| self.fail(thread, call.location, *finding));
        self.wait(thread);
    }

    /// Ends the running thread, and with it the block.
    #[cold]
    pub(super) fn fail(&self, thread: u32, location: &Location<'_>, finding: Finding) -> ! {
        self.record(Site::new(self.index, thread, location), finding);
        resume_unwind(Box::new(Stop));
    }

    /// Notes where the running thread panicked.
    pub(super) fn panicked(&self, thread: u32, location: &Location<'_>) {
        self.panicked_at.replace(Some(Site::new(self.index, thread, location)));
    }

    fn thread_main(&self, thread: u32, yielder: &Yielder<(), ()>) {
        self.yielders[thread as usize].set(yielder);
        let end = catch_unwind(AssertUnwindSafe(self.grid.body));
        // A thread that unwinds after a fault does so because of it.
        if self.fault.borrow().is_some() {
            return;
        }
        match end {
            Ok(()) => self.state.borrow_mut().schedule.exit(thread),
            Err(payload) => {
                let unknown = || Site { block: self.index, thread, file: String::new(), line: 0 };
                let site = self.panicked_at.take().unwrap_or_else(unknown);
                self.record(site, *Finding::new(FaultKind::Panic, panics::message(&*payload)));
            }
        }
    }

    fn take_turns(&self, threads: &mut [Thread]) {
        let mut order = Vec::new();
        loop {
            self.state.borrow_mut().schedule.round(&mut order);
            for &thread in &order {
                self.current.set(Some(thread));
                threads[thread as usize].resume(());
                self.current.set(None);
                if self.fault.borrow().is_some() {
                    return;
                }
            }
            if order.is_empty() {
                if let Some((thread, location, finding)) = self.state.borrow().schedule.stuck() {
                    self.record(Site::new(self.index, thread, location), *finding);
                }
                return;
            }
        }
    }

    /// Gives up the running thread's turn, until the schedule gives it another.
    fn wait(&self, thread: u32) {
        // SAFETY: a running thread has stored its yielder, which lives on its stack.
        unsafe { &*self.yielders[thread as usize].get() }.suspend(());
    }

    fn record(&self, site: Site, finding: Finding) {
        let Finding { kind, detail, other } = finding;
        let kernel = self.grid.launch.kernel.to_owned();
        self.fault.replace(Some(Fault { kind, kernel, site, other, detail }));
    }
}
