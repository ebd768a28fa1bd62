//! The results of matrices of order 0: determinants are 1, and statuses well.

use std::sync::Arc;

use super::bound::Bound;
use super::buffer::DeviceBuffer;
use super::uses::Allocation;
use crate::backend::Queue;
use crate::device::Device;
use crate::error::Result;
use crate::operation::{Access, Extent, Operand};

/// What an operand becomes.
#[derive(Debug)]
pub(super) enum Known {
    Zero,
    /// These values, which are there, so that no run waits.
    Kept(DeviceBuffer<u8>),
    /// Values of as many matrices as a run has.
    Made(fn(usize) -> Result<Vec<u8>>),
}

impl Known {
    /// Of an operand of an operation on `count` matrices, or on any number, if that is 0; none if nothing is written for a
    /// matrix.
    pub(super) fn new(device: &Device, operand: &Operand, count: usize) -> Result<Option<Self>> {
        if operand.access == Access::Read || operand.extent != Extent::One {
            return Ok(None);
        }
        Ok(Some(match operand.of_order_0 {
            None => Self::Zero,
            Some(values) if count == 0 => Self::Made(values),
            Some(values) => Self::Kept(device.upload(&values(count)?)?),
        }))
    }

    /// Memory that is read.
    pub(super) fn allocation(&self) -> Option<&Arc<Allocation>> {
        if let Self::Kept(values) = self { Some(&values.allocation) } else { None }
    }

    /// Enqueues that it is written, for matrices from the first on.
    pub(super) fn write(
        &self,
        queue: &Queue,
        operand: &Operand,
        bound: &Bound<'_>,
        (first, count): (usize, usize),
    ) -> Result<()> {
        let each = operand.element.bytes;
        let (memory, offset) = (&bound.allocation.memory, bound.offset + each * first);
        match self {
            Self::Zero => queue.fill(memory, offset, 0, each * count),
            Self::Kept(values) => queue.copy((&values.allocation.memory, 0), (memory, offset), each * count),
            Self::Made(values) => {
                let bytes = values(count)?;
                // SAFETY: the values outlive the wait.
                unsafe { queue.upload(memory, offset, bytes.as_ptr(), bytes.len())? };
                queue.synchronize()
            }
        }
    }
}
