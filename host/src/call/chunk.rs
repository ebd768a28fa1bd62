//! What work is enqueued on: a range of the batch, whose arrays handles find.

use numbers::matrix::Matrices;
use simt::global::Global;

use crate::backend::Memory;
use crate::error::Result;
use crate::launch::{Launcher, matrices_at};
use crate::operation::Operands;
use crate::route::Room;

use super::place::{Place, Port};

/// A port of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle(pub(super) usize);

/// A range of the batch, where it is worked on.
pub(crate) struct Chunk<'c> {
    /// Which of the device's machines works on it.
    pub(crate) machine: usize,
    /// The first matrix, counted from the first of those that this machine may get.
    pub(super) offset: usize,
    /// Matrices in it.
    pub(crate) count: u64,
    /// Of each port: where it is, and how it lies.
    pub(super) addresses: &'c [u64],
    pub(super) ports: &'c [Port<'c>],
    /// What the ports that are copied are in; none on the CPU, where none is.
    pub(super) memory: Option<&'c Memory>,
    /// What the route works in.
    pub(crate) room: Room<'c>,
    /// What the room is in; none where there is no room.
    pub(crate) room_memory: Option<&'c Memory>,
}

impl Operands for Chunk<'_> {
    fn at(&self, number: usize) -> Matrices<u8> {
        let (port, address) = (&self.ports[number], self.addresses[number]);
        match port.place {
            Place::Addresses(_) => {
                // SAFETY: the addresses of the chunk's matrices, which the port has.
                let pointers = unsafe { Global::new(address) };
                Matrices { pointers, ..matrices_at(0, port.layout) }
            }
            _ => matrices_at(address, port.layout),
        }
    }
}

impl Chunk<'_> {
    /// Enqueues a copy of this chunk between a port and machine memory that from an offset on holds all matrices that
    /// the machine may get, `each` bytes a matrix.
    pub(crate) fn copy(
        &self,
        launcher: &Launcher<'_>,
        port: Handle,
        (whole, offset): (&Memory, usize),
        each: usize,
        to_port: bool,
    ) -> Result<()> {
        let Some(memory) = self.memory else { return Ok(()) };
        let own = (memory, (self.addresses[port.0] - memory.address()) as usize);
        let (whole, bytes) = ((whole, offset + self.offset * each), self.count as usize * each);
        let (from, to) = if to_port { (whole, own) } else { (own, whole) };
        launcher.queue.copy(from, to, bytes)
    }
}
