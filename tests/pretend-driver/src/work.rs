//! Pieces of queued work: what they do, to which memory.

use std::ops::Range;

use crate::launch::Launch;
use crate::table::Handle;

/// A piece of queued work. Its addresses are of live memory: it is cancelled when that is let go.
#[derive(Clone)]
pub(crate) enum Work {
    /// A copy, either way or within a device.
    Copy { to: usize, from: usize, len: usize },
    /// A copy from pageable memory, which the driver reads at once.
    Upload { to: usize, bytes: Vec<u8> },
    /// A fill with one byte.
    Fill { at: usize, byte: u8, len: usize },
    /// A kernel.
    Launch(Launch),
    /// A mark of an event.
    Mark(Handle),
    /// Whatever of another stream is before a place of it.
    Wait { stream: Handle, place: u64 },
    /// Work whose memory is gone.
    Cancelled,
}

impl Work {
    /// The memory that it reads or writes.
    pub(crate) fn ranges(&self) -> Vec<Range<usize>> {
        let range = |start: usize, len: usize| start..start.saturating_add(len);
        match self {
            Self::Copy { to, from, len } => vec![range(*to, *len), range(*from, *len)],
            Self::Upload { to, bytes } => vec![range(*to, bytes.len())],
            Self::Fill { at, len, .. } => vec![range(*at, *len)],
            Self::Launch(launch) => launch.memory.clone(),
            Self::Mark(_) | Self::Wait { .. } | Self::Cancelled => Vec::new(),
        }
    }

    /// What it is called in a fault.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Copy { .. } | Self::Upload { .. } => "a copy".into(),
            Self::Fill { .. } => "a fill".into(),
            Self::Launch(launch) => launch.name.to_string_lossy().into_owned(),
            Self::Mark(_) | Self::Wait { .. } | Self::Cancelled => "a mark".into(),
        }
    }
}
