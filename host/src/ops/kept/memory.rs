//! Where factors are kept: where they were made.

use std::sync::OnceLock;

use numbers::scalar::Scalar;

use crate::backend::{Backend, Memory};
use crate::call::{Call, Chunk, Handle};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::launch::Launcher;
use crate::layout::{Layout, product};
use crate::matrices::Matrices;
use kernels_cpu::fresh::Fresh;

/// Factors of a batch.
#[derive(Debug)]
pub(in crate::ops) enum Kept<S> {
    Host(HostFactors<S>),
    Machine(MachineFactors<S>),
}

/// Factors in host memory.
#[derive(Debug)]
pub(in crate::ops) struct HostFactors<S> {
    pub(in crate::ops) factors: Matrices<S>, // shape (batch, n, n)
    pub(in crate::ops) pivots: Vec<u32>,     // shape (batch, n); of Cholesky factors none
}

/// Factors in the memory of the device's machines, and on the host once they are asked for.
#[derive(Debug)]
pub(in crate::ops) struct MachineFactors<S> {
    /// Those of each of the [`Device::ranges`] of the batch.
    parts: Vec<Part>,
    host: OnceLock<HostFactors<S>>,
}

/// The factors of a range of a batch, in the memory of one machine.
#[derive(Debug)]
struct Part {
    factors: Memory,        // shape (range, n, n)
    status: Memory,         // shape (range)
    pivots: Option<Memory>, // shape (range, n)
}

impl<S: Element + Scalar> Kept<S> {
    /// Bytes of the machine's memory that they take.
    pub(super) fn machine_bytes(&self) -> usize {
        match self {
            Self::Host(_) => 0,
            Self::Machine(machine) => machine.bytes(),
        }
    }
}

impl Part {
    /// Room for the factors of `batch` matrices, or `None` where they do not fit. `each` are the bytes of a matrix.
    fn new(
        backend: &Backend,
        limit: Option<usize>,
        (batch, n, each): (usize, usize, usize),
        has_pivots: bool,
    ) -> Result<Option<Self>> {
        let sizes = [product(&[batch, each])?, product(&[batch, 4])?, product(&[batch, n, 4])?];
        let memory = room_on_machine(backend, limit, each, &sizes[..2 + usize::from(has_pivots)])?;
        let of = |mut memory: Vec<Memory>| {
            let pivots = has_pivots.then(|| memory.pop()).flatten();
            let (status, factors) = (memory.pop()?, memory.pop()?);
            Some(Self { factors, status, pivots })
        };
        Ok(memory.and_then(of))
    }

    fn bytes(&self) -> usize {
        self.factors.len() + self.status.len() + self.pivots.as_ref().map_or(0, Memory::len)
    }

    /// Enqueues a copy of a chunk's interchanges, if there are any, from or to a port.
    fn copy_pivots(
        &self,
        launcher: &Launcher<'_>,
        chunk: &Chunk<'_>,
        port: Option<Handle>,
        n: usize,
        to_port: bool,
    ) -> Result<()> {
        let (Some(pivots), Some(port)) = (&self.pivots, port) else { return Ok(()) };
        chunk.copy(launcher, port, (pivots, 0), size_of::<u32>() * n, to_port)
    }
}

