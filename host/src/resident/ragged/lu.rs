//! The plan that factors matrices of many orders.

use super::order::{RaggedSizes, Sizes};
use super::pivots::RaggedPivots;
use super::plan::RaggedPlan;
use super::table::{DeviceRagged, DeviceRaggedMut};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::operation;
use crate::resident::{DeviceSliceMut, Stream};
use numbers::op::Op;
use std::marker::PhantomData;

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
/// let mut to = DeviceRaggedMut::c_order(&mut lu, plan.matrices())?;
/// plan.run(&device.stream()?, &DeviceRagged::c_order(&a, plan.matrices())?, &mut to, &mut pivots, &mut status)?;
/// assert_eq!(lu.to_vec()?, [4.0, 2.0, 0.25, 1.5, 5.0]);
/// assert_eq!(pivots.to_vecs()?, [vec![1, 1], vec![0]]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct RaggedLuPlan<T: Element>(RaggedPlan, PhantomData<fn() -> T>);

impl<T: Element> RaggedLuPlan<T> {
    /// A plan for matrices of these orders.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedLuPlan;
    /// let plan = RaggedLuPlan::<f64>::new(&Device::cpu(), &[1, 2, 9])?;
    /// # let _ = plan;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`LuPlan::new`](crate::resident::LuPlan::new).
    pub fn new(device: &Device, orders: &[usize]) -> Result<Self> {
        let sizes: Vec<_> = orders.iter().map(|&n| (n, 0)).collect();
        let plan = RaggedPlan::new(device, operation::factor_lu::<T>(), Sizes::new(&sizes)?)?;
        Ok(Self(plan, PhantomData))
    }

    /// The sizes of its matrices and factors.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedLuPlan;
    /// let plan = RaggedLuPlan::<f64>::new(&Device::cpu(), &[2, 9, 2])?;
    /// assert_eq!(plan.matrices().batch(), 3);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn matrices(&self) -> &RaggedSizes {
        &self.0.sizes.matrices
    }

    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedLuPlan;
    /// let plan = RaggedLuPlan::<f64>::new(&Device::sim(), &[1, 2, 9])?;
    /// assert!(!plan.kernels().is_empty());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        self.0.kernels()
    }

    /// Bytes of device memory that it works in.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedLuPlan;
    /// let plan = RaggedLuPlan::<f64>::new(&Device::cpu(), &[1, 2, 9])?;
    /// println!("{} bytes of memory to work in", plan.bytes());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
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
        self.0.run(stream, Op::None, &[a.into(), (&*lu).into(), (&*pivots).into(), status.into().into()])
    }
}

impl<T: Element<Scalar = T>> RaggedLuPlan<T> {
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
        self.0.run(stream, Op::None, &[(&*a).into(), (&*a).into(), (&*pivots).into(), status.into().into()])
    }
}
