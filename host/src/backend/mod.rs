//! The machines that do the work, behind one set of calls: the CPU, the emulator of a GPU, and NVIDIA GPUs.

mod host_memory;
mod memory;
mod panel_queue;
mod pool;
mod queue;
mod resources;
mod worker;

pub(crate) use memory::{Memory, Staging};
pub(crate) use panel_queue::PanelQueue;
pub(crate) use pool::{Crew, MOST_WORKERS, Pool};
pub(crate) use queue::{Event, Queue, foreign};
pub(crate) use worker::{Holds, Lane, Slot, Worker};

use std::sync::{Arc, Mutex, PoisonError, Weak};

use kernels_gpu::entry::{EMULATED, Entry};
use kernels_gpu::shape::Shape;
use simt::cpu;

use crate::choice::Limits;
use crate::cuda;
use crate::error::{Error, Result};

/// What an H100 or H200 has, which the emulator takes after.
const SIM_LIMITS: Limits = Limits { tier: 90, shared_bytes: cpu::MAX_SHARED_BYTES };
/// Device memory that calls on the emulator use unless told otherwise.
const SIM_MEMORY: usize = 1 << 30;

/// GPUs in use, so that opening one twice shares its compiled kernels and its slots.
static OPEN: Mutex<Vec<Weak<Cuda>>> = Mutex::new(Vec::new());

/// A machine. Clones are the same one.
#[derive(Clone, Debug)]
pub(crate) enum Backend {
    /// In host memory, on rayon's threads.
    Cpu,
    Sim(Arc<Sim>),
    Cuda(Arc<Cuda>),
}

/// An emulated GPU.
#[derive(Debug)]
pub(crate) struct Sim {
    pub(crate) memory: cpu::Memory,
    limits: Limits,
    /// What the order of its threads is drawn from.
    pub(crate) seed: u64,
    pool: Pool,
}

/// A GPU, and what its calls on host memory keep.
#[derive(Debug)]
pub(crate) struct Cuda {
    // Before the GPU, as fields drop in order.
    pool: Pool,
    /// Of large matrices' panels, those in use and those at rest.
    panel_queues: Mutex<Vec<Arc<Mutex<PanelQueue>>>>,
    pub(crate) gpu: Arc<cuda::Gpu>,
}

/// What a kernel takes on a GPU, per thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelResources {
    /// Registers.
    pub registers: u32,
    /// Bytes of local memory: 0 unless registers are spilled.
    pub local_bytes: u32,
}

impl Backend {
    /// A new emulator.
    pub(crate) fn sim(seed: u64) -> Self {
        Self::sim_of(SIM_LIMITS, seed)
    }

    /// That of another GPU.
    pub(crate) fn sim_of(limits: Limits, seed: u64) -> Self {
        Self::Sim(Arc::new(Sim { memory: cpu::Memory::new(), limits, seed, pool: Pool::default() }))
    }

