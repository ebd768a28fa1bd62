//! The plan that solves systems of many sizes.

use super::order::Sizes;
use super::plan::RaggedPlan;
use super::table::{DeviceRagged, DeviceRaggedMut};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::operation;
use crate::resident::of;
use crate::resident::{DeviceSliceMut, Stream};
use numbers::op::Op;

/// A X = B for matrices of many orders and right-hand sides of any number, as by
/// [`SolvePlan`](crate::resident::SolvePlan).
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceRagged, DeviceRaggedMut, RaggedSolvePlan};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let plan = RaggedSolvePlan::<f64>::new(&device, &[(1, 2), (2, 1)])?; // orders, and numbers of right-hand sides
/// let (a, mut b) = (device.upload(&[4.0, 2.0, 1.0, 1.0, 1.0])?, device.upload(&[4.0, 8.0, 3.0, 2.0])?);
/// let mut status = device.buffer(2)?;
///
/// let a = DeviceRagged::row_major(&a, plan.matrices())?;
/// plan.run_in_place(&stream, &a, &mut DeviceRaggedMut::row_major(&mut b, plan.sides())?, &mut status)?;
/// stream.synchronize()?;
/// assert_eq!(b.to_vec()?, [1.0, 2.0, 1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type RaggedSolvePlan<T> = RaggedPlan<of::Solve, T>;

impl<T: Element> RaggedPlan<of::Solve, T> {
    /// A plan for matrices with these orders and numbers of right-hand sides.
    ///
    /// # Errors
    /// As [`SolvePlan::new`](crate::resident::SolvePlan::new).
    pub fn new(device: &Device, sizes: &[(usize, usize)]) -> Result<Self> {
        Self::of(device, operation::solve::<T>(), Sizes::new(sizes)?)
    }

    /// Enqueues the solution; x is all NaN where its status is not 0. `status` is in the plan's order.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if anything is not of the plan's sizes, there are fewer statuses, or
    /// anything is of another device.
    pub fn run<'s>(
        &self,
        stream: &Stream,
        a: &DeviceRagged<'_, T>,
        b: &DeviceRagged<'_, T>,
        x: &mut DeviceRaggedMut<'_, T>,
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
        a: &DeviceRagged<'_, T>,
        b: &mut DeviceRaggedMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        self.enqueue(stream, Op::None, &[a.into(), (&*b).into(), (&*b).into(), status.into().into()])
    }
}
