//! Where Cholesky factors are kept: where they were made.

use std::sync::OnceLock;

use kernels_gpu::numbers::scalar::Scalar;

use crate::backend::Memory;
use crate::call::{Call, Chunk, Handle};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::fresh::Fresh;
use crate::launch::{CholeskyFactors, Launcher};
use crate::layout::{Layout, product};
use crate::matrices::Matrices;
use crate::ops::factors::{quiet, room_on_device};
use crate::route::Space;

/// Factors of a batch.
#[derive(Debug)]
pub(super) enum Kept<S> {
    /// In host memory: shape (batch, n, n).
    Host(Matrices<S>),
    Machine(MachineFactors<S>),
}

/// Factors in the memory of a machine, and on the host once they are asked for.
#[derive(Debug)]
pub(super) struct MachineFactors<S> {
    l: Memory,      // shape (batch, n, n)
    status: Memory, // shape (batch)
    host: OnceLock<Matrices<S>>,
}

/// The ports of factors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CholeskyPorts<S> {
    pub(crate) l: Handle<S>,
    pub(crate) status: Handle<i32>,
}

impl<S: Scalar> CholeskyPorts<S> {
    /// The factors of a chunk.
    pub(crate) fn of(&self, chunk: &Chunk<'_>) -> CholeskyFactors<S> {
        CholeskyFactors { l: chunk.matrices(self.l), status: chunk.values(self.status) }
    }
}

impl<S: Element + Scalar> MachineFactors<S> {
    /// Room on the device, or `None` where the factors are kept on the host: on the CPU, or where they do not fit.
    pub(super) fn new(device: &Device, batch: usize, n: usize) -> Result<Option<Self>> {
        let each = product(&[n, n, size_of::<S>()])?;
        let memory = room_on_device(device, each, [product(&[batch, each])?, product(&[batch, 4])?])?;
        Ok(memory.map(|[l, status]| Self { l, status, host: OnceLock::new() }))
    }

    /// The same memory, for other factors.
    pub(super) fn emptied(self) -> Self {
        Self { host: OnceLock::new(), ..self }
    }

    pub(super) fn bytes(&self) -> usize {
        self.l.len() + self.status.len()
    }

    /// The factors on the host, brought over by the first who asks.
    pub(super) fn host(&self, device: &Device, batch: usize, n: usize, layout: Layout) -> Result<&Matrices<S>> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let mut l = Fresh::<S>::new(product(&[batch, n, n])?)?;
        let device = quiet(device);
        let mut call = Call::new(&device, batch);
        call.reserve(self.bytes());
        let port = call.fresh(&mut l, n, n, layout);
        call.run(&Space::default(), |launcher, chunk| {
            chunk.copy(launcher, port, (&self.l, 0), n * n * size_of::<S>(), true)
        })?;
        // SAFETY: the call has written them.
        let host = Matrices::new(unsafe { l.written() }, batch, n, n, layout);
        Ok(self.host.get_or_init(|| host))
    }

    /// Fills them from the host.
    pub(super) fn fill(&self, device: &Device, host: &Matrices<S>, codes: &[i32]) -> Result<()> {
        let (n, batch) = (host.rows, host.batch);
        let device = quiet(device);
        let mut call = Call::new(&device, batch);
        call.reserve(self.bytes());
        let l = call.elements(&host.data, n, n, host.layout);
        let status = call.values_in(codes, 1);
        call.run(&Space::default(), |launcher, chunk| {
            chunk.copy(launcher, l, (&self.l, 0), n * n * size_of::<S>(), false)?;
            self.keep_status(launcher, chunk, status)
        })
    }

    /// Enqueues a copy of a chunk's statuses, which leave by `port`, to where they are kept.
    pub(super) fn keep_status(&self, launcher: &Launcher<'_>, chunk: &Chunk<'_>, port: Handle<i32>) -> Result<()> {
        chunk.copy(launcher, port, (&self.status, 0), size_of::<i32>(), false)
    }
}

/// Factors in a machine's memory as ports.
pub(super) fn machine_ports<'a, S: Element + Scalar>(
    call: &mut Call<'a>,
    machine: &'a MachineFactors<S>,
    layout: Layout,
) -> CholeskyPorts<S> {
    // SAFETY: the memory holds the whole batch, and is borrowed as long as the call lives.
    unsafe {
        CholeskyPorts {
            l: call.resident(machine.l.address(), layout),
            status: call.resident(machine.status.address(), Layout::column_major(1, 1)),
        }
    }
}
