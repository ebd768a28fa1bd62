//! A cluster while it runs: its threads' coroutines, and what they share. Without clusters, each block is one by
//! itself.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::ptr;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};

use super::clock::Clocks;
use super::cluster_barrier::ClusterBarrier;
use super::collective::{Call, Operation};
use super::fault::{self, Fault, FaultKind, Finding, Site};
use super::flights::Flights;
use super::grid::{Grid, Traffic};
use super::id::Id;
use super::random::SplitMix64;
use super::region::Region;
use super::stacks::Stacks;
use super::state::{Block, State};
use super::stuck;

type Thread = Coroutine<(), (), (), DefaultStack>;

/// A cluster. Its threads borrow the state while they call the machine, never while they wait.
pub(super) struct Cluster<'a> {
    pub(super) grid: &'a Grid<'a>,
    /// The first of its blocks.
    pub(super) first_block: u32,
    /// The thread whose turn it is.
    current: Cell<Option<Id>>,
    pub(super) state: RefCell<State<'a>>,
    /// Where each thread suspends itself, block after block.
    yielders: Box<[Cell<*const Yielder<(), ()>>]>,
    /// Whether there is a fault, or asynchronous stores are under way: then something is to be done after a turn.
    is_interrupted: Cell<bool>,
    fault: RefCell<Option<Fault>>,
    panicked_at: RefCell<Option<Site>>,
}

/// What a thread unwinds with once its fault is recorded.
struct Stop;

impl<'a> Cluster<'a> {
    /// A cluster of as many blocks as there are regions of shared memory.
    pub(super) fn new(grid: &'a Grid<'a>, first_block: u32, shared: &'a mut [Region]) -> Self {
        let (threads, blocks) = (grid.launch.block, shared.len() as u32);
        let random = SplitMix64::new(grid.launch.seed, first_block);
        Self {
            grid,
            first_block,
            current: Cell::new(None),
            state: RefCell::new(State {
                blocks: (first_block..).zip(shared).map(|(index, shared)| Block::new(index, threads, shared)).collect(),
                clocks: Clocks::new(first_block, blocks, threads),
                barrier: ClusterBarrier::new(first_block, blocks, threads),
                flights: Flights::new(&random),
                traffic: Traffic::default(),
                recent: 0,
                random,
            }),
            yielders: (0..blocks * threads).map(|_| Cell::new(ptr::null())).collect(),
            is_interrupted: Cell::new(false),
            fault: RefCell::new(None),
            panicked_at: RefCell::new(None),
        }
    }

