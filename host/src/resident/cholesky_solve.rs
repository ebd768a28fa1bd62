//! The plan that solves from Cholesky factors.

use super::batch::{DeviceBatch, DeviceBatchMut};
use super::plan::{Plan, of};
use super::slice::{DeviceSlice, DeviceSliceMut};
use super::stream::Stream;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::operation::{self, Size};
use crate::triangle::Triangle;
use numbers::op::Op;

/// A X = B from Cholesky factors (LAPACK `xPOTRS`), for B and X in `T` and factors in its arithmetic type.
///
/// ```
/// use warplu::resident::{CholeskySolvePlan, DeviceBatch, DeviceBatchMut};
/// use warplu::{Device, Triangle};
///
/// let device = Device::best();
/// let (factors, status) = (device.upload(&[2.0, 0.0, 1.0, 1.0])?, device.upload(&[0])?); // of [4 2; 2 2]
/// let l = DeviceBatch::row_major(&factors, 1, 2, 2)?;
/// let (mut b, mut codes) = (device.upload(&[6.0, 4.0])?, device.buffer(1)?);
/// let mut x = DeviceBatchMut::row_major(&mut b, 1, 2, 1)?;
/// let plan = CholeskySolvePlan::<f64>::new(&device, 2, 1, 1, Triangle::Lower)?;
/// plan.run_in_place(&device.stream()?, &l, &status, &mut x, &mut codes)?;
/// assert_eq!(b.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type CholeskySolvePlan<T> = Plan<of::CholeskySolve, T>;

impl<T: Element> Plan<of::CholeskySolve, T> {
    /// A plan for at most `batch` matrices of order `n` with `rhs` right-hand sides each, and factors in this triangle.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where [`Device::cholesky`] is; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize, rhs: usize, triangle: Triangle) -> Result<Self> {
        Self::of(device, operation::cholesky_solve::<T>(triangle), Size { n, rhs }, batch)
    }

    /// Enqueues the solution: x becomes A^-1 b, n x rhs, NaN where it is bad. The status is the factors', or that of
    /// [`Status::SideNotFinite`](crate::Status). The other triangle of the factors is not read.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's sizes or of more matrices, or anything is
    /// of another device.
    pub fn run<'l, 's>(
        &self,
        stream: &Stream,
        factors: &DeviceBatch<'_, T::Scalar>,
        factor_status: impl Into<DeviceSlice<'l, i32>>,
        b: &DeviceBatch<'_, T>,
        x: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (factor_status, status) = (factor_status.into(), status.into());
        let operands = [factors.into(), factor_status.into(), b.into(), (&*x).into(), status.into()];
        self.enqueue(stream, Op::None, &operands)
    }

    /// As [`Self::run`], each solution in the place of its right-hand sides.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_in_place<'l, 's>(
        &self,
        stream: &Stream,
        factors: &DeviceBatch<'_, T::Scalar>,
        factor_status: impl Into<DeviceSlice<'l, i32>>,
        b: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (factor_status, status) = (factor_status.into(), status.into());
        let operands = [factors.into(), factor_status.into(), (&*b).into(), (&*b).into(), status.into()];
        self.enqueue(stream, Op::None, &operands)
    }
}
