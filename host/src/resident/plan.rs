//! What all plans have: a route, the memory that it works in, and the sizes that it is for.

use std::sync::{Arc, Mutex, PoisonError};

use super::batch::Placed;
use super::buffer::DeviceBuffer;
use super::slice::DeviceSlice;
use super::stream::Stream;
use super::uses::{Access, Allocation};
use crate::backend::{Backend, Memory, foreign};
use crate::device::{Device, Single};
use crate::error::{Error, Result};
use crate::launch::Launcher;
use crate::layout::product;
use crate::route::{Room, Space, problem};

/// A route, and the memory that it works in.
#[derive(Debug)]
pub(super) struct Plan<R> {
    pub(super) route: R,
    backend: Backend,
    space: Space,
    room: DeviceBuffer<u8>,
    /// Taken by who enqueues work in the room, which streams of several threads share.
    turn: Mutex<()>,
    pub(super) n: usize,
    pub(super) rhs: usize,
    /// Matrices at most.
    batch: usize,
}

impl<R> Plan<R> {
    pub(super) fn new(
        device: &Device,
        (n, rhs): (usize, usize),
        batch: usize,
        route: impl FnOnce(&Single, &mut Space) -> Result<R>,
    ) -> Result<Self> {
        problem(n, rhs)?;
        // So many matrices must be possible, whatever the device.
        product(&[batch, n.max(1), n.max(rhs).max(1), 16])?;
        let mut space = Space::default();
        let single = device.single()?;
        let route = route(&single, &mut space)?;
        let room = device.buffer(if space.each() == 0 { 0 } else { space.bytes(batch)? })?;
        Ok(Self { route, backend: single.backend, space, room, turn: Mutex::new(()), n, rhs, batch })
    }

    /// Bytes of device memory that it works in.
    pub(super) fn bytes(&self) -> usize {
        self.room.len()
    }

    /// What it works in.
    pub(super) fn memory(&self) -> &Memory {
        &self.room.allocation.memory
    }

    /// Checks a number of matrices.
    pub(super) fn matrices(&self, batch: usize) -> Result<()> {
        if batch <= self.batch {
            return Ok(());
        }
        Err(Error::Shape(format!(
            "the plan is for at most {} matrices, not for {batch}: make a larger one",
            self.batch
        )))
    }

    /// Has the stream wait for others' work on what is used, all of which must be of the plan's device; then
    /// `enqueue`s.
    pub(super) fn run(
        &self,
        stream: &Stream,
        batch: usize,
        uses: &[(&Arc<Allocation>, Access)],
        enqueue: impl FnOnce(&Launcher<'_>, u64, Room<'_>) -> Result<()>,
    ) -> Result<()> {
        let work = stream.work();
        if !work.backend.is(&self.backend) || uses.iter().any(|(own, _)| !own.backend.is(&self.backend)) {
            return Err(foreign());
        }
        if batch == 0 {
            return Ok(());
        }
        let _own_turn = (!self.room.is_empty()).then(|| self.turn.lock().unwrap_or_else(PoisonError::into_inner));
        let _turn = work.turn();
        let room = (!self.room.is_empty()).then_some((&self.room.allocation, Access::Write));
        for (allocation, access) in uses.iter().copied().chain(room) {
            allocation.enter(work, access)?;
        }
        let launcher = Launcher { backend: &self.backend, queue: &work.queue };
        enqueue(&launcher, batch as u64, self.space.room(self.room.address(), batch as u64))
    }
}

/// Reading a batch.
pub(super) fn read<'a, T: simt::Pod>(batch: &Placed<'a, T>) -> (&'a Arc<Allocation>, Access) {
    (batch.allocation, Access::Read)
}

/// Writing a batch.
pub(super) fn write<'a, T: simt::Pod>(batch: &Placed<'a, T>) -> (&'a Arc<Allocation>, Access) {
    (batch.allocation, Access::Write)
}

/// The statuses of matrices of order 0, which are well.
pub(super) fn all_well(launcher: &Launcher<'_>, status: &DeviceSlice<'_, i32>, batch: u64) -> Result<()> {
    launcher.queue.fill(status.memory(), status.byte_offset(), 0, size_of::<i32>() * batch as usize)
}
