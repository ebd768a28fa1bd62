//! Copies and fills, in streams.

use std::ops::Range;
use std::{ptr, slice};

use crate::border::{Outcome, fault};
use crate::codes::{CAPTURE_UNSUPPORTED, INVALID_VALUE};
use crate::entering::driver;
use crate::memory::Kind;
use crate::notes::HostCopy;
use crate::state::State;
use crate::table::Handle;
use crate::work::Work;

impl State {
    /// Memory of a device, or a fault.
    fn device_range(&self, start: u64, len: usize) -> Outcome<Range<usize>> {
        let start = start as usize;
        let range = start..start.checked_add(len).ok_or(INVALID_VALUE)?;
        match self.memory.around(&range)? {
            Some(block) if block.kind == Kind::Device => Ok(range),
            _ => Err(fault(INVALID_VALUE, format!("{len} bytes outside every allocation of a device"))),
        }
    }

    /// Whether memory of the host is pinned or registered.
    fn is_locked(&self, start: usize, len: usize) -> Outcome<bool> {
        let range = start..start.checked_add(len).ok_or(INVALID_VALUE)?;
        match self.memory.around(&range)? {
            None => Ok(false),
            Some(block) if block.kind == Kind::Device => Err(fault(INVALID_VALUE, "a device's memory, as the host's")),
            Some(_) => Ok(true),
        }
    }

    fn upload(&mut self, to: u64, from: usize, len: usize, stream: Handle) -> Outcome {
        let stream = self.stream(stream)?;
        let to = self.device_range(to, len)?.start;
        let locked = self.is_locked(from, len)?;
        self.note(stream, HostCopy { host: from, len, to_device: true, locked })?;
        let work = if locked {
            Work::Copy { to, from, len }
        } else {
            // SAFETY: the caller's memory, which is read before the call returns.
            let bytes = unsafe { slice::from_raw_parts(ptr::with_exposed_provenance::<u8>(from), len) };
            Work::Upload { to, bytes: bytes.to_vec() }
        };
        self.queue(stream, work).map(|_| ())
    }

    fn download(&mut self, to: usize, from: u64, len: usize, stream: Handle) -> Outcome {
        let stream = self.stream(stream)?;
        let from = self.device_range(from, len)?.start;
        let locked = self.is_locked(to, len)?;
        self.note(stream, HostCopy { host: to, len, to_device: false, locked })?;
        let place = self.queue(stream, Work::Copy { to, from, len })?;
        if !locked {
            // Such a copy is done when the call returns.
            self.run(stream, place);
        }
        Ok(())
    }

    /// Notes a copy. No capture takes one of pageable memory.
    fn note(&mut self, stream: Handle, copy: HostCopy) -> Outcome {
        self.notes.copy(copy);
        match self.streams.get(stream)?.capture {
            Some(_) if !copy.locked => Err(CAPTURE_UNSUPPORTED.into()),
            _ => Ok(()),
        }
    }

    fn fill(&mut self, at: u64, byte: u8, len: usize, stream: Handle) -> Outcome<(Handle, u64)> {
        let stream = self.stream(stream)?;
        let at = self.device_range(at, len)?.start;
        Ok((stream, self.queue(stream, Work::Fill { at, byte, len })?))
    }
}

driver! {
    fn cuMemcpyHtoDAsync_v2(to: u64, from: usize, len: usize, stream: Handle) |state| {
        state.upload(to, from, len, stream)
    };

    fn cuMemcpyDtoHAsync_v2(to: usize, from: u64, len: usize, stream: Handle) |state| {
        state.download(to, from, len, stream)
    };

    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, len: usize, stream: Handle) |state| {
        let stream = state.stream(stream)?;
        let (to, from) = (state.device_range(to, len)?.start, state.device_range(from, len)?.start);
        if to.abs_diff(from) < len {
            state.notes.fault(format!("a copy of {len} bytes overlaps itself"));
        }
        state.queue(stream, Work::Copy { to, from, len }).map(|_| ())
    };

    fn cuMemsetD8Async(at: u64, byte: u8, len: usize, stream: Handle) |state| {
        state.fill(at, byte, len, stream).map(|_| ())
    };

    fn cuMemsetD8_v2(at: u64, byte: u8, len: usize) |state| {
        state.refuse_in_capture()?;
        let (stream, place) = state.fill(at, byte, len, 0)?;
        state.run(stream, place);
        Ok(())
    };
}
