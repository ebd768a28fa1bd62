//! What a thread does with the other blocks of its cluster: their shared memory, mbarriers, and the cluster's barrier.

use super::access::Caller;
use super::fault::{FaultKind, Finding, Site};
use super::flights::Flight;
use super::mbarrier;
use super::region::Problem;
use super::shadow::Actor;
use super::state::{State, shared_memory};

/// The mbarrier at a byte of the shared memory of the block of a rank.
#[derive(Clone, Copy)]
pub(super) struct MbarrierAt {
    pub(super) rank: u32,
    pub(super) offset: u64,
}

impl<'a> Caller<'a> {
    /// Makes sure that there is a block of this rank, whose shared memory the thread uses.
    pub(super) fn visit(self, rank: u32) {
        self.attempt(|state| {
            let size = self.cluster.size();
            if size == 1 {
                let detail = "remote shared memory, in a launch without clusters: hardware has none there".to_owned();
                return Err(Finding::new(FaultKind::OutOfBounds, detail));
            }
            if rank >= size {
                let detail = format!("shared memory of rank {rank}, in a cluster of {size} blocks");
                return Err(Finding::new(FaultKind::OutOfBounds, detail));
            }
            state.visit(self.id, self.location, rank)
        });
    }

    /// Arrives at the cluster's barrier, to wait later.
    pub(super) fn arrive_at_cluster(self) {
        self.arrive(true);
    }

    /// Waits for all threads of the cluster to arrive.
    pub(super) fn wait_for_cluster(self) {
        let (cluster, id) = (self.cluster, self.id);
        let passes = self.attempt(|state| {
            let passes = state.barrier.may_pass(id)?;
            if !passes {
                state.blocks[id.rank as usize].schedule.wait_for_cluster(id.thread, self.location);
            }
            Ok(passes)
        });
        if !passes {
            cluster.wait(id);
        }
        let State { barrier, clocks, .. } = &mut *cluster.state.borrow_mut();
        barrier.pass(id, clocks);
    }

    /// Arrives at the cluster's barrier and waits.
    pub(super) fn cluster_barrier(self) {
        self.arrive(false);
        self.wait_for_cluster();
    }

    fn arrive(self, parted: bool) {
        self.attempt(|state| {
            if state.barrier.arrive(self.id, self.location, &mut state.clocks, parted)? {
                state.blocks.iter_mut().for_each(|block| block.schedule.end_wait_for_cluster());
            }
            Ok(())
        });
    }

    /// Makes an mbarrier for `count` arrivals a phase.
    pub(super) fn init_mbarrier(self, offset: u64, count: u32) {
        self.attempt(|state| {
            let at = self.find_mbarrier("an mbarrier", offset)?;
            let State { blocks, clocks, .. } = state;
            let block = &mut blocks[self.id.rank as usize];
            let made = Site::new(self.block(), self.id.thread, self.location);
            block.mbarriers.init(at, count, &clocks.places, made)?;
            let actor = self.actor(clocks, block.era());
            let stored = block.shared.store(at as usize, &[0; mbarrier::BYTES as usize], &actor);
            stored.map_err(|problem| self.name(problem, "the initialisation", block.index))
        });
    }

    /// Ends the use of an mbarrier. Its bytes are ordinary memory again, which nobody wrote.
    pub(super) fn invalidate_mbarrier(self, offset: u64) {
        self.attempt(|state| {
            let at = self.find_mbarrier("an mbarrier", offset)?;
            let block = &mut state.blocks[self.id.rank as usize];
            block.mbarriers.remove(at)?;
            let actor = self.actor(&state.clocks, block.era());
            let ended = block.shared.unwrite(at as usize, mbarrier::BYTES as usize, &actor);
            ended.map_err(|problem| self.name(problem, "the invalidation", block.index))
        });
    }

