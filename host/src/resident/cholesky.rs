//! The plan that factors positive definite matrices.

use super::batch::{DeviceBatch, DeviceBatchMut};
use super::plan::{Plan, of};
use super::slice::DeviceSliceMut;
use super::stream::Stream;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::operation::{self, Size};
use crate::triangle::Triangle;
use numbers::op::Op;

/// A = L L^H or A = U^H U (LAPACK `xPOTRF`), of one triangle; factors are in the arithmetic type of `T`.
///
/// ```
/// use warplu::resident::{
///     CholeskyDetPlan, CholeskyInversePlan, CholeskyPlan, CholeskySolvePlan, DeviceBatch, DeviceBatchMut,
/// };
/// use warplu::{Device, Triangle};
///
/// let (device, lower) = (Device::cpu(), Triangle::Lower);
/// let stream = device.stream()?;
/// let (mut a, mut b) = (device.upload(&[4.0, 2.0, 2.0, 2.0])?, device.upload(&[6.0, 4.0])?);
/// let (mut status, mut solved) = (device.buffer(1)?, device.buffer(1)?);
///
/// // In place: a becomes its factor, b the solution.
/// let mut l = DeviceBatchMut::row_major(&mut a, 1, 2, 2)?;
/// CholeskyPlan::<f64>::new(&device, 2, 1, lower)?.run_in_place(&stream, &mut l, &mut status)?;
/// let l = DeviceBatch::row_major(&a, 1, 2, 2)?;
/// let mut x = DeviceBatchMut::column_major(&mut b, 1, 2, 1)?;
/// CholeskySolvePlan::<f64>::new(&device, 2, 1, 1, lower)?.run_in_place(&stream, &l, &status, &mut x, &mut solved)?;
/// let (mut inverse, mut inverted, mut log_abs) = (device.buffer(4)?, device.buffer(1)?, device.buffer(1)?);
/// let mut out = DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?;
/// CholeskyInversePlan::<f64>::new(&device, 2, 1, lower)?.run(&stream, &l, &status, &mut out, &mut inverted)?;
/// let (mut det, mut sign) = (device.buffer(1)?, device.buffer(1)?);
/// CholeskyDetPlan::<f64>::new(&device, 2, 1)?.run(&stream, &l, &status, &mut det, &mut sign, &mut log_abs)?;
/// stream.synchronize()?;
/// assert_eq!(a.to_vec()?, [2.0, 0.0, 1.0, 1.0]);
/// assert_eq!(b.to_vec()?, [1.0, 1.0]);
/// assert_eq!(inverse.to_vec()?, [0.5, -0.5, -0.5, 1.0]);
/// assert_eq!(det.to_vec()?, [4.0]);
/// assert!((log_abs.to_vec()?[0] - 4.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type CholeskyPlan<T> = Plan<of::Cholesky, T>;

impl<T: Element> Plan<of::Cholesky, T> {
    /// A plan for at most `batch` matrices of order `n`, of which this triangle is read.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where [`Device::cholesky`] is; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize, triangle: Triangle) -> Result<Self> {
        Self::of(device, operation::factor_cholesky::<T>(triangle), Size::order(n), batch)
    }

    /// Enqueues the factorization: `factors` become L or U with zeros in the other triangle, all NaN where the status
    /// is not 0; `status` (batch) is what [`Status::from_code`](crate::Status::from_code) reads.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's order or of more matrices, or anything is
    /// of another device.
    pub fn run<'s>(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        factors: &mut DeviceBatchMut<'_, T::Scalar>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        self.enqueue(stream, Op::None, &[a.into(), (&*factors).into(), status.into().into()])
    }
}

impl<T: Element<Scalar = T>> Plan<of::Cholesky, T> {
    /// As [`Self::run`], the factors in the place of the matrices.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_in_place<'s>(
        &self,
        stream: &Stream,
        a: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        self.enqueue(stream, Op::None, &[(&*a).into(), (&*a).into(), status.into().into()])
    }
}
