//! A worker: it copies chunks to the machine and results back, through page-locked slots that it keeps.
//!
//! For each chunk it fills a slot from the caller's memory, which the machine uploads, has the work enqueued, and has
//! the result downloaded to the next slot. Before a slot is used again, what it still holds goes to the caller. So
//! while the machine copies and computes one chunk, the worker copies the next in and the last one out.

use crate::backend::{Backend, Holds, Lane, Memory, Slot, Worker};
use crate::error::Result;
use crate::launch::Launcher;

use super::chunk::Chunk;
use super::image::Part;
use super::job::{Arrays, Job};
use super::place::{Place, Port};

/// Makes lanes with at least so much machine memory each, where they are missing.
pub(super) fn make_lanes(worker: &mut Worker, backend: &Backend, lanes: usize, bytes: usize) -> Result<()> {
    for lane in worker.lanes.iter_mut().take(lanes) {
        if lane.memory.len() < bytes {
            // The old memory is freed first: both might not fit.
            lane.memory = Memory::Foreign { address: 0, len: 0 };
            lane.memory = backend.allocate(bytes)?;
        }
    }
    while worker.lanes.len() < lanes {
        worker.lanes.push(Lane { memory: backend.allocate(bytes)?, queue: backend.queue()? });
    }
    Ok(())
}

impl Job<'_> {
    /// Takes chunks until there are none left, and returns the worker with nothing under way. It has its lanes.
    pub(super) fn work(&self, worker: Worker) -> Result<Worker> {
        let mut busy = Busy { worker, backend: self.backend };
        busy.make_slots(self)?;
        for lane in (0..self.scheme.lanes).cycle() {
            let Some((first, count)) = self.chunks.take(self.scheme.chunk) else { break };
            busy.start(self, lane, first, count)?;
        }
        busy.finish(self)?;
        Ok(std::mem::take(&mut busy.worker))
    }
}

/// A worker at work. Dropped after an error or a panic, it waits for what is under way, in memory of the caller
/// perhaps.
struct Busy<'a> {
    worker: Worker,
    backend: &'a Backend,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        for lane in &self.worker.lanes {
            // What fails here no longer matters.
            let _ = lane.queue.synchronize();
        }
    }
}

