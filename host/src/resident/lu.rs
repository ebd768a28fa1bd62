//! The plan that factors.

use super::batch::{DeviceBatch, DeviceBatchMut};
use super::pivots::Pivots;
use super::plan::{Plan, of};
use super::slice::DeviceSliceMut;
use super::stream::Stream;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::operation::{self, Size};
use numbers::op::Op;

/// PA = LU with partial pivoting (LAPACK `xGETRF`); factors are in the arithmetic type of `T`.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, LuPlan};
///
/// let device = Device::best();
/// let stream = device.stream()?;
/// let (a, mut lu) = (device.upload(&[1.0, 2.0, 4.0, 2.0])?, device.buffer::<f64>(4)?);
/// let (mut pivots, mut status) = (device.pivots(1, 2)?, device.buffer(1)?);
/// let plan = LuPlan::<f64>::new(&device, 2, 1)?;
/// let mut to = DeviceBatchMut::row_major(&mut lu, 1, 2, 2)?;
/// plan.run(&stream, &DeviceBatch::row_major(&a, 1, 2, 2)?, &mut to, &mut pivots, &mut status)?;
/// assert_eq!(lu.to_vec()?, [4.0, 2.0, 0.25, 1.5]);
/// assert_eq!((pivots.to_vec()?, status.to_vec()?), (vec![1, 1], vec![0]));
/// # Ok::<(), warplu::Error>(())
/// ```
pub type LuPlan<T> = Plan<of::Lu, T>;

impl<T: Element> Plan<of::Lu, T> {
    /// A plan for at most `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where the device's algorithm leaves no factors; the driver's
    /// errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        Self::of(device, operation::factor_lu::<T>(), Size::order(n), batch)
    }

    /// Enqueues the factorization: `lu` becomes U with L below its diagonal, `pivots` (batch, n) the sequential
    /// interchanges, `status` (batch) what [`Status::from_code`](crate::Status::from_code) reads.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's order or of more matrices, or anything is
    /// of another device.
    pub fn run<'s>(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        lu: &mut DeviceBatchMut<'_, T::Scalar>,
        pivots: &mut Pivots,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        self.enqueue(stream, Op::None, &[a.into(), (&*lu).into(), (&*pivots).into(), status.into().into()])
    }
}

impl<T: Element<Scalar = T>> Plan<of::Lu, T> {
    /// As [`Self::run`], the factors in the place of the matrices.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_in_place<'s>(
        &self,
        stream: &Stream,
        a: &mut DeviceBatchMut<'_, T>,
        pivots: &mut Pivots,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        self.enqueue(stream, Op::None, &[(&*a).into(), (&*a).into(), (&*pivots).into(), status.into().into()])
    }
}
