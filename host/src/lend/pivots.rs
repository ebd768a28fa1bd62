//! Where pivots go.

use super::{Lent, Sizes, Values};
use crate::error::Result;
use crate::out_of_core::SinkBatch;
use crate::pinned::PinnedBuffer;

/// Where the row interchanges of a batch go: a slice, those of one matrix after those of the other, or a sink that takes
/// them as matrices (batch, n, 1). Of any other vector give `&mut pivots[..]`.
///
/// ```
/// use warplu::{Batch, BatchMut, Device};
/// let (mut factors, mut pivots) = ([0.0; 4], vec![0; 2]);
/// let a = Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?;
/// Device::cpu().lu_into(&a, &mut BatchMut::row_major(&mut factors, 1, 2, 2)?, &mut pivots)?.check()?;
/// assert_eq!(pivots, [1, 1]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub struct PivotsMut<'a>(To<'a>);

enum To<'a> {
    Slice(&'a mut [u32]),
    Sink(SinkBatch<'a, u32>),
}

impl<'a> From<&'a mut [u32]> for PivotsMut<'a> {
    fn from(slice: &'a mut [u32]) -> Self {
        Self(To::Slice(slice))
    }
}

impl<'a> From<&'a mut Vec<u32>> for PivotsMut<'a> {
    fn from(all: &'a mut Vec<u32>) -> Self {
        Self(To::Slice(all))
    }
}

impl<'a, const N: usize> From<&'a mut [u32; N]> for PivotsMut<'a> {
    fn from(all: &'a mut [u32; N]) -> Self {
        Self(To::Slice(all))
    }
}

impl<'a> From<&'a mut PinnedBuffer<u32>> for PivotsMut<'a> {
    fn from(all: &'a mut PinnedBuffer<u32>) -> Self {
        Self(To::Slice(all))
    }
}

impl<'a> From<SinkBatch<'a, u32>> for PivotsMut<'a> {
    fn from(sink: SinkBatch<'a, u32>) -> Self {
        Self(To::Sink(sink))
    }
}

impl PivotsMut<'_> {
    /// Lends them beside matrices.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a slice is not as long as the matrices have rows; what the work returns.
    pub(crate) fn lend<R>(self, matrices: Sizes<'_>, work: impl FnOnce(Lent<'_>) -> Result<R>) -> Result<R> {
        match self.0 {
            To::Slice(slice) => work(Lent::write(&mut Values::rows(slice, matrices, "pivots")?)),
            To::Sink(mut sink) => work(Lent::write(&mut sink)),
        }
    }
}
