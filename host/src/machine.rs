//! The machines that run kernels: the emulator and NVIDIA GPUs, behind one set of calls.

#[cfg(feature = "cuda")]
use std::sync::Arc;
use std::time::Instant;

use kernels_gpu::entry::{EMULATED, Entry};
use kernels_gpu::shape::Shape;
use simt::cpu;

#[cfg(feature = "cuda")]
use crate::cuda;
use crate::error::{Error, Result};

/// Shared memory of a block on an H100 or H200, which the emulator takes after.
const SIM_SHARED_BYTES: u32 = cpu::MAX_SHARED_BYTES;
/// Device memory that calls on the emulator use unless told otherwise.
const SIM_MEMORY: usize = 1 << 30;
/// Bytes that the emulator copies at a time.
const SIM_COPY: usize = 1 << 20;

/// A machine that runs kernels.
#[derive(Clone, Debug)]
pub(crate) enum Machine {
    /// The emulator, and the seed of its thread order.
    Sim { memory: cpu::Memory, seed: u64 },
    /// A GPU.
    #[cfg(feature = "cuda")]
    Cuda(Arc<cuda::Gpu>),
}

/// Device memory.
#[derive(Debug)]
pub(crate) enum Memory {
    Sim(cpu::Buffer),
    #[cfg(feature = "cuda")]
    Cuda(cuda::Memory),
}

/// An ordered queue of work.
#[derive(Debug)]
pub(crate) enum Queue {
    /// The emulator works at once.
    Sim,
    #[cfg(feature = "cuda")]
    Cuda(cuda::Stream),
}

/// Host memory that copies to and from the device overlap with other work from.
#[derive(Debug)]
pub(crate) enum Staging {
    Sim(Vec<u8>),
    #[cfg(feature = "cuda")]
    Cuda(cuda::Pinned),
}

/// A mark in a queue.
#[derive(Debug)]
pub(crate) enum Event {
    Sim(Instant),
    #[cfg(feature = "cuda")]
    Cuda(cuda::Event),
}

/// What a kernel takes on a GPU, per thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelResources {
    /// Registers.
    pub registers: u32,
    /// Bytes of local memory: 0 unless registers are spilled.
    pub local_bytes: u32,
}

impl Machine {
    /// Shared memory that a block may have, in bytes.
    pub(crate) fn shared_limit(&self) -> u32 {
        match self {
            Self::Sim { .. } => SIM_SHARED_BYTES,
            #[cfg(feature = "cuda")]
            Self::Cuda(gpu) => gpu.max_shared_bytes(),
        }
    }

