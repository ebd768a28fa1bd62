//! Where Cholesky factors are kept: where they were made.

use std::sync::OnceLock;

use numbers::scalar::Scalar;

use crate::backend::Memory;
use crate::call::{Call, Chunk, Handle};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::launch::Launcher;
use crate::layout::{Layout, product};
use crate::matrices::Matrices;
use crate::ops::factors::{quiet, room_on_machine};
use kernels_cpu::fresh::Fresh;

/// Factors of a batch.
#[derive(Debug)]
pub(super) enum Kept<S> {
    /// In host memory: shape (batch, n, n).
    Host(Matrices<S>),
    Machine(MachineFactors<S>),
}

/// Factors in the memory of the device's machines, and on the host once they are asked for.
#[derive(Debug)]
pub(super) struct MachineFactors<S> {
    /// Those of each of the [`Device::ranges`] of the batch.
    parts: Vec<Part>,
    host: OnceLock<Matrices<S>>,
}

/// The factors of a range of a batch, in the memory of one machine.
#[derive(Debug)]
struct Part {
    l: Memory,      // shape (range, n, n)
    status: Memory, // shape (range)
}

impl<S: Element + Scalar> MachineFactors<S> {
    /// Room on the device, or `None` where the factors are kept on the host: on the CPU, or where they do not fit.
    pub(super) fn new(device: &Device, batch: usize, n: usize) -> Result<Option<Self>> {
        if !device.has_own_memory() || n == 0 || batch == 0 {
            return Ok(None);
        }
        let each = product(&[n, n, size_of::<S>()])?;
        let mut parts = Vec::new();
        for (backend, range) in device.ranges(batch) {
            let bytes = [product(&[range.len(), each])?, product(&[range.len(), 4])?];
            let room = room_on_machine(backend, device.memory_limit, each, bytes);
            match room.map_err(|error| device.blame(backend, error))? {
                Some([l, status]) => parts.push(Part { l, status }),
                None => return Ok(None),
            }
        }
        Ok(Some(Self { parts, host: OnceLock::new() }))
    }

    /// The same memory, for other factors.
    pub(super) fn emptied(self) -> Self {
        Self { host: OnceLock::new(), ..self }
    }

    /// Bytes of a machine's memory, at most.
    fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.l.len() + part.status.len()).max().unwrap_or(0)
    }

    /// A call on them, of which each machine does its own.
    fn call<'a>(&self, device: &'a Device, batch: usize) -> Call<'a> {
        let mut call = Call::new(device, batch);
        call.divide();
        call.reserve(self.bytes());
        call
    }

    /// They, with their statuses, as the next ports of a call.
    pub(super) fn ports<'a>(&'a self, call: &mut Call<'a>, n: usize, layout: Layout) {
        self.factor_port(call, n, layout);
        let starts = self.parts.iter().map(|part| part.status.address());
        // SAFETY: the memory holds the ranges of the batch, and is borrowed as long as the call lives.
        unsafe { call.resident::<i32>(starts, (1, 1), Layout::column_major(1, 1)) };
    }

    /// They alone.
    pub(super) fn factor_port<'a>(&'a self, call: &mut Call<'a>, n: usize, layout: Layout) {
        call.reserve(self.bytes());
        // SAFETY: the memory holds the ranges of the batch, and is borrowed as long as the call lives.
        unsafe { call.resident::<S>(self.parts.iter().map(|part| part.l.address()), (n, n), layout) };
    }

    /// The factors on the host, brought over by the first who asks.
    pub(super) fn host(&self, device: &Device, batch: usize, n: usize, layout: Layout) -> Result<&Matrices<S>> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let mut l = Fresh::<S>::new(product(&[batch, n, n])?)?;
        let device = quiet(device);
        let mut call = self.call(&device, batch);
        let port = call.fresh(&mut l, n, n, layout);
        call.copy(&|launcher, chunk| {
            chunk.copy(launcher, port, (&self.parts[chunk.machine].l, 0), n * n * size_of::<S>(), true)
        })?;
        // SAFETY: the call has written them.
        let host = Matrices::new(unsafe { l.written() }, batch, n, n, layout);
        Ok(self.host.get_or_init(|| host))
    }

    /// Fills them from the host.
    pub(super) fn fill(&self, device: &Device, host: &Matrices<S>, codes: &[i32]) -> Result<()> {
        let (n, batch) = (host.rows, host.batch);
        let device = quiet(device);
        let mut call = self.call(&device, batch);
        let l = call.elements(&host.data, n, n, host.layout);
        let status = call.values_in(codes, 1);
        call.copy(&|launcher, chunk| {
            chunk.copy(launcher, l, (&self.parts[chunk.machine].l, 0), n * n * size_of::<S>(), false)?;
            self.keep_status(launcher, chunk, status)
        })
    }

    /// Enqueues a copy of a chunk's statuses, which leave by `port`, to where they are kept.
    pub(super) fn keep_status(&self, launcher: &Launcher<'_>, chunk: &Chunk<'_>, port: Handle<i32>) -> Result<()> {
        chunk.copy(launcher, port, (&self.parts[chunk.machine].status, 0), size_of::<i32>(), false)
    }
}
