//! Kernels of the caller's, where there is no GPU.

use std::slice;

use simt::cpu;

use super::memory::Memory;
use super::{Backend, foreign};
use crate::error::{Error, Result};

impl Backend {
    /// Runs a kernel's function in the emulator: a machine that is one has the memory for it; the CPU's host memory is
    /// copied to an emulator's under the same addresses, and what the kernel writes comes back if it does nothing wrong.
    ///
    /// # Safety
    /// On the CPU these are all the memories that the kernel uses, each with whether it writes to it, and nobody else
    /// touches them meanwhile.
    pub(crate) unsafe fn emulate(
        &self,
        launch: cpu::Launch<'_>,
        memories: &[(&Memory, bool)],
        body: impl Fn() + Sync,
    ) -> Result<()> {
        match self {
            Self::Sim(sim) => {
                let launch = cpu::Launch { seed: sim.emulator.seed, ..launch };
                cpu::run(&sim.emulator.memory, &launch, body).map_err(Error::Kernel)?;
            }
            Self::Cpu => {
                let memory = cpu::Memory::new();
                let mut copies: Vec<(cpu::Buffer, &Memory, bool)> = Vec::new();
                for &(own, is_written) in memories.iter().filter(|(own, _)| own.len() > 0) {
                    match copies
                        .iter_mut()
                        .find(|(buffer, known, _)| (buffer.address(), known.len()) == (own.address(), own.len()))
                    {
                        Some((_, _, known)) => *known |= is_written,
                        None => {
                            let buffer = memory.allocate_at(own.address(), own.len()).ok_or_else(overlap)?;
                            // SAFETY: the caller's promise.
                            let bytes = unsafe { slice::from_raw_parts(host(own), own.len()) };
                            buffer.write(0, bytes).map_err(super::queue::out_of_range)?;
                            copies.push((buffer, own, is_written));
                        }
                    }
                }
                cpu::run(&memory, &launch, body).map_err(Error::Kernel)?;
                for (buffer, own, _) in copies.iter().filter(|(_, _, is_written)| *is_written) {
                    // SAFETY: the caller's promise.
                    let bytes = unsafe { slice::from_raw_parts_mut(host(own), own.len()) };
                    buffer.read(0, bytes).map_err(super::queue::out_of_range)?;
                }
            }
            Self::Cuda(_) => return Err(foreign()),
        }
        Ok(())
    }
}

fn host(memory: &Memory) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(memory.address() as usize)
}

fn overlap() -> Error {
    Error::Shape("buffers of the caller's memory overlap: give a kernel one of all of it".to_owned())
}
