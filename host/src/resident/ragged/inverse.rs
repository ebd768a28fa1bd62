//! The plan that inverts matrices of many orders.

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

/// A^-1 of matrices of many orders, as by [`InversePlan`](crate::resident::InversePlan).
///
/// ```
/// use warplu::{Device, Status};
/// use warplu::resident::{DeviceRagged, DeviceRaggedMut, RaggedInversePlan};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let plan = RaggedInversePlan::<f64>::new(&device, &[1, 2])?;
/// let (a, mut inverse) = (device.upload(&[4.0, 2.0, 1.0, 1.0, 1.0])?, device.buffer(5)?);
/// let mut status = device.buffer(2)?;
///
/// let a = DeviceRagged::row_major(&a, plan.matrices())?;
/// let mut out = DeviceRaggedMut::row_major(&mut inverse, plan.matrices())?;
/// plan.run(&stream, &a, &mut out, &mut status)?;
/// stream.synchronize()?;
/// assert_eq!(inverse.to_vec()?, [0.25, 1.0, -1.0, -1.0, 2.0]);
/// assert_eq!(plan.matrices().statuses(&status.to_vec()?)?, [Status::Ok; 2]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type RaggedInversePlan<T> = RaggedPlan<of::Inverse, T>;

impl<T: Element> RaggedPlan<of::Inverse, T> {
    /// A plan for matrices of these orders.
    ///
    /// # Errors
    /// As [`InversePlan::new`](crate::resident::InversePlan::new).
    pub fn new(device: &Device, orders: &[usize]) -> Result<Self> {
        let sizes: Vec<_> = orders.iter().map(|&n| (n, 0)).collect();
        Self::of(device, operation::invert::<T>(), Sizes::new(&sizes)?)
    }

    /// Enqueues the inversion; an inverse is all NaN where its status is not 0. `status` is in the plan's order.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if matrices are not of the plan's sizes, there are fewer statuses, or
    /// anything is of another device.
    pub fn run<'s>(
        &self,
        stream: &Stream,
        a: &DeviceRagged<'_, T>,
        inverse: &mut DeviceRaggedMut<'_, T>,
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
        a: &mut DeviceRaggedMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        self.enqueue(stream, Op::None, &[(&*a).into(), (&*a).into(), status.into().into()])
    }
}