    /// Runs all threads to their end, or to the first fault. It must be the cluster that kernels see.
    pub(super) fn run(&self, stacks: &mut Stacks) -> Result<Traffic, Fault> {
        let threads = self.yielders.len() as u32;
        let ids = (0..threads).map(|at| Id { rank: at / self.grid.launch.block, thread: at % self.grid.launch.block });
        let mut coroutines: Vec<Thread> = ids
            .clone()
            .map(|id| {
                let main = move |yielder: &Yielder<(), ()>, ()| self.thread_main(id, yielder);
                // SAFETY: what `main` borrows outlives this call, and no coroutine does: they end or are dropped here.
                unsafe { Thread::with_stack_unchecked(stacks.pop(), main) }
            })
            .collect();
        self.take_turns(&mut coroutines);
        for (id, mut coroutine) in ids.zip(coroutines) {
            self.current.set(Some(id));
            coroutine.force_unwind();
            stacks.push(coroutine.into_stack());
        }
        self.current.set(None);
        match self.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(self.state.borrow().traffic),
        }
    }

    /// The thread whose turn it is; `None` while the machine itself is at work.
    #[inline]
    pub(super) fn current(&self) -> Option<Id> {
        self.current.get()
    }

    /// The index of the block of a rank.
    #[inline]
    pub(super) fn block(&self, rank: u32) -> u32 {
        self.first_block + rank
    }

    /// Blocks of the cluster.
    #[inline]
    pub(super) fn size(&self) -> u32 {
        self.grid.launch.cluster
    }

    /// Waits for all threads of the block.
    pub(super) fn block_barrier(&self, id: Id, location: &'static Location<'static>) {
        self.attempt(id, location, |state| {
            if state.blocks[id.rank as usize].schedule.barrier(id.thread, location)? {
                state.clocks.barrier(id.rank);
            }
            Ok(())
        });
        self.wait(id);
    }

    /// Waits for the lanes of a collective, and returns what this one gets from it.
    pub(super) fn collective(&self, id: Id, call: &Call<'_>) -> [u32; 4] {
        self.meet(id, call);
        self.state.borrow().blocks[id.rank as usize].schedule.warp(id.thread).result(id.thread % 32)
    }

    /// Waits for the lanes of a product, and returns this one's part of it.
    pub(super) fn product(&self, id: Id, call: &Call<'_>) -> [f64; 4] {
        self.meet(id, call);
        self.state.borrow().blocks[id.rank as usize].schedule.warp(id.thread).product(id.thread % 32)
    }

    /// Waits for the lanes of a collective.
    fn meet(&self, id: Id, call: &Call<'_>) {
        self.attempt(id, call.location, |state| {
            let schedule = &mut state.blocks[id.rank as usize].schedule;
            let complete = schedule.collective(id.thread, call)?;
            // As on a GPU, only a sync orders memory: votes and shuffles merely exchange values.
            if complete && call.operation == Operation::Sync {
                let warp = schedule.warp(id.thread);
                state.clocks.collective(Id { thread: warp.first, ..id }, call.mask, warp.all);
            }
            Ok(())
        });
        self.wait(id);
    }

    /// Does something to the state for the running thread, whose fault a finding is.
    #[inline]
    pub(super) fn attempt<R>(
        &self,
        id: Id,
        location: &'static Location<'static>,
        act: impl FnOnce(&mut State<'a>) -> Result<R, Box<Finding>>,
    ) -> R {
        let outcome = act(&mut self.state.borrow_mut());
        outcome.unwrap_or_else(|finding| self.fail(id, location, *finding))
    }

    /// Ends the running thread, and with it the cluster.
    #[cold]
    fn fail(&self, id: Id, location: &Location<'_>, finding: Finding) -> ! {
        self.record(Site::new(self.block(id.rank), id.thread, location), finding);
        resume_unwind(Box::new(Stop));
    }

    /// Notes where the running thread panicked.
    pub(super) fn panicked(&self, id: Id, location: &Location<'_>) {
        self.panicked_at.replace(Some(Site::new(self.block(id.rank), id.thread, location)));
    }

    fn thread_main(&self, id: Id, yielder: &Yielder<(), ()>) {
        self.yielders[self.at(id)].set(yielder);
        let end = catch_unwind(AssertUnwindSafe(self.grid.body));
        // A thread that unwinds after a fault does so because of it.
        if self.fault.borrow().is_some() {
            return;
        }
        match end {
            Ok(()) => {
                let exit = self.state.borrow_mut().exit(id);
                exit.unwrap_or_else(|(site, finding)| self.record(site, *finding));
            }
            Err(payload) => {
                let unknown = || Site { block: self.block(id.rank), thread: id.thread, file: String::new(), line: 0 };
                let site = self.panicked_at.take().unwrap_or_else(unknown);
                self.record(site, *Finding::new(FaultKind::Panic, fault::message(&*payload)));
            }
        }
    }

    fn take_turns(&self, threads: &mut [Thread]) {
        let mut order = Vec::new();
        loop {
            self.state.borrow_mut().round(&mut order);
            for &id in &order {
                self.current.set(Some(id));
                threads[self.at(id)].resume(());
                self.current.set(None);
                if self.is_interrupted.get() && !self.let_arrive() {
                    return;
                }
            }
            if order.is_empty() && !self.hurry() {
                return;
            }
        }
    }

    /// Has the machine look after each turn whether asynchronous stores arrive.
    pub(super) fn interrupt(&self) {
        self.is_interrupted.set(true);
    }

    /// Asynchronous stores arrive that take no longer. Returns whether there is no fault.
    fn let_arrive(&self) -> bool {
        let state = &mut *self.state.borrow_mut();
        while self.fault.borrow().is_none() {
            let Some(flight) = state.flights.arriving() else {
                self.is_interrupted.set(!state.flights.is_empty());
                return true;
            };
            if let Err((site, finding)) = state.arrive(self.grid, flight) {
                self.record(site, *finding);
            }
        }
        false
    }

    /// When nobody can go on, an asynchronous store arrives. Returns whether anything is left to do.
    fn hurry(&self) -> bool {
        let state = &mut *self.state.borrow_mut();
        let fault = match state.flights.any() {
            Some(flight) => match state.arrive(self.grid, flight) {
                Ok(()) => return true,
                Err(fault) => Some(fault),
            },
            None => stuck::finding(&state.blocks),
        };
        if let Some((site, finding)) = fault {
            self.record(site, *finding);
        }
        false
    }

    /// Gives up the running thread's turn, until the schedule gives it another.
    pub(super) fn wait(&self, id: Id) {
        // SAFETY: a running thread has stored its yielder, which lives on its stack.
        unsafe { &*self.yielders[self.at(id)].get() }.suspend(());
    }

    #[inline]
    fn at(&self, id: Id) -> usize {
        (id.rank * self.grid.launch.block + id.thread) as usize
    }

    fn record(&self, site: Site, finding: Finding) {
        let Finding { kind, detail, other } = finding;
        let kernel = self.grid.launch.kernel.to_owned();
        self.interrupt();
        self.fault.replace(Some(Fault { kind, kernel, site, other, detail }));
    }
}
