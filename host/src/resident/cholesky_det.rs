//! The plan for determinants from Cholesky factors.

use super::batch::DeviceBatch;
use super::plan::{Plan, of};
use super::slice::{DeviceSlice, DeviceSliceMut};
use super::stream::Stream;
use crate::device::Device;
use crate::element::{Element, RealOf};
use crate::error::Result;
use crate::operation::{self, Size};
use numbers::op::Op;

/// Determinants from Cholesky factors, of either triangle, in the arithmetic type of `T`.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{CholeskyDetPlan, DeviceBatch};
///
/// let device = Device::best();
/// let (factors, status) = (device.upload(&[2.0, 0.0, 1.0, 1.0])?, device.upload(&[0])?); // of [4 2; 2 2]
/// let l = DeviceBatch::row_major(&factors, 1, 2, 2)?;
/// let (mut det, mut sign, mut log_abs) = (device.buffer(1)?, device.buffer(1)?, device.buffer(1)?);
/// let plan = CholeskyDetPlan::<f64>::new(&device, 2, 1)?;
/// plan.run(&device.stream()?, &l, &status, &mut det, &mut sign, &mut log_abs)?;
/// assert_eq!(det.to_vec()?, [4.0]);
/// assert!((log_abs.to_vec()?[0] - 4.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type CholeskyDetPlan<T> = Plan<of::CholeskyDet, T>;

impl<T: Element> Plan<of::CholeskyDet, T> {
    /// A plan for at most `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where [`Device::cholesky`] is; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        Self::of(device, operation::cholesky_det::<T>(), Size::order(n), batch)
    }

    /// Enqueues the determinants: `values` is det A, `sign` is 1 and `log_abs` is log det A; all are NaN where the status
    /// is not 0.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's order or of more matrices, or anything is
    /// of another device.
    pub fn run<'c, 'v, 'p, 'l>(
        &self,
        stream: &Stream,
        factors: &DeviceBatch<'_, T::Scalar>,
        status: impl Into<DeviceSlice<'c, i32>>,
        values: impl Into<DeviceSliceMut<'v, T::Scalar>>,
        sign: impl Into<DeviceSliceMut<'p, T::Scalar>>,
        log_abs: impl Into<DeviceSliceMut<'l, RealOf<T>>>,
    ) -> Result<()> {
        let (status, values, sign) = (status.into(), values.into(), sign.into());
        let operands = [factors.into(), status.into(), values.into(), sign.into(), log_abs.into().into()];
        self.enqueue(stream, Op::None, &operands)
    }
}
