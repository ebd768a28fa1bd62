//! Where LU factors are kept: where they were made.

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
pub(super) enum Factors<S> {
    Host(HostFactors<S>),
    Machine(MachineFactors<S>),
}

/// Factors in host memory.
#[derive(Debug)]
pub(super) struct HostFactors<S> {
    pub(super) lu: Matrices<S>,  // shape (batch, n, n)
    pub(super) pivots: Vec<u32>, // shape (batch, n)
}

/// Factors in the memory of the device's machines, and on the host once they are asked for.
#[derive(Debug)]
pub(super) struct MachineFactors<S> {
    /// Those of each of the [`Device::ranges`] of the batch.
    parts: Vec<Part>,
    host: OnceLock<HostFactors<S>>,
}

/// The factors of a range of a batch, in the memory of one machine.
#[derive(Debug)]
struct Part {
    lu: Memory,     // shape (range, n, n)
    pivots: Memory, // shape (range, n)
    status: Memory, // shape (range)
}

impl<S: Element + Scalar> Factors<S> {
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
    fn new(backend: &Backend, limit: Option<usize>, batch: usize, n: usize, each: usize) -> Result<Option<Self>> {
        let sizes = [product(&[batch, each])?, product(&[batch, n, 4])?, product(&[batch, 4])?];
        let memory = room_on_machine(backend, limit, each, sizes)?;
        Ok(memory.map(|[lu, pivots, status]| Self { lu, pivots, status }))
    }

    fn bytes(&self) -> usize {
        self.lu.len() + self.pivots.len() + self.status.len()
    }
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
            let part = Part::new(backend, device.memory_limit, range.len(), n, each);
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
        // SAFETY: the memory holds the ranges of the batch, and is borrowed as long as the call lives.
        unsafe { call.resident::<i32>(self.starts(|part| &part.status), (1, 1), Layout::column_major(1, 1)) };
    }

    /// They alone.
    pub(super) fn factor_ports<'a>(&'a self, call: &mut Call<'a>, n: usize, layout: Layout) {
        call.reserve(self.bytes());
        // SAFETY: the memory holds the ranges of the batch, and is borrowed as long as the call lives.
        unsafe {
            call.resident::<S>(self.starts(|part| &part.lu), (n, n), layout);
            call.resident::<u32>(self.starts(|part| &part.pivots), (n, 1), Layout::column_major(n, 1));
        }
    }

    /// Where a memory of each part begins.
    fn starts(&self, memory: fn(&Part) -> &Memory) -> impl Iterator<Item = u64> {
        self.parts.iter().map(move |part| memory(part).address())
    }

    /// The factors on the host, brought over by the first who asks.
    pub(super) fn host(&self, device: &Device, batch: usize, n: usize, layout: Layout) -> Result<&HostFactors<S>> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let mut lu = Fresh::<S>::new(product(&[batch, n, n])?)?;
        let mut pivots = Fresh::<u32>::new(product(&[batch, n])?)?;
        let device = quiet(device);
        let mut call = self.call(&device, batch);
        let ports = (call.fresh(&mut lu, n, n, layout), call.fresh(&mut pivots, n, 1, Layout::column_major(n, 1)));
        call.copy(&|launcher, chunk| {
            let Part { lu, pivots, .. } = &self.parts[chunk.machine];
            chunk.copy(launcher, ports.0, (lu, 0), n * n * size_of::<S>(), true)?;
            chunk.copy(launcher, ports.1, (pivots, 0), 4 * n, true)
        })?;
        // SAFETY: the call has written both.
        let (lu, pivots) = unsafe { (lu.written(), pivots.written()) };
        let host = HostFactors { lu: Matrices::new(lu, batch, n, n, layout), pivots };
        Ok(self.host.get_or_init(|| host))
    }

    /// Fills them from the host.
    pub(super) fn fill(&self, device: &Device, host: &HostFactors<S>, codes: &[i32]) -> Result<()> {
        let (n, batch) = (host.lu.rows, host.lu.batch);
        let device = quiet(device);
        let mut call = self.call(&device, batch);
        let from = (call.elements(&host.lu.data, n, n, host.lu.layout), call.values_in(&host.pivots, n));
        let status = call.values_in(codes, 1);
        call.copy(&|launcher, chunk| {
            let Part { lu, pivots, .. } = &self.parts[chunk.machine];
            chunk.copy(launcher, from.0, (lu, 0), n * n * size_of::<S>(), false)?;
            chunk.copy(launcher, from.1, (pivots, 0), 4 * n, false)?;
            self.keep_status(launcher, chunk, status)
        })
    }

    /// Enqueues a copy of a chunk's statuses, which leave by `port`, to where they are kept.
    pub(super) fn keep_status(&self, launcher: &Launcher<'_>, chunk: &Chunk<'_>, port: Handle<i32>) -> Result<()> {
        chunk.copy(launcher, port, (&self.parts[chunk.machine].status, 0), size_of::<i32>(), false)
    }
}

/// Memory on a machine for factors, of which those of a matrix take `each` bytes, or `None` where they do not fit.
pub(super) fn room_on_machine<const K: usize>(
    backend: &Backend,
    limit: Option<usize>,
    each: usize,
    bytes: [usize; K],
) -> Result<Option<[Memory; K]>> {
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
    let allocated: Result<Vec<_>> = bytes.into_iter().map(|bytes| backend.allocate(bytes)).collect();
    match allocated {
        Ok(memory) => Ok(memory.try_into().ok()),
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
