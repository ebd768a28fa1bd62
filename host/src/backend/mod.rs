//! The machines that do the work, behind one set of calls: the CPU, the emulator of a GPU, and NVIDIA GPUs.

mod emulate;
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

use std::fmt;
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
static OPEN: Mutex<Vec<(Weak<cuda::Gpu>, Weak<Kept>)>> = Mutex::new(Vec::new());

/// A machine. Clones are the same one.
#[derive(Clone, Debug)]
pub(crate) enum Backend {
    /// In host memory, on rayon's threads.
    Cpu,
    Sim(Sim),
    Cuda(Cuda),
}

/// An emulated GPU, as a machine of these limits.
#[derive(Clone, Debug)]
pub(crate) struct Sim {
    limits: Limits,
    pub(crate) emulator: Arc<Emulator>,
}

/// An emulator.
#[derive(Debug)]
pub(crate) struct Emulator {
    pub(crate) memory: cpu::Memory,
    /// What the order of its threads is drawn from.
    seed: u64,
    pool: Pool,
}

/// A GPU, as a machine of these limits.
#[derive(Clone, Debug)]
pub(crate) struct Cuda {
    limits: Limits,
    // Before the GPU, as fields drop in order.
    kept: Arc<Kept>,
    pub(crate) gpu: Arc<cuda::Gpu>,
}

/// What calls on host memory keep of a GPU.
#[derive(Debug, Default)]
struct Kept {
    pool: Pool,
    /// Of large matrices' panels, those in use and those at rest.
    panel_queues: Mutex<Vec<Arc<Mutex<PanelQueue>>>>,
}

/// What a kernel takes on a GPU, per thread.
///
/// ```
/// # use warplu::Device;
/// let device = Device::best();
/// for (name, resources) in device.info().kernels()? {
///     if let Some(resources) = resources {
///         println!("{name}: {} registers a thread", resources.registers);
///     }
/// }
/// # Ok::<(), warplu::Error>(())
/// ```
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
        let emulator = Emulator { memory: cpu::Memory::new(), seed, pool: Pool::default() };
        Self::Sim(Sim { limits, emulator: Arc::new(emulator) })
    }

    /// GPU `ordinal`, the same one if it is already open.
    pub(crate) fn cuda(ordinal: u32) -> Result<Self> {
        if cfg!(not(feature = "cuda")) {
            return Err(Error::NoCuda);
        }
        let gpu = cuda::Gpu::open(ordinal)?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, kept)| kept.strong_count() > 0);
        let known = open.iter().find(|(known, _)| std::ptr::eq(known.as_ptr(), Arc::as_ptr(&gpu)));
        let kept = known.and_then(|(_, kept)| kept.upgrade()).unwrap_or_else(|| {
            let new = Arc::default();
            open.push((Arc::downgrade(&gpu), Arc::downgrade(&new)));
            new
        });
        let limits = Limits { tier: gpu.tier(), shared_bytes: gpu.max_shared_bytes() };
        Ok(Self::Cuda(Cuda { limits, kept, gpu }))
    }

    /// The same machine, whose kernels are those of lower limits.
    pub(crate) fn within(mut self, lower: Limits) -> Self {
        match &mut self {
            Self::Cpu => {}
            Self::Sim(Sim { limits, .. }) | Self::Cuda(Cuda { limits, .. }) => *limits = limits.and(lower),
        }
        self
    }

    /// GPUs that answer.
    pub(crate) fn cuda_count() -> Result<u32> {
        if cfg!(not(feature = "cuda")) {
            return Err(Error::NoCuda);
        }
        Ok(cuda::Gpu::count()?)
    }

    /// Whether both are the same machine, so that addresses of one mean the same on the other.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Cpu, Self::Cpu) => true,
            (Self::Sim(a), Self::Sim(b)) => Arc::ptr_eq(&a.emulator, &b.emulator),
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
            Self::Sim(sim) => Some(&sim.emulator.pool),
            Self::Cuda(cuda) => Some(&cuda.kept.pool),
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
            Self::Sim(Sim { limits, .. }) | Self::Cuda(Cuda { limits, .. }) => *limits,
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
            Self::Cuda(cuda) => Ok(cuda.function(entry)?.set_max_shared_bytes(shared_bytes)?),
        }
    }

    /// What an entry point takes, on a GPU.
    pub(crate) fn resources(&self, entry: &'static Entry) -> Result<Option<KernelResources>> {
        match self {
            Self::Cpu | Self::Sim(_) => Ok(None),
            Self::Cuda(cuda) => {
                let info = cuda.function(entry)?.info()?;
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
            (Self::Sim(Sim { emulator, .. }), Queue::Host) => {
                let launch = cpu::Launch {
                    kernel: entry.name,
                    grid,
                    cluster: shape.cluster,
                    block: shape.threads,
                    shared_bytes: shape.shared_bytes,
                    seed: emulator.seed,
                };
                // SAFETY: the type was compared; the rest is the caller's promise.
                cpu::run(&emulator.memory, &launch, || unsafe { entry.run(args) })?;
                Ok(())
            }
            (Self::Cuda(cuda), Queue::Cuda(stream)) => {
                let function = cuda.function(entry)?;
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

impl Cuda {
    /// The kernel of an entry point.
    fn function(&self, entry: &'static Entry) -> Result<&cuda::Function> {
        Ok(self.gpu.function(self.limits.tier, entry)?)
    }
}

/// The machine's name, as [`Device::by_name`](crate::Device::by_name) takes it.
impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Sim(_) => f.write_str("sim"),
            Self::Cuda(cuda) => write!(f, "cuda:{}", cuda.gpu.ordinal()),
        }
    }
}
