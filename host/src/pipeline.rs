//! Batches from host memory through a device, chunk by chunk: while one chunk is computed, others are copied.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::machine::{Machine, Memory, Staging};
use crate::resident::Stream;

/// Chunks in flight at a time, where there is more than one.
const SLOTS: usize = 2;
/// Bytes of a chunk beyond which larger ones gain nothing, and smaller ones start overlapping sooner.
const CHUNK_BYTES: usize = 128 << 20;

/// What goes to the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    /// All matrices' bytes.
    pub(crate) bytes: &'a [u8],
    /// Bytes of a matrix.
    pub(crate) each: usize,
}

/// What comes from the device.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    /// All matrices' bytes.
    pub(crate) bytes: &'a mut [u8],
    /// Bytes of a matrix.
    pub(crate) each: usize,
}

/// Runs a batch through a machine.
///
/// `plan` makes what a chunk of that many matrices needs on the device, `scratch_each` bytes a matrix. `run` enqueues the
/// work of a chunk: it gets the plan, the stream, the number of matrices, and the addresses of inputs and outputs.
pub(crate) fn run<P>(
    device: &Device,
    batch: usize,
    scratch_each: usize,
    inputs: &[Input<'_>],
    outputs: &mut [Output<'_>],
    plan: impl Fn(usize) -> Result<P>,
    run: impl Fn(&P, &Stream, usize, &[u64], &[u64]) -> Result<()>,
) -> Result<()> {
    if batch == 0 {
        return Ok(());
    }
    let machine = device.machine()?;
    let io_each: usize = inputs.iter().map(|i| i.each).sum::<usize>() + outputs.iter().map(|o| o.each).sum::<usize>();
    let budget = match device.memory_limit {
        Some(limit) => limit,
        None => machine.memory_budget()?,
    };
    let chunk = chunk_size(batch, io_each + scratch_each, budget)?;

    let slots = if chunk < batch { SLOTS } else { 1 };
    let mut slots = (0..slots).map(|_| Slot::new(device, chunk, inputs, outputs, &plan)).collect::<Result<Vec<_>>>()?;
    for first in (0..batch).step_by(chunk) {
        // The first slot holds the oldest chunk.
        slots[0].finish(device, outputs)?;
        slots[0].start(machine, first, chunk.min(batch - first), inputs, &run)?;
        slots.rotate_left(1);
    }
    slots.iter_mut().try_for_each(|slot| slot.finish(device, outputs))
}

/// Matrices of a chunk of which two fit into the budget, or the whole batch.
fn chunk_size(batch: usize, each: usize, budget: usize) -> Result<usize> {
    let each = each.max(1);
    if each > budget {
        return Err(Error::Memory { needed: each, available: budget });
    }
    let fit = if batch.saturating_mul(each) <= budget.min(CHUNK_BYTES) { batch } else { budget / each / SLOTS };
    Ok(fit.min(CHUNK_BYTES / each).max(1).min(batch))
}

/// The memory, the stream and the plan of a chunk in flight.
struct Slot<P> {
    stream: Stream,
    plan: P,
    inputs: Vec<(Memory, Staging)>,
    outputs: Vec<(Memory, Staging)>,
    /// First matrix and number of matrices of the chunk in flight.
    busy: Option<(usize, usize)>,
}

impl<P> Slot<P> {
    fn new(
        device: &Device,
        chunk: usize,
        inputs: &[Input<'_>],
        outputs: &[Output<'_>],
        plan: &impl Fn(usize) -> Result<P>,
    ) -> Result<Self> {
        let machine = device.machine()?;
        let memory = |each: usize| {
            let bytes = (chunk * each).max(1);
            Ok((machine.allocate(bytes)?, machine.staging(bytes)?))
        };
        Ok(Self {
            stream: device.stream()?,
            plan: plan(chunk)?,
            inputs: inputs.iter().map(|i| memory(i.each)).collect::<Result<_>>()?,
            outputs: outputs.iter().map(|o| memory(o.each)).collect::<Result<_>>()?,
            busy: None,
        })
    }

    /// Enqueues a chunk: copies in, work, copies out.
    fn start(
        &mut self,
        machine: &Machine,
        first: usize,
        count: usize,
        inputs: &[Input<'_>],
        run: &impl Fn(&P, &Stream, usize, &[u64], &[u64]) -> Result<()>,
    ) -> Result<()> {
        self.busy = Some((first, count));
        let queue = &self.stream.queue;
        for ((memory, staging), input) in self.inputs.iter_mut().zip(inputs) {
            let bytes = count * input.each;
            staging.as_mut_slice()[..bytes].copy_from_slice(&input.bytes[first * input.each..][..bytes]);
            // SAFETY: the slot keeps the staging until `finish` or `drop` has waited.
            unsafe { machine.upload(queue, memory, 0, &staging.as_slice()[..bytes])? };
        }
        let addresses = |slots: &[(Memory, Staging)]| slots.iter().map(|(m, _)| m.address()).collect::<Vec<_>>();
        run(&self.plan, &self.stream, count, &addresses(&self.inputs), &addresses(&self.outputs))?;
        for (memory, staging) in &mut self.outputs {
            let bytes = memory.len();
            // SAFETY: as above.
            unsafe { machine.download(queue, memory, 0, &mut staging.as_mut_slice()[..bytes])? };
        }
        Ok(())
    }

    /// Waits for the chunk in flight and hands its results over.
    fn finish(&mut self, device: &Device, outputs: &mut [Output<'_>]) -> Result<()> {
        let Some((first, count)) = self.busy.take() else { return Ok(()) };
        self.stream.synchronize()?;
        for ((_, staging), output) in self.outputs.iter().zip(outputs) {
            let bytes = count * output.each;
            output.bytes[first * output.each..][..bytes].copy_from_slice(&staging.as_slice()[..bytes]);
        }
        device.finished(count);
        Ok(())
    }
}

impl<P> Drop for Slot<P> {
    fn drop(&mut self) {
        // After an error work may still be under way in the staging memory; what it meets no longer matters.
        let _ = self.stream.synchronize();
    }
}
