//! The plan that inverts from Cholesky factors.

use super::batch::{DeviceBatch, DeviceBatchMut};
use super::cholesky::{given, given_uses};
use super::plan::{Plan, all_well, write};
use super::slice::{DeviceSlice, DeviceSliceMut};
use super::stream::Stream;
use super::uses::Access;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::route;
use crate::triangle::Triangle;

/// A^-1 from Cholesky factors (LAPACK `xPOTRI`), both triangles, for inverses in `T` and factors in its arithmetic
/// type.
///
/// ```
/// use warplu::resident::{CholeskyInversePlan, DeviceBatch, DeviceBatchMut};
/// use warplu::{Device, Triangle};
///
/// let device = Device::best();
/// let (factors, status) = (device.upload(&[2.0, 0.0, 1.0, 1.0])?, device.upload(&[0])?); // of [4 2; 2 2]
/// let l = DeviceBatch::c_order(&factors, 1, 2, 2)?;
/// let (mut inverse, mut codes) = (device.buffer::<f64>(4)?, device.buffer(1)?);
/// let mut to = DeviceBatchMut::c_order(&mut inverse, 1, 2, 2)?;
/// let plan = CholeskyInversePlan::<f64>::new(&device, 2, 1, Triangle::Lower)?;
/// plan.run(&device.stream()?, &l, &status, &mut to, &mut codes)?;
/// assert_eq!(inverse.to_vec()?, [0.5, -0.5, -0.5, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct CholeskyInversePlan<T: Element>(Plan<route::CholeskyInverse<T>>);

impl<T: Element> CholeskyInversePlan<T> {
    /// A plan for at most `batch` matrices of order `n`, with factors in this triangle.
    ///
    /// ```
    /// # use warplu::resident::CholeskyInversePlan;
    /// # use warplu::{Device, Triangle};
    /// let plan = CholeskyInversePlan::<f64>::new(&Device::cpu(), 64, 1000, Triangle::Lower)?;
    /// # let _ = plan;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where [`Device::cholesky`] is; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize, triangle: Triangle) -> Result<Self> {
        Plan::new(device, (n, 1), batch, |device, space| route::CholeskyInverse::new(device, n, triangle, space))
            .map(Self)
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
        let (n, batch) = (self.0.n, factors.placed().batch);
        let (factor_status, status, to) = (factor_status.into(), status.into().inner(), inverse.placed());
        self.0.matrices(batch)?;
        let from = given(n, factors, &factor_status)?;
        let (out, codes) = (to.expect(batch, n, n, "inverse")?, status.global_of(batch, "status")?);
        let outputs = [write(to), (status.allocation, Access::Write)];
        let uses = [&given_uses(factors, &factor_status)[..], &outputs].concat();
        self.0.run(stream, batch, &uses, |launcher, count, room| {
            if n == 0 {
                return all_well(launcher, &status, count);
            }
            // SAFETY: all are of these sizes and of this machine; buffers outlive the work on them.
            unsafe { self.0.route.enqueue(launcher, count, from, out, codes, room) }
        })
    }
}
