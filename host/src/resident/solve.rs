//! The plan that solves.

use super::batch::{DeviceBatch, DeviceBatchMut};
use super::plan::{Plan, of};
use super::slice::DeviceSliceMut;
use super::stream::Stream;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::operation::{self, Size};
use numbers::op::Op;

/// A X = B by LU with partial pivoting (LAPACK `xGESV`), or by the device's algorithm. Where one kernel solves systems
/// of this size, the plan has memory for the upper triangles at most (16-bit types: and for matrices and right-hand
/// sides in f32).
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, SolvePlan};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let (a, mut b) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.upload(&[3.0, 2.0])?);
/// let mut status = device.buffer(1)?;
/// let plan = SolvePlan::<f64>::new(&device, 2, 1, 1)?;
/// let (a, mut x) = (DeviceBatch::row_major(&a, 1, 2, 2)?, DeviceBatchMut::row_major(&mut b, 1, 2, 1)?);
/// plan.run_in_place(&stream, &a, &mut x, &mut status)?;
/// stream.synchronize()?;
/// assert_eq!(b.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type SolvePlan<T> = Plan<of::Solve, T>;

impl<T: Element> Plan<of::Solve, T> {
    /// A plan for at most `batch` matrices of order `n` with `rhs` right-hand sides each.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where the device's algorithm does not solve; the driver's
    /// errors.
    pub fn new(device: &Device, n: usize, batch: usize, rhs: usize) -> Result<Self> {
        Self::of(device, operation::solve::<T>(), Size { n, rhs }, batch)
    }

    /// Enqueues the solution: x, n x rhs, is all NaN where the status is not 0.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's sizes or of more matrices, or anything is
    /// of another device.
    pub fn run<'s>(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        b: &DeviceBatch<'_, T>,
        x: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        self.enqueue(stream, Op::None, &[a.into(), b.into(), (&*x).into(), status.into().into()])
    }

    /// As [`Self::run`], each solution in the place of its right-hand sides.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_in_place<'s>(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        b: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        self.enqueue(stream, Op::None, &[a.into(), (&*b).into(), (&*b).into(), status.into().into()])
    }
}
