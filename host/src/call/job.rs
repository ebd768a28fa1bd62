//! What the workers of a call on one machine share, and where the arrays of a chunk are in their memory.

use crate::backend::Backend;
use crate::device::Device;
use crate::error::Result;
use crate::launch::Launcher;
use crate::route::Space;

use super::chunk::Chunk;
use super::chunks::{Chunks, Scheme};
use super::image::{ALIGNMENT, Image};
use super::place::{Place, Port};

/// Queues the work on a chunk.
pub(super) type Enqueue<'a> = &'a (dyn Fn(&Launcher<'_>, &Chunk<'_>) -> Result<()> + Sync);

/// A call as its workers see it.
pub(super) struct Job<'a> {
    pub(super) device: &'a Device,
    /// Where they work, and which of the device's machines that is.
    pub(super) backend: &'a Backend,
    pub(super) machine: usize,
    pub(super) ports: &'a [Port<'a>],
    pub(super) space: &'a Space,
    pub(super) scheme: Scheme,
    pub(super) chunks: &'a Chunks<'a>,
    pub(super) enqueue: Enqueue<'a>,
}

/// Where the arrays of a chunk of `count` matrices are in a lane's memory.
pub(super) struct Arrays {
    pub(super) inputs: Image,
    pub(super) outputs: Image,
    pub(super) direct: Image,
    pub(super) room: usize,
    pub(super) end: usize,
}

impl Job<'_> {
    pub(super) fn is_input(place: &Place<'_>) -> bool {
        matches!(place, Place::Feed(_))
    }

    pub(super) fn is_output(place: &Place<'_>) -> bool {
        matches!(place, Place::Drain(_))
    }

    pub(super) fn is_direct(place: &Place<'_>) -> bool {
        matches!(place, Place::DirectIn(_) | Place::DirectOut(_))
    }

    /// Whether anything is copied through slots.
    pub(super) fn is_staged(&self) -> bool {
        self.ports.iter().any(|port| Self::is_input(&port.place) || Self::is_output(&port.place))
    }

    /// The ports of one kind, in order.
    pub(super) fn of(&self, kind: fn(&Place<'_>) -> bool) -> impl Iterator<Item = &Port<'_>> {
        self.ports.iter().filter(move |port| kind(&port.place))
    }

    /// Bytes of machine memory for a chunk, never none.
    pub(super) fn bytes(&self) -> Result<usize> {
        Ok(self.arrays(self.scheme.chunk)?.end.max(ALIGNMENT))
    }

    pub(super) fn arrays(&self, count: usize) -> Result<Arrays> {
        let bytes = |port: &Port<'_>| count * port.each;
        let inputs = Image::new(0, self.of(Self::is_input).map(bytes));
        let outputs = Image::new(inputs.end().next_multiple_of(ALIGNMENT), self.of(Self::is_output).map(bytes));
        let staged = outputs.end().max(inputs.end()).next_multiple_of(ALIGNMENT);
        let direct = Image::new(staged, self.of(Self::is_direct).map(bytes));
        let room = direct.end().max(staged).next_multiple_of(ALIGNMENT);
        Ok(Arrays { inputs, outputs, direct, room, end: room + self.space.bytes(count)? })
    }
}
