//! Where LU factors are kept: where they were made.

use std::sync::OnceLock;

use kernels_gpu::numbers::scalar::Scalar;

use crate::backend::Memory;
use crate::call::{Call, Chunk, Handle};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::fresh::Fresh;
use crate::launch::{self, Launcher};
use crate::layout::{Layout, product};
use crate::matrices::Matrices;
use crate::route::Space;

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

/// Factors in the memory of a machine, and on the host once they are asked for.
#[derive(Debug)]
pub(super) struct MachineFactors<S> {
    pub(super) lu: Memory,     // shape (batch, n, n)
    pub(super) pivots: Memory, // shape (batch, n)
    pub(super) status: Memory, // shape (batch)
    host: OnceLock<HostFactors<S>>,
}

/// The ports of factors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactorPorts<S> {
    pub(crate) lu: Handle<S>,
    pub(crate) pivots: Handle<u32>,
    pub(crate) status: Handle<i32>,
}

impl<S: Scalar> FactorPorts<S> {
    /// The factors of a chunk.
    pub(crate) fn of(&self, chunk: &Chunk<'_>) -> launch::Factors<S> {
        launch::Factors {
            lu: chunk.matrices(self.lu),
            pivots: chunk.values(self.pivots),
            status: chunk.values(self.status),
        }
    }
}

impl<S: Element + Scalar> MachineFactors<S> {
    /// Room on the device, or `None` where the factors are kept on the host: on the CPU, or where they do not fit.
    pub(super) fn new(device: &Device, batch: usize, n: usize) -> Result<Option<Self>> {
        let (each, pivots) = (product(&[n, n, size_of::<S>()])?, product(&[batch, n, 4])?);
        let bytes = [product(&[batch, each])?, pivots, product(&[batch, 4])?];
        let memory = room_on_device(device, each, bytes)?;
        Ok(memory.map(|[lu, pivots, status]| Self { lu, pivots, status, host: OnceLock::new() }))
    }

    /// The same memory, for other factors.
    pub(super) fn emptied(self) -> Self {
        Self { host: OnceLock::new(), ..self }
    }

    pub(super) fn bytes(&self) -> usize {
        self.lu.len() + self.pivots.len() + self.status.len()
    }

    /// The factors on the host, brought over by the first who asks.
    pub(super) fn host(&self, device: &Device, batch: usize, n: usize, layout: Layout) -> Result<&HostFactors<S>> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let mut lu = Fresh::<S>::new(product(&[batch, n, n])?)?;
        let mut pivots = Fresh::<u32>::new(product(&[batch, n])?)?;
        let device = quiet(device);
        let mut call = Call::new(&device, batch);
        call.reserve(self.bytes());
        let ports = (call.fresh(&mut lu, n, n, layout), call.fresh(&mut pivots, n, 1, Layout::column_major(n, 1)));
        call.run(&Space::default(), |launcher, chunk| {
            chunk.copy(launcher, ports.0, (&self.lu, 0), n * n * size_of::<S>(), true)?;
            chunk.copy(launcher, ports.1, (&self.pivots, 0), 4 * n, true)
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
        let mut call = Call::new(&device, batch);
        call.reserve(self.bytes());
        let lu = call.elements(&host.lu.data, n, n, host.lu.layout);
        let pivots = call.values_in(&host.pivots, n);
        let status = call.values_in(codes, 1);
        call.run(&Space::default(), |launcher, chunk| {
            chunk.copy(launcher, lu, (&self.lu, 0), n * n * size_of::<S>(), false)?;
            chunk.copy(launcher, pivots, (&self.pivots, 0), 4 * n, false)?;
            self.keep_status(launcher, chunk, status)
        })
    }

    /// Enqueues a copy of a chunk's statuses, which leave by `port`, to where they are kept.
    pub(super) fn keep_status(&self, launcher: &Launcher<'_>, chunk: &Chunk<'_>, port: Handle<i32>) -> Result<()> {
        chunk.copy(launcher, port, (&self.status, 0), size_of::<i32>(), false)
    }
}

/// Memory on the device for factors, of which those of a matrix take `each` bytes, or `None` where they are kept on the
/// host: on the CPU, or where they do not fit.
pub(super) fn room_on_device<const K: usize>(
    device: &Device,
    each: usize,
    bytes: [usize; K],
) -> Result<Option<[Memory; K]>> {
    let backend = &device.backend;
    if !backend.has_own_memory() || bytes.contains(&0) {
        return Ok(None);
    }
    let budget = match device.memory_limit {
        Some(limit) => limit,
        None => backend.memory_budget()?,
    };
    // What calls bring along needs a quarter, and that is a matrix at least: on its way in and out, and to work in.
    let all = bytes.iter().fold(0, |sum: usize, &bytes| sum.saturating_add(bytes));
    let rest = budget.saturating_sub(all);
    if rest < (budget / 4).max(each.saturating_mul(4)) {
        return Ok(None);
    }
    if let (Some(limit), Some(pool)) = (device.memory_limit, backend.pool()) {
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
    Device { progress: None, ..device.clone() }
}

/// Factors in a machine's memory as ports.
pub(super) fn machine_ports<'a, S: Element + Scalar>(
    call: &mut Call<'a>,
    machine: &'a MachineFactors<S>,
    n: usize,
    layout: Layout,
) -> FactorPorts<S> {
    // SAFETY: the memory holds the whole batch, and is borrowed as long as the call lives.
    unsafe {
        FactorPorts {
            lu: call.resident(machine.lu.address(), layout),
            pivots: call.resident(machine.pivots.address(), Layout::column_major(n, 1)),
            status: call.resident(machine.status.address(), Layout::column_major(1, 1)),
        }
    }
}