    /// Arrives at an mbarrier, whose phase expects so many bytes more before.
    pub(super) fn arrive_at_mbarrier(self, MbarrierAt { rank, offset }: MbarrierAt, expected: u32) {
        self.attempt(|state| {
            let at = self.use_mbarrier(state, rank, offset)?;
            let State { blocks, clocks, .. } = state;
            let part = clocks.part(self.id);
            let block = &mut blocks[rank as usize];
            if block.mbarriers.get(at)?.arrive(&clocks.places, &part, expected)? {
                block.schedule.end_wait_for_mbarrier(at);
            }
            Ok(())
        });
    }

    /// Waits for an mbarrier of its own block to complete the phase of this parity.
    pub(super) fn wait_for_mbarrier(self, offset: u64, parity: u32) {
        let (id, rank) = (self.id, self.id.rank as usize);
        let phase = self.attempt(|state| {
            let at = self.use_mbarrier(state, id.rank, offset)?;
            let block = &mut state.blocks[rank];
            let phase = block.mbarriers.get(at)?.phase();
            let waits = phase & 1 == parity & 1;
            if waits {
                block.schedule.wait_for_mbarrier(id.thread, at, self.location);
            }
            Ok(waits.then_some(phase))
        });
        if phase.is_some() {
            self.cluster.wait(id);
        }
        self.attempt(|state| {
            let mbarrier = state.blocks[rank].mbarriers.get(offset as u32)?;
            if let Some(before) = phase.filter(|&before| mbarrier.phase() > before + 1) {
                let detail = format!(
                    "the mbarrier completed phases {before} and {} before this thread saw the first of them end: on a \
                     GPU it may wait for good",
                    before + 1
                );
                return Err(Finding::new(FaultKind::Mbarrier, detail));
            }
            let news = mbarrier.released();
            state.clocks.learn(id, &news);
            Ok(())
        });
    }

    /// Begins an asynchronous store.
    pub(super) fn store_async(self, rank: u32, offset: u64, data: &[u8], mbarrier: MbarrierAt) {
        self.attempt(|state| {
            state.traffic.shared_stores += 1;
            if mbarrier.rank != rank {
                let detail = format!(
                    "an asynchronous store to the block of rank {rank}, with an mbarrier of the block of rank {}",
                    mbarrier.rank
                );
                return Err(Finding::new(FaultKind::Mbarrier, detail));
            }
            let to = self.find_shared("an asynchronous store", offset, data.len(), data.len())?;
            let at = self.use_mbarrier(state, rank, mbarrier.offset)?;
            state.blocks[rank as usize].mbarriers.check_apart("an asynchronous store", to, data.len())?;
            let mut bytes = [0; 16];
            bytes[..data.len()].copy_from_slice(data);
            state.flights.begin(Flight {
                sender: self.id,
                location: self.location,
                clock: state.clocks.part(self.id),
                rank,
                offset: to,
                bytes,
                len: data.len(),
                mbarrier: at,
            });
            self.cluster.interrupt();
            Ok(())
        });
    }

    fn find_mbarrier(self, access: &str, offset: u64) -> Result<u32, Box<Finding>> {
        let bytes = mbarrier::BYTES as usize;
        self.find_shared(access, offset, bytes, bytes).map(|at| at as u32)
    }

    /// Makes sure that there is an mbarrier, and that nothing makes or ends it at the same time.
    fn use_mbarrier(self, state: &mut State<'a>, rank: u32, offset: u64) -> Result<u32, Box<Finding>> {
        let at = self.find_mbarrier("an mbarrier", offset)?;
        let State { blocks, clocks, .. } = state;
        let block = &mut blocks[rank as usize];
        block.mbarriers.get(at)?;
        let actor: Actor<'_> = self.actor(clocks, block.era());
        let read = block.shared.load(at as usize, &mut [0; mbarrier::BYTES as usize], &actor);
        read.map_err(|problem| self.name(problem, "the use", block.index))?;
        Ok(at)
    }

    #[cold]
    fn name(self, problem: Problem, access: &str, block: u32) -> Box<Finding> {
        problem.finding(&format!("{access} of an mbarrier"), 0, &shared_memory(self.cluster.grid, block))
    }
}

impl MbarrierAt {
    /// That of the calling thread's block.
    pub(super) fn own(caller: &Caller<'_>, offset: u64) -> Self {
        Self { rank: caller.id.rank, offset }
    }
}