impl Busy<'_> {
    /// Makes slots where they are missing.
    fn make_slots(&mut self, job: &Job<'_>) -> Result<()> {
        if !job.is_staged() {
            return Ok(());
        }
        // One for what is uploaded and one for what is downloaded of each chunk beside the one that the worker is at.
        let slots = 2 * job.scheme.lanes.saturating_sub(1).max(1);
        while self.worker.slots.len() < slots {
            let (staging, mark) = (self.backend.staging(job.scheme.slot)?, self.backend.event(false)?);
            self.worker.slots.push(Slot { staging, mark, holds: Holds::Nothing });
        }
        Ok(())
    }

    /// Enqueues a chunk: copies in, work, copies out.
    fn start(&mut self, job: &Job<'_>, lane: usize, first: usize, count: usize) -> Result<()> {
        let arrays = job.arrays(count)?;
        self.upload(job, &arrays, lane, first)?;
        let Lane { memory, queue } = &self.worker.lanes[lane];
        let address = memory.address();
        let [mut inputs, mut outputs, mut direct] = [0; 3];
        let mut addresses = Vec::with_capacity(job.ports.len());
        for port in job.ports {
            if let Some(address) = port.place.stays_at(job.machine, first) {
                addresses.push(address);
                continue;
            }
            let (image, index) = match port.place {
                Place::Feed(_) => (&arrays.inputs, &mut inputs),
                Place::Drain(_) => (&arrays.outputs, &mut outputs),
                _ => (&arrays.direct, &mut direct),
            };
            addresses.push(address + image.offset(*index) as u64);
            *index += 1;
        }
        for (port, &to) in job.ports.iter().zip(&addresses) {
            if let Place::DirectIn(span) = port.place {
                let (bytes, offset) = (count * port.each, (to - address) as usize);
                // SAFETY: the call borrows the memory until all queues are waited for.
                unsafe { queue.upload(memory, offset, span.at(first * port.each, bytes), bytes)? };
            }
        }
        let room = job.space.room(address + arrays.room as u64, count as u64);
        let launcher = Launcher { backend: self.backend, queue };
        let (machine, offset) = (job.machine, first - job.chunks.range.start);
        let chunk = Chunk {
            machine,
            offset,
            count: count as u64,
            addresses: &addresses,
            ports: job.ports,
            memory: Some(memory),
            room,
            room_memory: Some(memory),
        };
        (job.enqueue)(&launcher, &chunk)?;
        for (port, &from) in job.ports.iter().zip(&addresses) {
            if let Place::DirectOut(span) = port.place {
                let (bytes, offset) = (count * port.each, (from - address) as usize);
                // SAFETY: as above, and no other chunk is written there.
                unsafe { queue.download(memory, offset, span.at(first * port.each, bytes), bytes)? };
            }
        }
        self.download(job, &arrays, lane, first, count)
    }

    /// Copies a chunk's inputs to slots, and has them uploaded.
    fn upload(&mut self, job: &Job<'_>, arrays: &Arrays, lane: usize, first: usize) -> Result<()> {
        for piece in arrays.inputs.pieces(job.scheme.slot) {
            let index = self.free_slot(job)?;
            let (slot, lane) = (&mut self.worker.slots[index], &self.worker.lanes[lane]);
            let staging = slot.staging.as_mut_slice();
            for Part { array, bytes, at } in arrays.inputs.parts(piece.clone()) {
                if let Some(Port { each, place: Place::Feed(feed), .. }) = job.of(Job::is_input).nth(array) {
                    feed.read(first * each + bytes.start, &mut staging[at..at + bytes.len()])?;
                }
            }
            slot.holds = Holds::Input;
            // SAFETY: the slot stays as it is until its mark is waited for.
            unsafe { lane.queue.upload(&lane.memory, piece.start, slot.staging.as_slice().as_ptr(), piece.len())? };
            lane.queue.record(&mut slot.mark)?;
        }
        Ok(())
    }

    /// Has a chunk's outputs downloaded to slots.
    fn download(&mut self, job: &Job<'_>, arrays: &Arrays, lane: usize, first: usize, count: usize) -> Result<()> {
        let mut pieces = arrays.outputs.pieces(job.scheme.slot).peekable();
        if pieces.peek().is_none() {
            // Nothing comes by way of slots; the chunk is as good as done.
            job.device.finished(count);
        }
        while let Some(piece) = pieces.next() {
            let index = self.free_slot(job)?;
            let (slot, lane) = (&mut self.worker.slots[index], &self.worker.lanes[lane]);
            let is_last = pieces.peek().is_none();
            slot.holds = Holds::Output { first, count, piece: piece.clone(), is_last };
            let to = slot.staging.as_mut_slice().as_mut_ptr();
            // SAFETY: the slot is left alone until its mark is waited for.
            unsafe { lane.queue.download(&lane.memory, piece.start, to, piece.len())? };
            lane.queue.record(&mut slot.mark)?;
        }
        Ok(())
    }

    /// The slot that has been in use the longest, emptied.
    fn free_slot(&mut self, job: &Job<'_>) -> Result<usize> {
        let index = self.worker.next_slot % self.worker.slots.len();
        self.worker.next_slot = index + 1;
        let slot = &mut self.worker.slots[index];
        if !matches!(slot.holds, Holds::Nothing) {
            slot.mark.synchronize()?;
            empty(slot, job)?;
        }
        Ok(index)
    }

    /// Waits for all that is under way, and hands over what slots still hold.
    fn finish(&mut self, job: &Job<'_>) -> Result<()> {
        for lane in self.worker.lanes.iter().take(job.scheme.lanes) {
            lane.queue.synchronize()?;
        }
        let Worker { slots, next_slot, .. } = &mut self.worker;
        let (newer, older) = slots.split_at_mut(*next_slot);
        older.iter_mut().chain(newer).try_for_each(|slot| empty(slot, job))
    }
}

/// Hands over what a slot holds, once that has come.
fn empty(slot: &mut Slot, job: &Job<'_>) -> Result<()> {
    let Holds::Output { first, count, piece, is_last } = std::mem::replace(&mut slot.holds, Holds::Nothing) else {
        return Ok(());
    };
    for Part { array, bytes, at } in job.arrays(count)?.outputs.parts(piece) {
        if let Some(Port { each, place: Place::Drain(drain), .. }) = job.of(Job::is_output).nth(array) {
            drain.write(first * each + bytes.start, &slot.staging.as_slice()[at..at + bytes.len()])?;
        }
    }
    if is_last {
        job.device.finished(count);
    }
    Ok(())
}
