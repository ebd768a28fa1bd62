//! Ordered queues of work, and marks in them.

use std::slice;
use std::time::Instant;

use simt::cpu;

use super::memory::Memory;
use crate::cuda;
use crate::error::{Error, Result};

/// Bytes that the emulator copies or fills at a time.
const SIM_COPY: usize = 1 << 20;

/// An ordered queue of work.
#[derive(Debug)]
pub(crate) enum Queue {
    /// The CPU and the emulator work at once.
    Host,
    Cuda(cuda::Stream),
}

/// A mark in a queue.
#[derive(Debug)]
pub(crate) enum Event {
    Host(Instant),
    Cuda(cuda::Event),
}

impl Queue {
    /// Copies host bytes to a machine's memory.
    ///
    /// # Safety
    /// `from` holds `bytes` bytes, which stay as they are until the queue has copied them.
    pub(crate) unsafe fn upload(&self, to: &Memory, offset: usize, from: *const u8, bytes: usize) -> Result<()> {
        to.check(offset, bytes)?;
        match (to, self) {
            (Memory::Host(_) | Memory::Foreign { .. }, Self::Host) => {
                // SAFETY: in range; host memory whose owner lets it be written now.
                unsafe { host(to.address(), offset).copy_from(from, bytes) };
                Ok(())
            }
            (Memory::Sim(buffer), Self::Host) => {
                // SAFETY: the caller's promise.
                let from = unsafe { slice::from_raw_parts(from, bytes) };
                buffer.write(offset, from).map_err(out_of_range)
            }
            // SAFETY: in range; the rest is the caller's promise.
            (Memory::Cuda(_) | Memory::Foreign { .. }, Self::Cuda(stream)) => unsafe {
                Ok(stream.upload(to.address() + offset as u64, from, bytes)?)
            },
            _ => Err(foreign()),
        }
    }

    /// Copies a machine's memory to host bytes, which are complete when the queue has got there.
    ///
    /// # Safety
    /// `to` has room for `bytes` bytes, which nobody else touches until the queue has copied them.
    pub(crate) unsafe fn download(&self, from: &Memory, offset: usize, to: *mut u8, bytes: usize) -> Result<()> {
        from.check(offset, bytes)?;
        match (from, self) {
            (Memory::Host(_) | Memory::Foreign { .. }, Self::Host) => {
                // SAFETY: in range; host memory whose owner lets it be read now.
                unsafe { to.copy_from(host(from.address(), offset), bytes) };
                Ok(())
            }
            (Memory::Sim(buffer), Self::Host) => {
                // SAFETY: the caller's promise; what it points at are plain bytes.
                let to = unsafe { slice::from_raw_parts_mut(to, bytes) };
                buffer.read(offset, to).map_err(out_of_range)
            }
            // SAFETY: in range; the rest is the caller's promise.
            (Memory::Cuda(_) | Memory::Foreign { .. }, Self::Cuda(stream)) => unsafe {
                Ok(stream.download(to, from.address() + offset as u64, bytes)?)
            },
            _ => Err(foreign()),
        }
    }

    /// Copies bytes within the machine's memory; the ranges must not overlap.
    pub(crate) fn copy(&self, from: (&Memory, usize), to: (&Memory, usize), bytes: usize) -> Result<()> {
        let ((from, from_offset), (to, to_offset)) = (from, to);
        from.check(from_offset, bytes)?;
        to.check(to_offset, bytes)?;
        let (source, target) = (from.address() + from_offset as u64, to.address() + to_offset as u64);
        if source.abs_diff(target) < bytes as u64 {
            return Err(Error::Shape("a copy must not overlap itself".to_owned()));
        }
        match (from, to, self) {
            (Memory::Sim(from), Memory::Sim(to), Self::Host) => {
                let mut part = vec![0; bytes.min(SIM_COPY)];
                for done in (0..bytes).step_by(SIM_COPY) {
                    let part = &mut part[..SIM_COPY.min(bytes - done)];
                    from.read(from_offset + done, part).map_err(out_of_range)?;
                    to.write(to_offset + done, part).map_err(out_of_range)?;
                }
                Ok(())
            }
            (Memory::Host(_) | Memory::Foreign { .. }, Memory::Host(_) | Memory::Foreign { .. }, Self::Host) => {
                // SAFETY: in range, apart, and host memory.
                unsafe { host(target, 0).copy_from_nonoverlapping(host(source, 0), bytes) };
                Ok(())
            }
            (
                Memory::Cuda(_) | Memory::Foreign { .. },
                Memory::Cuda(_) | Memory::Foreign { .. },
                Self::Cuda(stream),
            ) => {
                // SAFETY: in range, and apart.
                unsafe { Ok(stream.copy(source, target, bytes)?) }
            }
            _ => Err(foreign()),
        }
    }