    /// Device memory that a call may use by default: four fifths of what is free.
    pub(crate) fn memory_budget(&self) -> Result<usize> {
        match self {
            Self::Sim { .. } => Ok(SIM_MEMORY),
            #[cfg(feature = "cuda")]
            Self::Cuda(gpu) => Ok(gpu.free_memory()? / 5 * 4),
        }
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Result<Memory> {
        match self {
            Self::Sim { memory, .. } => Ok(Memory::Sim(memory.allocate(bytes))),
            #[cfg(feature = "cuda")]
            Self::Cuda(gpu) => Ok(Memory::Cuda(cuda::Memory::alloc(gpu, bytes)?)),
        }
    }

    pub(crate) fn staging(&self, bytes: usize) -> Result<Staging> {
        match self {
            Self::Sim { .. } => Ok(Staging::Sim(vec![0; bytes])),
            #[cfg(feature = "cuda")]
            Self::Cuda(gpu) => Ok(Staging::Cuda(cuda::Pinned::alloc(gpu, bytes)?)),
        }
    }

    pub(crate) fn queue(&self) -> Result<Queue> {
        match self {
            Self::Sim { .. } => Ok(Queue::Sim),
            #[cfg(feature = "cuda")]
            Self::Cuda(gpu) => Ok(Queue::Cuda(cuda::Stream::new(gpu)?)),
        }
    }

    /// Makes the first launch of an entry point as quick as the others: loads its module and sets its shared memory.
    #[cfg_attr(not(feature = "cuda"), expect(unused_variables, reason = "the emulator needs none of it"))]
    pub(crate) fn prepare(&self, entry: &Entry, shared_bytes: u32) -> Result<()> {
        match self {
            Self::Sim { .. } => Ok(()),
            #[cfg(feature = "cuda")]
            Self::Cuda(gpu) => Ok(gpu.function(entry.name)?.set_max_shared_bytes(shared_bytes)?),
        }
    }

    /// What an entry point takes, on a GPU.
    #[cfg_attr(not(feature = "cuda"), expect(unused_variables, reason = "the emulator needs none of it"))]
    pub(crate) fn resources(&self, entry: &Entry) -> Result<Option<KernelResources>> {
        match self {
            Self::Sim { .. } => Ok(None),
            #[cfg(feature = "cuda")]
            Self::Cuda(gpu) => {
                let info = gpu.function(entry.name)?.info()?;
                Ok(Some(KernelResources { registers: info.registers, local_bytes: info.local_bytes }))
            }
        }
    }

    /// A mark behind the work that is in the queue by now.
    pub(crate) fn record(&self, queue: &Queue) -> Result<Event> {
        match (self, queue) {
            (Self::Sim { .. }, Queue::Sim) => Ok(Event::Sim(Instant::now())),
            #[cfg(feature = "cuda")]
            (Self::Cuda(gpu), Queue::Cuda(stream)) => {
                let event = cuda::Event::new(gpu)?;
                event.record(stream)?;
                Ok(Event::Cuda(event))
            }
            #[cfg(feature = "cuda")]
            _ => Err(foreign_queue()),
        }
    }

    /// Runs an entry point with its argument struct.
    ///
    /// # Safety
    /// `args` satisfies what the argument struct says, and the memory that it names lives until the work is done.
    pub(crate) unsafe fn launch<A>(&self, queue: &Queue, entry: &Entry, shape: Shape, args: &A) -> Result<()>
    where
        A: Copy + Send + Sync + 'static,
    {
        if !entry.takes::<A>() {
            return Err(Error::Unsupported(format!("{} does not take these arguments", entry.name)));
        }
        let grid = u32::try_from(shape.blocks)
            .map_err(|_| Error::Unsupported(format!("a grid of {} blocks is too large", shape.blocks)))?;
        match (self, queue) {
            (Self::Sim { .. }, Queue::Sim) if !EMULATED => Err(Error::NoEmulator),
            (Self::Sim { memory, seed }, Queue::Sim) => {
                let launch = cpu::Launch {
                    kernel: entry.name,
                    grid,
                    block: shape.threads,
                    shared_bytes: shape.shared_bytes,
                    seed: *seed,
                };
                // SAFETY: the type was compared; the rest is the caller's promise.
                cpu::run(memory, &launch, || unsafe { entry.run(args) })?;
                Ok(())
            }
            #[cfg(feature = "cuda")]
            (Self::Cuda(gpu), Queue::Cuda(stream)) => {
                let function = gpu.function(entry.name)?;
                // SAFETY: the type was compared; the rest is the caller's promise.
                unsafe { function.launch(stream, [grid, 1, 1], [shape.threads, 1, 1], shape.shared_bytes, args)? };
                Ok(())
            }
            #[cfg(feature = "cuda")]
            _ => Err(foreign_queue()),
        }
    }

    /// Copies host bytes to device memory; the host bytes stay as they are until the queue is done.
    ///
    /// # Safety
    /// `from` outlives the copy: the caller waits for the queue before it changes or frees it.
    pub(crate) unsafe fn upload(&self, queue: &Queue, to: &Memory, offset: usize, from: &[u8]) -> Result<()> {
        check_range(to, offset, from.len())?;
        match (to, queue) {
            (Memory::Sim(buffer), Queue::Sim) => buffer.write(offset, from).map_err(out_of_range),
            #[cfg(feature = "cuda")]
            // SAFETY: in range; the rest is the caller's promise.
            (Memory::Cuda(memory), Queue::Cuda(stream)) => unsafe {
                Ok(stream.upload(memory.address() + offset as u64, from)?)
            },
            #[cfg(feature = "cuda")]
            _ => Err(foreign_queue()),
        }
    }

    /// Copies device memory to host bytes, which are complete when the queue is done.
    ///
    /// # Safety
    /// `to` outlives the copy: the caller waits for the queue before it reads or frees it.
    pub(crate) unsafe fn download(&self, queue: &Queue, from: &Memory, offset: usize, to: &mut [u8]) -> Result<()> {
        check_range(from, offset, to.len())?;
        match (from, queue) {
            (Memory::Sim(buffer), Queue::Sim) => buffer.read(offset, to).map_err(out_of_range),
            #[cfg(feature = "cuda")]
            // SAFETY: in range; the rest is the caller's promise.
            (Memory::Cuda(memory), Queue::Cuda(stream)) => unsafe {
                Ok(stream.download(to, memory.address() + offset as u64)?)
            },
            #[cfg(feature = "cuda")]
            _ => Err(foreign_queue()),
        }
    }
}

impl Memory {
    pub(crate) fn address(&self) -> u64 {
        match self {
            Self::Sim(buffer) => buffer.address(),
            #[cfg(feature = "cuda")]
            Self::Cuda(memory) => memory.address(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Sim(buffer) => buffer.len(),
            #[cfg(feature = "cuda")]
            Self::Cuda(memory) => memory.len(),
        }
    }
}

impl Event {
    /// Seconds from another mark to this one, which is waited for.
    pub(crate) fn seconds_since(&self, start: &Self) -> Result<f64> {
        match (self, start) {
            (Self::Sim(end), Self::Sim(start)) => Ok(end.saturating_duration_since(*start).as_secs_f64()),
            #[cfg(feature = "cuda")]
            (Self::Cuda(end), Self::Cuda(start)) => {
                end.synchronize()?;
                Ok(f64::from(end.elapsed_ms(start)?) / 1000.0)
            }
            #[cfg(feature = "cuda")]
            _ => Err(foreign_queue()),
        }
    }
}

impl Queue {
    /// Copies bytes within device memory; the ranges must not overlap.
    pub(crate) fn copy(&self, from: (&Memory, usize), to: (&Memory, usize), bytes: usize) -> Result<()> {
        let ((from, from_offset), (to, to_offset)) = (from, to);
        check_range(from, from_offset, bytes)?;
        check_range(to, to_offset, bytes)?;
        if from.address() == to.address() && from_offset.abs_diff(to_offset) < bytes {
            return Err(Error::Shape("a copy must not overlap itself".to_owned()));
        }
        match (from, to, self) {
            (Memory::Sim(from), Memory::Sim(to), Self::Sim) => {
                let mut part = vec![0; bytes.min(SIM_COPY)];
                for done in (0..bytes).step_by(SIM_COPY) {
                    let part = &mut part[..SIM_COPY.min(bytes - done)];
                    from.read(from_offset + done, part).map_err(out_of_range)?;
                    to.write(to_offset + done, part).map_err(out_of_range)?;
                }
                Ok(())
            }
            #[cfg(feature = "cuda")]
            // SAFETY: in range, and apart.
            (Memory::Cuda(from), Memory::Cuda(to), Self::Cuda(stream)) => unsafe {
                Ok(stream.copy(from.address() + from_offset as u64, to.address() + to_offset as u64, bytes)?)
            },
            #[cfg(feature = "cuda")]
            _ => Err(foreign_queue()),
        }
    }

    /// Waits until all its work is done.
    pub(crate) fn synchronize(&self) -> Result<()> {
        match self {
            Self::Sim => Ok(()),
            #[cfg(feature = "cuda")]
            Self::Cuda(stream) => Ok(stream.synchronize()?),
        }
    }
}

impl Staging {
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Sim(bytes) => bytes,
            #[cfg(feature = "cuda")]
            Self::Cuda(pinned) => pinned.as_slice(),
        }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        match self {
            Self::Sim(bytes) => bytes,
            #[cfg(feature = "cuda")]
            Self::Cuda(pinned) => pinned.as_mut_slice(),
        }
    }
}

fn check_range(memory: &Memory, offset: usize, bytes: usize) -> Result<()> {
    if offset.checked_add(bytes).is_some_and(|end| end <= memory.len()) {
        return Ok(());
    }
    Err(Error::Shape(format!("{bytes} bytes at {offset} lead beyond a device buffer of {} bytes", memory.len())))
}

fn out_of_range(error: cpu::OutOfRange) -> Error {
    Error::Shape(error.to_string())
}

#[cfg(feature = "cuda")]
fn foreign_queue() -> Error {
    Error::Shape("the stream, the buffer and the device belong together, but these are of different devices".to_owned())
}
