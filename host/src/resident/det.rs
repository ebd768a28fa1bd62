//! The plans for determinants.

use super::batch::DeviceBatch;
use super::pivots::Pivots;
use super::plan::{Plan, of};
use super::slice::{DeviceSlice, DeviceSliceMut};
use super::stream::Stream;
use crate::device::Device;
use crate::element::{Element, RealOf};
use crate::error::Result;
use crate::operation::{self, Size};
use numbers::op::Op;

/// Determinants by LU with partial pivoting.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DetPlan};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let a = device.upload(&[0.0, 1.0, 1.0, 0.0])?;
/// let (mut det, mut sign, mut log_abs) = (device.buffer(1)?, device.buffer(1)?, device.buffer(1)?);
/// let mut status = device.buffer(1)?;
/// let plan = DetPlan::<f64>::new(&device, 2, 1)?;
/// plan.run(&stream, &DeviceBatch::row_major(&a, 1, 2, 2)?, &mut det, &mut sign, &mut log_abs, &mut status)?;
/// stream.synchronize()?;
/// assert_eq!((det.to_vec()?, sign.to_vec()?, log_abs.to_vec()?), (vec![-1.0], vec![-1.0], vec![0.0]));
/// # Ok::<(), warplu::Error>(())
/// ```
pub type DetPlan<T> = Plan<of::Det, T>;

/// Determinants from factors in the arithmetic type of `T`.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, LuDetPlan};
///
/// let device = Device::best();
/// let (factors, status) = (device.upload(&[4.0, 2.0, 0.25, 1.5])?, device.upload(&[0])?); // of [1 2; 4 2]
/// let pivots = device.upload_pivots(&[1, 1], 2)?;
/// let lu = DeviceBatch::row_major(&factors, 1, 2, 2)?;
/// let (mut det, mut sign, mut log_abs) = (device.buffer(1)?, device.buffer(1)?, device.buffer(1)?);
/// let plan = LuDetPlan::<f64>::new(&device, 2, 1)?;
/// plan.run(&device.stream()?, &lu, &pivots, &status, &mut det, &mut sign, &mut log_abs)?;
/// assert_eq!(det.to_vec()?, [-6.0]);
/// assert!((log_abs.to_vec()?[0] - 6.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type LuDetPlan<T> = Plan<of::LuDet, T>;

impl<T: Element> Plan<of::Det, T> {
    /// A plan for at most `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where the device's algorithm leaves no factors; the driver's
    /// errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        Self::of(device, operation::det::<T>(), Size::order(n), batch)
    }

    /// Enqueues the determinants: `values` is det A, `sign` is det A / |det A|, `log_abs` is log |det A|; 0, 0 and -inf
    /// for a singular matrix, NaN for one that is not finite.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's order or of more matrices, or anything is
    /// of another device.
    pub fn run<'v, 'p, 'l, 's>(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        values: impl Into<DeviceSliceMut<'v, T::Scalar>>,
        sign: impl Into<DeviceSliceMut<'p, T::Scalar>>,
        log_abs: impl Into<DeviceSliceMut<'l, RealOf<T>>>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (values, sign, log_abs) = (values.into(), sign.into(), log_abs.into());
        let operands = [a.into(), values.into(), sign.into(), log_abs.into(), status.into().into()];
        self.enqueue(stream, Op::None, &operands)
    }
}

impl<T: Element> Plan<of::LuDet, T> {
    /// A plan for at most `batch` matrices of order `n`.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        Self::of(device, operation::lu_det::<T>(), Size::order(n), batch)
    }

    /// Enqueues the determinants: `values` is det A, `sign` is det A / |det A|, `log_abs` is log |det A|; 0, 0 and -inf
    /// for a singular matrix, NaN for one that is not finite.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's order or of more matrices, or anything is
    /// of another device.
    #[expect(clippy::too_many_arguments, reason = "each is an array of the caller's")]
    pub fn run<'c, 'v, 'p, 'l>(
        &self,
        stream: &Stream,
        lu: &DeviceBatch<'_, T::Scalar>,
        pivots: &Pivots,
        status: impl Into<DeviceSlice<'c, i32>>,
        values: impl Into<DeviceSliceMut<'v, T::Scalar>>,
        sign: impl Into<DeviceSliceMut<'p, T::Scalar>>,
        log_abs: impl Into<DeviceSliceMut<'l, RealOf<T>>>,
    ) -> Result<()> {
        let (values, sign, log_abs) = (values.into(), sign.into(), log_abs.into());
        let status = status.into();
        let operands = [lu.into(), pivots.into(), status.into(), values.into(), sign.into(), log_abs.into()];
        self.enqueue(stream, Op::None, &operands)
    }
}
