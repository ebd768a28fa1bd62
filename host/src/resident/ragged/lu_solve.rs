//! The plan that solves from the factors of matrices of many orders.

use super::order::{RaggedSizes, Sizes};
use super::pivots::RaggedPivots;
use super::plan::RaggedPlan;
use super::table::{DeviceRagged, DeviceRaggedMut};
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::operation;
use crate::resident::{DeviceSlice, DeviceSliceMut, Stream};
use numbers::op::Op;
use std::marker::PhantomData;

/// op(A) X = B from the factors of matrices of many orders, as by [`LuSolvePlan`](crate::resident::LuSolvePlan), for B
/// and X in `T` and factors in its arithmetic type.
///
/// ```
/// use warplu::resident::{DeviceRagged, DeviceRaggedMut, RaggedLuPlan, RaggedLuSolvePlan};
/// use warplu::{Device, Op};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let (mut a, mut b) = (device.upload(&[4.0, 2.0, 1.0, 1.0, 1.0])?, device.upload(&[8.0, 3.0, 2.0])?);
/// let plan = RaggedLuPlan::<f64>::new(&device, &[1, 2])?;
/// let mut pivots = device.ragged_pivots(plan.matrices())?;
/// let (mut status, mut solved) = (device.buffer(2)?, device.buffer(2)?);
///
/// // In place: a becomes its factors, b the solutions.
/// let mut lu = DeviceRaggedMut::c_order(&mut a, plan.matrices())?;
/// plan.run_in_place(&stream, &mut lu, &mut pivots, &mut status)?;
/// let solve = RaggedLuSolvePlan::<f64>::new(&device, &[(1, 1), (2, 1)])?;
/// let lu = DeviceRagged::c_order(&a, solve.matrices())?;
/// let mut x = DeviceRaggedMut::c_order(&mut b, solve.sides())?;
/// solve.run_in_place(&stream, &lu, &pivots, &status, Op::None, &mut x, &mut solved)?;
/// stream.synchronize()?;
/// assert_eq!(b.to_vec()?, [2.0, 1.0, 1.0]);
/// assert_eq!(pivots.to_vecs()?, [vec![0], vec![0, 1]]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct RaggedLuSolvePlan<T: Element>(RaggedPlan, PhantomData<fn() -> T>);

impl<T: Element> RaggedLuSolvePlan<T> {
    /// A plan for matrices with these orders and numbers of right-hand sides, which is one number for each order, as
    /// pivots and statuses are those of a [`RaggedLuPlan`](super::RaggedLuPlan) of the same orders.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedLuSolvePlan;
    /// let plan = RaggedLuSolvePlan::<f64>::new(&Device::cpu(), &[(1, 1), (2, 3)])?;
    /// # let _ = plan;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if matrices of one order have different numbers of right-hand sides; the driver's errors.
    pub fn new(device: &Device, sizes: &[(usize, usize)]) -> Result<Self> {
        let sizes = Sizes::new(sizes)?;
        if !sizes.are_by_order() {
            return Err(Error::Shape(
                "matrices of one order have different numbers of right-hand sides: give those of an order the same \
                 number, as factors of one order are used together"
                    .to_owned(),
            ));
        }
        let plan = RaggedPlan::new(device, operation::lu_solve::<T>(), sizes)?;
        Ok(Self(plan, PhantomData))
    }

    /// The sizes of its matrices.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedLuSolvePlan;
    /// let plan = RaggedLuSolvePlan::<f64>::new(&Device::cpu(), &[(2, 1), (9, 1), (2, 1)])?;
    /// assert_eq!(plan.matrices().batch(), 3);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn matrices(&self) -> &RaggedSizes {
        &self.0.sizes.matrices
    }

    /// The sizes of its right-hand sides and solutions.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedLuSolvePlan;
    /// let plan = RaggedLuSolvePlan::<f64>::new(&Device::cpu(), &[(2, 1), (9, 1), (2, 1)])?;
    /// assert_eq!(plan.sides().batch(), 3);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn sides(&self) -> &RaggedSizes {
        &self.0.sizes.sides
    }

    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedLuSolvePlan;
    /// let plan = RaggedLuSolvePlan::<f64>::new(&Device::sim(), &[(1, 1), (2, 3)])?;
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
    /// # use warplu::resident::RaggedLuSolvePlan;
    /// let plan = RaggedLuSolvePlan::<f64>::new(&Device::cpu(), &[(1, 1), (2, 3)])?;
    /// println!("{} bytes of memory to work in", plan.bytes());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Enqueues the solution: x becomes op(A)^-1 b, NaN where it is bad. The status is the factors', or that of
    /// [`Status::SideNotFinite`](crate::Status). Both are in the plan's order.
    ///
    /// # Errors
    /// [`Error::Shape`] if anything is not of the plan's sizes, there are fewer statuses, or anything is of another
    /// device.
    #[expect(clippy::too_many_arguments, reason = "LAPACK's getrs has as many")]
    pub fn run<'l, 's>(
        &self,
        stream: &Stream,
        lu: &DeviceRagged<'_, T::Scalar>,
        pivots: &RaggedPivots,
        lu_status: impl Into<DeviceSlice<'l, i32>>,
        op: Op,
        b: &DeviceRagged<'_, T>,
        x: &mut DeviceRaggedMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (lu_status, status) = (lu_status.into(), status.into());
        let operands = [lu.into(), pivots.into(), lu_status.into(), b.into(), (&*x).into(), status.into()];
        self.0.run(stream, op, &operands)
    }

    /// As [`Self::run`], each solution in the place of its right-hand sides.
    ///
    /// # Errors
    /// As [`Self::run`].
    #[expect(clippy::too_many_arguments, reason = "LAPACK's getrs has as many")]
    pub fn run_in_place<'l, 's>(
        &self,
        stream: &Stream,
        lu: &DeviceRagged<'_, T::Scalar>,
        pivots: &RaggedPivots,
        lu_status: impl Into<DeviceSlice<'l, i32>>,
        op: Op,
        b: &mut DeviceRaggedMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (lu_status, status) = (lu_status.into(), status.into());
        let operands = [lu.into(), pivots.into(), lu_status.into(), (&*b).into(), (&*b).into(), status.into()];
        self.0.run(stream, op, &operands)
    }
}
