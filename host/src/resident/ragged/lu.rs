//! The plan that factors matrices of many orders.

use numbers::factors::Factors;
use std::sync::Arc;

use numbers::matrix::Matrices;

use super::order::{RaggedSizes, Sizes};
use super::pivots::RaggedPivots;
use super::plan::RaggedPlan;
use super::table::{DeviceRagged, DeviceRaggedMut};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::launch::cast;
use crate::resident::uses::{Access, Allocation};
use crate::resident::{DeviceSliceMut, Stream};
use crate::route;

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
pub struct RaggedLuPlan<T: Element>(RaggedPlan<route::Lu<T>>);

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
        RaggedPlan::new(device, Sizes::new(&sizes)?, |device, n, _, space| route::Lu::new(device, n, space)).map(Self)
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
        self.0.kernels(route::Lu::kernels)
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
        let (a, to) = (a.table(), lu.table());
        let matrices = (a.expect(self.matrices(), "a")?, to.expect(self.matrices(), "lu")?);
        let uses = [a.uses(Access::Read), to.uses(Access::Write)].concat();
        self.factor(stream, (&matrices.0, &matrices.1), pivots, &uses, status.into())
    }

    fn factor(
        &self,
        stream: &Stream,
        (a, lu): (&[Matrices<T>], &[Matrices<T::Scalar>]),
        pivots: &mut RaggedPivots,
        uses: &[(&Arc<Allocation>, Access)],
        status: DeviceSliceMut<'_, i32>,
    ) -> Result<()> {
        let (status, sizes) = (status.inner(), self.matrices());
        status.global_of(sizes.batch(), "status")?;
        let interchanges = pivots.expect(sizes)?;
        let uses = [uses, &[(pivots.allocation(), Access::Write)]].concat();
        self.0.run(stream, &uses, &status, |launcher, run| {
            let (group, status) = (run.group, sizes.part_of(&status, run.group)?);
            let factors = Factors { lu: lu[group], pivots: interchanges[group], status };
            // SAFETY: all are of these sizes and of this machine, apart by their borrows; buffers outlive the work on
            // them.
            unsafe { run.route.enqueue(launcher, run.count, a[group], factors, run.room) }
        })
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
        let a = a.table();
        let lu = a.expect(self.matrices(), "a")?;
        let from: Vec<Matrices<T>> = lu.iter().map(|&lu| cast(lu)).collect();
        self.factor(stream, (&from, &lu), pivots, &a.uses(Access::Write), status.into())
    }
}
