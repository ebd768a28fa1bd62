//! The plan that solves from factors.

use super::batch::{DeviceBatch, DeviceBatchMut};
use super::pivots::Pivots;
use super::plan::{Plan, of};
use super::slice::{DeviceSlice, DeviceSliceMut};
use super::stream::Stream;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::operation::{self, Size};
use numbers::op::Op;

/// op(A) X = B from factors (LAPACK `xGETRS`), for B and X in `T` and factors in its arithmetic type.
///
/// ```
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, LuDetPlan, LuInversePlan, LuPlan, LuSolvePlan};
/// use warplu::{Device, Op};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let (mut a, mut b) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.upload(&[3.0, 2.0])?);
/// let (mut pivots, mut status, mut solved) = (device.pivots(1, 2)?, device.buffer(1)?, device.buffer(1)?);
///
/// // In place: a becomes its factors, b the solution.
/// let mut lu = DeviceBatchMut::row_major(&mut a, 1, 2, 2)?;
/// LuPlan::<f64>::new(&device, 2, 1)?.run_in_place(&stream, &mut lu, &mut pivots, &mut status)?;
/// let lu = DeviceBatch::row_major(&a, 1, 2, 2)?;
/// let mut x = DeviceBatchMut::column_major(&mut b, 1, 2, 1)?;
/// LuSolvePlan::<f64>::new(&device, 2, 1, 1)?.run_in_place(
///     &stream, &lu, &pivots, &status, Op::None, &mut x, &mut solved,
/// )?;
/// let (mut det, mut sign, mut log_abs) = (device.buffer(1)?, device.buffer(1)?, device.buffer(1)?);
/// let plan = LuDetPlan::<f64>::new(&device, 2, 1)?;
/// plan.run(&stream, &lu, &pivots, &status, &mut det, &mut sign, &mut log_abs)?;
/// let (mut inverse, mut inverse_status) = (device.buffer(4)?, device.buffer(1)?);
/// let mut out = DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?;
/// LuInversePlan::<f64>::new(&device, 2, 1)?.run(&stream, &lu, &pivots, &status, &mut out, &mut inverse_status)?;
/// stream.synchronize()?;
/// assert_eq!(b.to_vec()?, [1.0, 1.0]);
/// assert_eq!(det.to_vec()?, [1.0]);
/// assert_eq!(inverse.to_vec()?, [1.0, -1.0, -1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type LuSolvePlan<T> = Plan<of::LuSolve, T>;

impl<T: Element> Plan<of::LuSolve, T> {
    /// A plan for at most `batch` matrices of order `n` with `rhs` right-hand sides each.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize, rhs: usize) -> Result<Self> {
        Self::of(device, operation::lu_solve::<T>(), Size { n, rhs }, batch)
    }

    /// Enqueues the solution: x becomes op(A)^-1 b, n x rhs, NaN where it is bad. The status is the factors', or that
    /// of [`Status::SideNotFinite`](crate::Status).
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's sizes or of more matrices, or anything is
    /// of another device.
    #[expect(clippy::too_many_arguments, reason = "LAPACK's getrs has as many")]
    pub fn run<'l, 's>(
        &self,
        stream: &Stream,
        lu: &DeviceBatch<'_, T::Scalar>,
        pivots: &Pivots,
        lu_status: impl Into<DeviceSlice<'l, i32>>,
        op: Op,
        b: &DeviceBatch<'_, T>,
        x: &mut DeviceBatchMut<'_, T>,
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
        lu: &DeviceBatch<'_, T::Scalar>,
        pivots: &Pivots,
        lu_status: impl Into<DeviceSlice<'l, i32>>,
        op: Op,
        b: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (lu_status, status) = (lu_status.into(), status.into());
        let operands = [lu.into(), pivots.into(), lu_status.into(), (&*b).into(), (&*b).into(), status.into()];
        self.enqueue(stream, op, &operands)
    }
}