    /// Sets bytes of the machine's memory.
    pub(crate) fn fill(&self, memory: &Memory, offset: usize, byte: u8, bytes: usize) -> Result<()> {
        memory.check(offset, bytes)?;
        match (memory, self) {
            (Memory::Sim(buffer), Self::Host) => {
                let part = vec![byte; bytes.min(SIM_COPY)];
                for done in (0..bytes).step_by(SIM_COPY) {
                    buffer.write(offset + done, &part[..SIM_COPY.min(bytes - done)]).map_err(out_of_range)?;
                }
                Ok(())
            }
            (Memory::Host(_) | Memory::Foreign { .. }, Self::Host) => {
                // SAFETY: in range; host memory whose owner lets it be written now.
                unsafe { host(memory.address(), offset).write_bytes(byte, bytes) };
                Ok(())
            }
            // SAFETY: in range.
            (Memory::Cuda(_) | Memory::Foreign { .. }, Self::Cuda(stream)) => unsafe {
                Ok(stream.fill(memory.address() + offset as u64, byte, bytes)?)
            },
            _ => Err(foreign()),
        }
    }

    /// Waits until all its work is done.
    pub(crate) fn synchronize(&self) -> Result<()> {
        match self {
            Self::Host => Ok(()),
            Self::Cuda(stream) => Ok(stream.synchronize()?),
        }
    }

    /// Sets the mark behind the work that is in the queue by now.
    pub(crate) fn record(&self, event: &mut Event) -> Result<()> {
        match (self, event) {
            (Self::Host, Event::Host(at)) => {
                *at = Instant::now();
                Ok(())
            }
            (Self::Cuda(stream), Event::Cuda(event)) => Ok(stream.record(event)?),
            _ => Err(foreign()),
        }
    }

    /// Has the queue's further work wait for the mark.
    pub(crate) fn wait(&self, event: &Event) -> Result<()> {
        match (self, event) {
            (Self::Host, Event::Host(_)) => Ok(()),
            (Self::Cuda(stream), Event::Cuda(event)) => Ok(stream.wait(event)?),
            _ => Err(foreign()),
        }
    }
}

impl Event {
    /// Waits until the mark is reached.
    pub(crate) fn synchronize(&self) -> Result<()> {
        match self {
            Self::Host(_) => Ok(()),
            Self::Cuda(event) => Ok(event.synchronize()?),
        }
    }

    /// Whether the mark is reached.
    pub(crate) fn query(&self) -> Result<bool> {
        match self {
            Self::Host(_) => Ok(true),
            Self::Cuda(event) => Ok(event.query()?),
        }
    }

    /// Seconds from another mark to this one, which is waited for.
    pub(crate) fn seconds_since(&self, start: &Self) -> Result<f64> {
        match (self, start) {
            (Self::Host(end), Self::Host(start)) => Ok(end.saturating_duration_since(*start).as_secs_f64()),
            (Self::Cuda(end), Self::Cuda(start)) => {
                end.synchronize()?;
                Ok(f64::from(end.elapsed_ms(start)?) / 1000.0)
            }
            _ => Err(foreign()),
        }
    }
}

/// The error of a stream, a buffer or a plan of another device.
pub(crate) fn foreign() -> Error {
    Error::Shape(
        "the stream, the buffers and the plan must be of one device, but these are of different ones: make them all \
         with the same Device"
            .to_owned(),
    )
}

/// The host's pointer to an address of its own memory.
fn host(address: u64, offset: usize) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize + offset)
}

pub(super) fn out_of_range(error: cpu::OutOfRange) -> Error {
    Error::Shape(error.to_string())
}
