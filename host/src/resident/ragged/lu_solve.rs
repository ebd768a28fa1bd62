//! The plan that solves from the factors of matrices of many orders.

use super::order::Sizes;
use super::pivots::RaggedPivots;
use super::plan::RaggedPlan;
use super::table::{DeviceRagged, DeviceRaggedMut};
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::operation;
use crate::resident::of;
use crate::resident::{DeviceSlice, DeviceSliceMut, Stream};
use numbers::op::Op;

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
/// let mut lu = DeviceRaggedMut::row_major(&mut a, plan.matrices())?;
/// plan.run_in_place(&stream, &mut lu, &mut pivots, &mut status)?;
/// let solve = RaggedLuSolvePlan::<f64>::new(&device, &[(1, 1), (2, 1)])?;
/// let lu = DeviceRagged::row_major(&a, solve.matrices())?;
/// let mut x = DeviceRaggedMut::row_major(&mut b, solve.sides())?;
/// solve.run_in_place(&stream, &lu, &pivots, &status, Op::None, &mut x, &mut solved)?;
/// stream.synchronize()?;
/// assert_eq!(b.to_vec()?, [2.0, 1.0, 1.0]);
/// assert_eq!(pivots.to_vecs()?, [vec![0], vec![0, 1]]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type RaggedLuSolvePlan<T> = RaggedPlan<of::LuSolve, T>;

impl<T: Element> RaggedPlan<of::LuSolve, T> {
    /// A plan for matrices with these orders and numbers of right-hand sides, which is one number for each order, as
    /// pivots and statuses are those of a [`RaggedLuPlan`](super::RaggedLuPlan) of the same orders.
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
        Self::of(device, operation::lu_solve::<T>(), sizes)
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
        self.enqueue(stream, op, &operands)
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
        self.enqueue(stream, op, &operands)
    }
}
