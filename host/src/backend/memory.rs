//! Memory that a machine works in, and host memory that is copied to and from it.

use simt::cpu;

use super::host_memory::HostMemory;
use crate::cuda;
use crate::error::{Error, Result};

/// Memory of a machine.
#[derive(Debug)]
pub(crate) enum Memory {
    Host(HostMemory),
    Sim(cpu::Buffer),
    Cuda(cuda::Memory),
    /// Somebody else's, on the CPU or a GPU: not freed.
    Foreign {
        address: u64,
        len: usize,
    },
}

/// Host memory to copy from and to: page-locked for GPUs.
#[derive(Debug)]
pub(crate) enum Staging {
    Plain(HostMemory),
    Pinned(cuda::Pinned),
}

impl Memory {
    pub(crate) fn address(&self) -> u64 {
        match self {
            Self::Host(memory) => memory.start().expose_provenance() as u64,
            Self::Sim(buffer) => buffer.address(),
            Self::Cuda(memory) => memory.address(),
            Self::Foreign { address, .. } => *address,
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Host(memory) => memory.len(),
            Self::Sim(buffer) => buffer.len(),
            Self::Cuda(memory) => memory.len(),
            Self::Foreign { len, .. } => *len,
        }
    }

    /// That `bytes` at `offset` are within it.
    pub(super) fn check(&self, offset: usize, bytes: usize) -> Result<()> {
        if offset.checked_add(bytes).is_some_and(|end| end <= self.len()) {
            return Ok(());
        }
        Err(Error::Shape(format!("{bytes} bytes at {offset} lead beyond a device buffer of {} bytes", self.len())))
    }
}

impl Staging {
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            // SAFETY: allocated, written from the start, and borrowed as this value is.
            Self::Plain(memory) => unsafe { std::slice::from_raw_parts(memory.start(), memory.len()) },
            Self::Pinned(pinned) => pinned.as_slice(),
        }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        match self {
            // SAFETY: as above, and borrowed by nobody else.
            Self::Plain(memory) => unsafe { std::slice::from_raw_parts_mut(memory.start(), memory.len()) },
            Self::Pinned(pinned) => pinned.as_mut_slice(),
        }
    }
}