    /// GPU `ordinal`, the same one if it is already open.
    pub(crate) fn cuda(ordinal: u32) -> Result<Self> {
        let gpu = cuda::Gpu::open(ordinal)?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|known| known.strong_count() > 0);
        let known = open.iter().filter_map(Weak::upgrade).find(|known| Arc::ptr_eq(&known.gpu, &gpu));
        let shared = known.unwrap_or_else(|| {
            let new = Arc::new(Cuda { pool: Pool::default(), panel_queues: Mutex::default(), gpu });
            open.push(Arc::downgrade(&new));
            new
        });
        Ok(Self::Cuda(shared))
    }

    /// GPUs that answer.
    pub(crate) fn cuda_count() -> Result<u32> {
        let count = cuda::Gpu::count()?;
        Ok(count)
    }

    /// Whether both are the same machine, so that addresses of one mean the same on the other.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Cpu, Self::Cpu) => true,
            (Self::Sim(a), Self::Sim(b)) => Arc::ptr_eq(a, b),
            (Self::Cuda(a), Self::Cuda(b)) => Arc::ptr_eq(&a.gpu, &b.gpu),
            _ => false,
        }
    }

    /// Whether kernels work in memory of their own, to and from which batches are copied.
    pub(crate) fn has_own_memory(&self) -> bool {
        !matches!(self, Self::Cpu)
    }

    /// The workers that calls on host memory keep; none for the CPU, whose calls need none.
    pub(crate) fn pool(&self) -> Option<&Pool> {
        match self {
            Self::Cpu => None,
            Self::Sim(sim) => Some(&sim.pool),
            Self::Cuda(cuda) => Some(&cuda.pool),
        }
    }

    /// Frees the machine memory that workers at rest keep, and says whether there was any.
    pub(crate) fn free_kept_memory(&self) -> bool {
        self.pool().is_some_and(|pool| pool.shrink(0))
    }

    /// What decides which kernels it can run.
    pub(crate) fn limits(&self) -> Limits {
        match self {
            Self::Cpu => Limits { tier: 0, shared_bytes: 0 },
            Self::Sim(sim) => sim.limits,
            Self::Cuda(cuda) => Limits { tier: cuda.gpu.tier(), shared_bytes: cuda.gpu.max_shared_bytes() },
        }
    }

    /// Device memory that a call may use by default: four fifths of what is free. The CPU's is not counted.
    pub(crate) fn memory_budget(&self) -> Result<usize> {
        match self {
            Self::Cpu => Ok(usize::MAX),
            Self::Sim(_) => Ok(SIM_MEMORY),
            Self::Cuda(cuda) => Ok(cuda.gpu.free_memory()? / 5 * 4),
        }
    }

    /// Makes the first launch of an entry point as quick as the others: loads its module and sets its shared memory.
    pub(crate) fn prepare(&self, entry: &'static Entry, shared_bytes: u32) -> Result<()> {
        match self {
            Self::Cpu | Self::Sim(_) => Ok(()),
            Self::Cuda(cuda) => Ok(cuda.gpu.function(entry)?.set_max_shared_bytes(shared_bytes)?),
        }
    }

    /// What an entry point takes, on a GPU.
    pub(crate) fn resources(&self, entry: &'static Entry) -> Result<Option<KernelResources>> {
        match self {
            Self::Cpu | Self::Sim(_) => Ok(None),
            Self::Cuda(cuda) => {
                let info = cuda.gpu.function(entry)?.info()?;
                Ok(Some(KernelResources { registers: info.registers, local_bytes: info.local_bytes }))
            }
        }
    }

    /// Runs an entry point with its argument struct.
    ///
    /// # Safety
    /// `args` satisfies what the argument struct says, and the memory that it names lives until the work is done.
    pub(crate) unsafe fn launch<A>(&self, queue: &Queue, entry: &'static Entry, shape: Shape, args: &A) -> Result<()>
    where
        A: Copy + Send + Sync + 'static,
    {
        if !entry.takes::<A>() {
            return Err(Error::Unsupported(format!("{} does not take these arguments", entry.name)));
        }
        let grid = u32::try_from(shape.blocks)
            .map_err(|_| Error::Unsupported(format!("a grid of {} blocks is too large", shape.blocks)))?;
        match (self, queue) {
            (Self::Sim(_), Queue::Host) if !EMULATED => Err(Error::NoEmulator),
            (Self::Sim(sim), Queue::Host) => {
                let launch = cpu::Launch {
                    kernel: entry.name,
                    grid,
                    cluster: shape.cluster,
                    block: shape.threads,
                    shared_bytes: shape.shared_bytes,
                    seed: sim.seed,
                };
                // SAFETY: the type was compared; the rest is the caller's promise.
                cpu::run(&sim.memory, &launch, || unsafe { entry.run(args) })?;
                Ok(())
            }
            (Self::Cuda(cuda), Queue::Cuda(stream)) => {
                let function = cuda.gpu.function(entry)?;
                // SAFETY: the type was compared; the rest is the caller's promise.
                unsafe {
                    stream.launch(function, grid, shape.cluster, shape.threads, shape.shared_bytes, args)?;
                }
                Ok(())
            }
            _ => Err(foreign()),
        }
    }
}