impl<S: Element + Scalar> MachineFactors<S> {
    /// Room on the device, or `None` where the factors are kept on the host: on the CPU, or where they do not fit.
    pub(super) fn new(device: &Device, batch: usize, n: usize, has_pivots: bool) -> Result<Option<Self>> {
        if !device.has_own_memory() || n == 0 || batch == 0 {
            return Ok(None);
        }
        let each = product(&[n, n, size_of::<S>()])?;
        let mut parts = Vec::new();
        for (backend, range) in device.ranges(batch) {
            let part = Part::new(backend, device.memory_limit, (range.len(), n, each), has_pivots);
            match part.map_err(|error| device.blame(backend, error))? {
                Some(part) => parts.push(part),
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
        self.parts.iter().map(Part::bytes).max().unwrap_or(0)
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
        self.factor_ports(call, n, layout);
        let starts = self.parts.iter().map(|part| part.status.address());
        // SAFETY: the memory holds the ranges of the batch, and is borrowed as long as the call lives.
        unsafe { call.resident::<i32>(starts, (1, 1), Layout::column_major(1, 1)) };
    }

    /// They alone.
    pub(super) fn factor_ports<'a>(&'a self, call: &mut Call<'a>, n: usize, layout: Layout) {
        call.reserve(self.bytes());
        // SAFETY: the memory holds the ranges of the batch, and is borrowed as long as the call lives.
        unsafe {
            call.resident::<S>(self.parts.iter().map(|part| part.factors.address()), (n, n), layout);
            if self.has_pivots() {
                let starts = self.parts.iter().filter_map(|part| part.pivots.as_ref()).map(Memory::address);
                call.resident::<u32>(starts, (n, 1), Layout::column_major(n, 1));
            }
        }
    }

    fn has_pivots(&self) -> bool {
        self.parts.iter().all(|part| part.pivots.is_some())
    }

    /// The factors on the host, brought over by the first who asks.
    pub(super) fn host(&self, device: &Device, batch: usize, n: usize, layout: Layout) -> Result<&HostFactors<S>> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let mut factors = Fresh::<S>::new(product(&[batch, n, n])?)?;
        let mut pivots = Fresh::<u32>::new(if self.has_pivots() { product(&[batch, n])? } else { 0 })?;
        let device = quiet(device);
        let mut call = self.call(&device, batch);
        let to = call.fresh(&mut factors, n, n, layout);
        let pivots_to = self.has_pivots().then(|| call.fresh(&mut pivots, n, 1, Layout::column_major(n, 1)));
        call.copy(&|launcher, chunk| {
            let part = &self.parts[chunk.machine];
            chunk.copy(launcher, to, (&part.factors, 0), n * n * size_of::<S>(), true)?;
            part.copy_pivots(launcher, chunk, pivots_to, n, true)
        })?;
        // SAFETY: the call has written both.
        let (factors, pivots) = unsafe { (factors.written(), pivots.written()) };
        let host = HostFactors { factors: Matrices::new(factors, batch, n, n, layout), pivots };
        Ok(self.host.get_or_init(|| host))
    }

    /// Fills them from the host.
    pub(super) fn fill(&self, device: &Device, host: &HostFactors<S>, codes: &[i32]) -> Result<()> {
        let HostFactors { factors, pivots } = host;
        let (n, batch) = (factors.rows, factors.batch);
        let device = quiet(device);
        let mut call = self.call(&device, batch);
        let from = call.elements(&factors.data, n, n, factors.layout);
        let pivots_from = self.has_pivots().then(|| call.values_in(pivots, n));
        let status = call.values_in(codes, 1);
        call.copy(&|launcher, chunk| {
            let part = &self.parts[chunk.machine];
            chunk.copy(launcher, from, (&part.factors, 0), n * n * size_of::<S>(), false)?;
            part.copy_pivots(launcher, chunk, pivots_from, n, false)?;
            self.keep_status(launcher, chunk, status)
        })
    }

    /// Enqueues a copy of a chunk's statuses, which leave by `port`, to where they are kept.
    pub(super) fn keep_status(&self, launcher: &Launcher<'_>, chunk: &Chunk<'_>, port: Handle) -> Result<()> {
        chunk.copy(launcher, port, (&self.parts[chunk.machine].status, 0), size_of::<i32>(), false)
    }
}

/// Memory on a machine for factors, of which those of a matrix take `each` bytes, or `None` where they do not fit.
fn room_on_machine(
    backend: &Backend,
    limit: Option<usize>,
    each: usize,
    bytes: &[usize],
) -> Result<Option<Vec<Memory>>> {
    let budget = match limit {
        Some(limit) => limit,
        None => backend.memory_budget()?,
    };
    // What calls bring along needs a quarter, and that is a matrix at least: on its way in and out, and to work in.
    let all = bytes.iter().fold(0, |sum: usize, &bytes| sum.saturating_add(bytes));
    let rest = budget.saturating_sub(all);
    if rest < (budget / 4).max(each.saturating_mul(4)) {
        return Ok(None);
    }
    if let (Some(limit), Some(pool)) = (limit, backend.pool()) {
        pool.shrink(limit.saturating_sub(all));
    }
    let allocated: Result<Vec<_>> = bytes.iter().map(|&bytes| backend.allocate(bytes)).collect();
    match allocated {
        Ok(memory) => Ok(Some(memory)),
        // Others may have taken it meanwhile.
        Err(error) if error.is_out_of_memory() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The device, for work that finishes no matrix.
pub(crate) fn quiet(device: &Device) -> Device {
    let mut quiet = device.clone();
    quiet.progress = None;
    quiet
}
