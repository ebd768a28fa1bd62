//! What a machine gives: memory, queues and marks.

use std::time::Instant;

use super::host_memory::HostMemory;
use super::{Backend, Event, Memory, Queue, Staging};
use crate::cuda;
use crate::error::{Error, Result};

/// The largest buffer of the emulator, which notes the state of each byte.
const LARGEST_SIM_BUFFER: usize = 1 << 34;

impl Backend {
    /// `bytes` of the machine's memory, unwritten.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<Memory> {
        match self {
            Self::Cpu => HostMemory::new(bytes).map(Memory::Host).ok_or(Error::HostMemory { bytes }),
            Self::Sim(_) if bytes > LARGEST_SIM_BUFFER => {
                Err(Error::Memory { needed: bytes, available: LARGEST_SIM_BUFFER })
            }
            Self::Sim(sim) => Ok(Memory::Sim(sim.emulator.memory.allocate(bytes))),
            Self::Cuda(cuda) => Ok(Memory::Cuda(cuda::Memory::alloc(&cuda.gpu, bytes)?)),
        }
    }

    /// `bytes` of host memory to copy from and to.
    pub(crate) fn staging(&self, bytes: usize) -> Result<Staging> {
        match self {
            Self::Cpu | Self::Sim(_) => HostMemory::new(bytes).map(Staging::Plain).ok_or(Error::HostMemory { bytes }),
            Self::Cuda(cuda) => Ok(Staging::Pinned(cuda::Pinned::alloc(&cuda.gpu, bytes)?)),
        }
    }

    pub(crate) fn queue(&self) -> Result<Queue> {
        match self {
            Self::Cpu | Self::Sim(_) => Ok(Queue::Host),
            Self::Cuda(cuda) => Ok(Queue::Cuda(cuda::Stream::new(&cuda.gpu)?)),
        }
    }

    /// A queue whose work goes before that of others where there is not room for both.
    pub(crate) fn urgent_queue(&self) -> Result<Queue> {
        match self {
            Self::Cpu | Self::Sim(_) => Ok(Queue::Host),
            Self::Cuda(cuda) => Ok(Queue::Cuda(cuda::Stream::urgent(&cuda.gpu)?)),
        }
    }

    /// A mark that is in no queue yet; with `timing` the time when it is reached can be asked for.
    pub(crate) fn event(&self, timing: bool) -> Result<Event> {
        match self {
            Self::Cpu | Self::Sim(_) => Ok(Event::Host(Instant::now())),
            Self::Cuda(cuda) => Ok(Event::Cuda(cuda::Event::new(&cuda.gpu, timing)?)),
        }
    }

    /// Calls `work` with a GPU's context current on this thread, which spares each call inside to make it so.
    pub(crate) fn with_context<R>(&self, work: impl FnOnce() -> R) -> Result<R> {
        match self {
            Self::Cpu | Self::Sim(_) => Ok(work()),
            Self::Cuda(cuda) => {
                let _bound = cuda.gpu.bind()?;
                Ok(work())
            }
        }
    }
}
