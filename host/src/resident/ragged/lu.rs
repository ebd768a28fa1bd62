//! The plan that factors matrices of many orders.

use super::order::Sizes;
use super::pivots::RaggedPivots;
use super::plan::RaggedPlan;
use super::table::{DeviceRagged, DeviceRaggedMut};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::operation;
use crate::resident::of;
use crate::resident::{DeviceSliceMut, Stream};
use numbers::op::Op;

/// PA = LU of matrices of many orders, as by [`LuPlan`](crate::resident::LuPlan); factors are in the arithmetic type of
/// `T`.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceRagged, DeviceRaggedMut, RaggedLuPlan};
///
/// let device = Device::best();
/// let plan = RaggedLuPlan::<f64>::new(&device, &[2, 1])?;
/// let (a, mut lu) = (device.upload(&[1.0, 2.0, 4.0, 2.0, 5.0])?, device.buffer::<f64>(5)?);
/// let (mut pivots, mut status) = (device.ragged_pivots(plan.matrices())?, device.buffer(2)?);
/// let mut to = DeviceRaggedMut::row_major(&mut lu, plan.matrices())?;
/// plan.run(&device.stream()?, &DeviceRagged::row_major(&a, plan.matrices())?, &mut to, &mut pivots, &mut status)?;
/// assert_eq!(lu.to_vec()?, [4.0, 2.0, 0.25, 1.5, 5.0]);
/// assert_eq!(pivots.to_vecs()?, [vec![1, 1], vec![0]]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type RaggedLuPlan<T> = RaggedPlan<of::Lu, T>;

impl<T: Element> RaggedPlan<of::Lu, T> {
    /// A plan for matrices of these orders.
    ///
    /// # Errors
    /// As [`LuPlan::new`](crate::resident::LuPlan::new).
    pub fn new(device: &Device, orders: &[usize]) -> Result<Self> {
        let sizes: Vec<_> = orders.iter().map(|&n| (n, 0)).collect();
        Self::of(device, operation::factor_lu::<T>(), Sizes::new(&sizes)?)
    }

    /// Enqueues the factorization: `lu` becomes U with L below its diagonal, `pivots` the sequential interchanges.
    /// `status` is in the plan's order.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if anything is not of the plan's sizes, there are fewer statuses, or
    /// anything is of another device.
    pub fn run<'s>(
        &self,
        stream: &Stream,
        a: &DeviceRagged<'_, T>,
        lu: &mut DeviceRaggedMut<'_, T::Scalar>,
        pivots: &mut RaggedPivots,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        self.enqueue(stream, Op::None, &[a.into(), (&*lu).into(), (&*pivots).into(), status.into().into()])
    }
}

impl<T: Element<Scalar = T>> RaggedPlan<of::Lu, T> {
    /// As [`Self::run`], the factors in the place of the matrices.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_in_place<'s>(
        &self,
        stream: &Stream,
        a: &mut DeviceRaggedMut<'_, T>,
        pivots: &mut RaggedPivots,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        self.enqueue(stream, Op::None, &[(&*a).into(), (&*a).into(), (&*pivots).into(), status.into().into()])
    }
}
