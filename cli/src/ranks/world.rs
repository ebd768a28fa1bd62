//! The ranks of MPI.

use mpi::collective::SystemOperation;
use mpi::environment::{Universe, processor_name};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Root, Source};
use mpi::{Rank, Threading};

/// What launchers tell the processes that they start, and MPI reads: Open MPI's mpirun; Slurm's `srun --mpi=pmix`;
/// `srun --mpi=pmi2`, MPICH and Intel MPI. A process without any of them is alone, and need not wait for MPI to start.
const MARKS: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"];
/// Most bytes of a message: counts are 32 bits.
const PIECE: usize = 1 << 30;

/// All ranks. Its methods are for the main thread, and for all ranks at the same time.
#[derive(Debug)]
pub(super) struct World {
    size: usize,
    rank: usize,
    number_on_machine: usize,
    is_on_several_machines: bool,
    machine: String,
}

/// Keeps MPI going; dropped, it is finalised.
pub(super) struct Membership {
    _universe: Universe,
}

/// Starts MPI, if a launcher has started this process.
pub(super) fn join() -> Option<(World, Membership)> {
    MARKS.iter().find(|mark| std::env::var_os(mark).is_some())?;
    // Other threads never call it.
    let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)?;
    let all = universe.world();
    let beside = all.split_shared(all.rank());
    let world = World {
        size: all.size() as usize,
        rank: all.rank() as usize,
        number_on_machine: beside.rank() as usize,
        is_on_several_machines: beside.size() < all.size(),
        machine: processor_name().unwrap_or_else(|_| "?".to_owned()),
    };
    Some((world, Membership { _universe: universe }))
}

impl World {
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    pub(super) fn is_on_several_machines(&self) -> bool {
        self.is_on_several_machines
    }

    /// The number of this rank among those that share a machine's memory.
    pub(super) fn number_on_machine(&self) -> usize {
        self.number_on_machine
    }

    pub(super) fn machine(&self) -> &str {
        &self.machine
    }

    /// The first of the ranks that say so.
    pub(super) fn first(&self, says_so: bool) -> Option<usize> {
        let own = if says_so { self.rank } else { self.size } as Rank;
        let mut least = own;
        SimpleCommunicator::world().all_reduce_into(&own, &mut least, SystemOperation::min());
        Some(least as usize).filter(|&rank| rank < self.size)
    }

    /// Gives all what rank `from` has.
    pub(super) fn broadcast(&self, from: usize, bytes: &mut Vec<u8>) {
        let all = SimpleCommunicator::world();
        let root = all.process_at_rank(from as Rank);
        let mut len = bytes.len() as u64;
        root.broadcast_into(&mut len);
        bytes.resize(len as usize, 0);
        bytes.chunks_mut(PIECE).for_each(|piece| root.broadcast_into(piece));
    }

    /// Brings what ranks have to the first, which holds its own at the start of `all`.
    pub(super) fn collect(&self, own: &[u8], all: &mut [u8]) {
        let world = SimpleCommunicator::world();
        if self.rank > 0 {
            let first = world.process_at_rank(0);
            first.send(&(own.len() as u64));
            own.chunks(PIECE).for_each(|piece| first.send(piece));
            return;
        }
        let mut rest = &mut all[own.len()..];
        for rank in 1..self.size {
            let (from, mut len) = (world.process_at_rank(rank as Rank), 0_u64);
            from.receive_into(&mut len);
            let theirs;
            (theirs, rest) = rest.split_at_mut(len as usize);
            theirs.chunks_mut(PIECE).for_each(|piece| {
                from.receive_into(piece);
            });
        }
    }

    /// Ends all ranks.
    pub(super) fn abort(&self) {
        SimpleCommunicator::world().abort(1)
    }
}

impl std::fmt::Debug for Membership {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Membership")
    }
}
