//! Kernels of the caller's, where there is no GPU.

use std::slice;

use simt::cpu;

use super::memory::Memory;
use super::queue::out_of_range;
use super::{Backend, foreign};
use crate::error::{Error, Result};

impl Backend {
    /// Runs a kernel's function in the emulator. A machine that is one has the memory for it; the CPU's is copied to an
    /// emulator's under the same addresses, and what the kernel writes comes back if it does nothing wrong.
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
                cpu::run(&sim.emulator.memory, &launch, body).map(drop).map_err(Error::Kernel)
            }
            // SAFETY: the caller's promise.
            Self::Cpu => unsafe { on_copies(&launch, memories, body) },
            Self::Cuda(_) => Err(foreign()),
        }
    }
}

/// Runs a kernel on copies of host memories.
///
/// # Safety
/// As for [`Backend::emulate`] on the CPU.
unsafe fn on_copies(launch: &cpu::Launch<'_>, memories: &[(&Memory, bool)], body: impl Fn() + Sync) -> Result<()> {
    let memory = cpu::Memory::new();
    let mut copies: Vec<(cpu::Buffer, bool)> = Vec::new();
    for &(own, is_written) in memories.iter().filter(|(own, _)| own.len() > 0) {
        let is_same = |copy: &cpu::Buffer| (copy.address(), copy.len()) == (own.address(), own.len());
        if let Some((_, known)) = copies.iter_mut().find(|(copy, _)| is_same(copy)) {
            *known |= is_written;
            continue;
        }
        let copy = memory.allocate_at(own.address(), own.len()).ok_or_else(overlap)?;
        // SAFETY: the caller's promise.
        let bytes = unsafe { slice::from_raw_parts(host(&copy), own.len()) };
        copy.write(0, bytes).map_err(out_of_range)?;
        copies.push((copy, is_written));
    }
    cpu::run(&memory, launch, body).map_err(Error::Kernel)?;
    for (copy, _) in copies.iter().filter(|(_, is_written)| *is_written) {
        // SAFETY: the caller's promise.
        let bytes = unsafe { slice::from_raw_parts_mut(host(copy), copy.len()) };
        copy.read(0, bytes).map_err(out_of_range)?;
    }
    Ok(())
}

/// What is copied: it has the copy's address.
fn host(copy: &cpu::Buffer) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(copy.address() as usize)
}

fn overlap() -> Error {
    Error::Shape("buffers of the caller's memory overlap: give a kernel one of all of it".to_owned())
}
