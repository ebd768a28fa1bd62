//! The plan that inverts from Cholesky factors.

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

/// A^-1 from Cholesky factors (LAPACK `xPOTRI`), both triangles, for inverses in `T` and factors in its arithmetic
/// type.
///
/// ```
/// use warplu::resident::{CholeskyInversePlan, DeviceBatch, DeviceBatchMut};
/// use warplu::{Device, Triangle};
///
/// let device = Device::best();
/// let (factors, status) = (device.upload(&[2.0, 0.0, 1.0, 1.0])?, device.upload(&[0])?); // of [4 2; 2 2]
/// let l = DeviceBatch::row_major(&factors, 1, 2, 2)?;
/// let (mut inverse, mut codes) = (device.buffer::<f64>(4)?, device.buffer(1)?);
/// let mut to = DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?;
/// let plan = CholeskyInversePlan::<f64>::new(&device, 2, 1, Triangle::Lower)?;
/// plan.run(&device.stream()?, &l, &status, &mut to, &mut codes)?;
/// assert_eq!(inverse.to_vec()?, [0.5, -0.5, -0.5, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type CholeskyInversePlan<T> = Plan<of::CholeskyInverse, T>;

impl<T: Element> Plan<of::CholeskyInverse, T> {
    /// A plan for at most `batch` matrices of order `n`, with factors in this triangle.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where [`Device::cholesky`] is; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize, triangle: Triangle) -> Result<Self> {
        Self::of(device, operation::cholesky_invert::<T>(triangle), Size::order(n), batch)
    }

    /// Enqueues the inversion. `status` becomes that of the factors, or -1 where the inverse overflows; the inverse is
    /// all NaN where it is not 0. The other triangle of the factors is not read.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's order or of more matrices, or anything is
    /// of another device.
    pub fn run<'l, 's>(
        &self,
        stream: &Stream,
        factors: &DeviceBatch<'_, T::Scalar>,
        factor_status: impl Into<DeviceSlice<'l, i32>>,
        inverse: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (factor_status, status) = (factor_status.into(), status.into());
        let operands = [factors.into(), factor_status.into(), (&*inverse).into(), status.into()];
        self.enqueue(stream, Op::None, &operands)
    }
}
