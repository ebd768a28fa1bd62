//! The plan that inverts.

use super::batch::{DeviceBatch, DeviceBatchMut};
use super::plan::{Plan, of};
use super::slice::DeviceSliceMut;
use super::stream::Stream;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::operation::{self, Size};
use numbers::op::Op;

/// A^-1 by LU with partial pivoting, or by the device's algorithm. Where one kernel inverts matrices of this order, the
/// plan has no memory of its own (16-bit types: the matrices in f32).
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan};
///
/// let device = Device::best();
/// let stream = device.stream()?;
/// let (a, mut inverse) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.buffer::<f64>(4)?);
/// let mut status = device.buffer(1)?;
/// let plan = InversePlan::<f64>::new(&device, 2, 1)?;
/// let mut to = DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?;
/// plan.run(&stream, &DeviceBatch::row_major(&a, 1, 2, 2)?, &mut to, &mut status)?;
/// assert_eq!(inverse.to_vec()?, [1.0, -1.0, -1.0, 2.0]);
///
/// // In place:
/// plan.run_in_place(&stream, &mut DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?, &mut status)?;
/// assert_eq!(inverse.to_vec()?, [2.0, 1.0, 1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type InversePlan<T> = Plan<of::Inverse, T>;

impl<T: Element> Plan<of::Inverse, T> {
    /// A plan for at most `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where the device's algorithm does not invert; the driver's
    /// errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        Self::of(device, operation::invert::<T>(), Size::order(n), batch)
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
        self.enqueue(stream, Op::None, &[a.into(), (&*inverse).into(), status.into().into()])
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
        self.enqueue(stream, Op::None, &[(&*a).into(), (&*a).into(), status.into().into()])
    }
}
