//! The plan that inverts.

use super::batch::{DeviceBatch, DeviceBatchMut};
use super::plan::{Plan, all_well, read, write};
use super::slice::DeviceSliceMut;
use super::stream::Stream;
use super::uses::{Access, Allocation};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::route;
use kernels_gpu::memory::matrix::Matrices;
use std::sync::Arc;

/// A^-1 by LU with partial pivoting, or by the device's algorithm. Where one kernel inverts matrices of this order, the
/// plan has no memory of its own (16-bit types: the matrices in f32).
#[derive(Debug)]
pub struct InversePlan<T: Element>(Plan<route::Inverse<T>>);

impl<T: Element> InversePlan<T> {
    /// A plan for at most `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where the device's algorithm does not invert; the driver's
    /// errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        Plan::new(device, (n, 1), batch, |device, space| route::Inverse::new(device, n, space)).map(Self)
    }

    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        self.0.route.kernels()
    }

    /// Bytes of device memory that it works in.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Enqueues the inversion; the inverse is all NaN where the status is not 0.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's order or of more matrices, or anything is
    /// of another device.
    pub fn run<'s>(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        inverse: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (a, to, n) = (a.placed(), inverse.placed(), self.0.n);
        let matrices = (a.expect(a.batch, n, n, "a")?, to.expect(a.batch, n, n, "inverse")?);
        self.invert(stream, a.batch, matrices, &[read(a), write(to)], status.into())
    }

    /// As [`Self::run`], each inverse in the place of its matrix.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_in_place<'s>(
        &self,
        stream: &Stream,
        a: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let a = a.placed();
        let matrices = a.expect(a.batch, self.0.n, self.0.n, "a")?;
        self.invert(stream, a.batch, (matrices, matrices), &[write(a)], status.into())
    }

    fn invert(
        &self,
        stream: &Stream,
        batch: usize,
        (a, inverse): (Matrices<T>, Matrices<T>),
        uses: &[(&Arc<Allocation>, Access)],
        status: DeviceSliceMut<'_, i32>,
    ) -> Result<()> {
        self.0.matrices(batch)?;
        let status = status.inner();
        let codes = status.global_of(batch, "status")?;
        let uses = [uses, &[(status.allocation, Access::Write)]].concat();
        self.0.run(stream, batch, &uses, |launcher, count, room| {
            if self.0.n == 0 {
                return all_well(launcher, &status, count);
            }
            // SAFETY: all are of these sizes and of this machine, apart by their borrows; buffers outlive the work on
            // them.
            unsafe { self.0.route.enqueue(launcher, count, a, inverse, codes, room) }
        })
    }
}
