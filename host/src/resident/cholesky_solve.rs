//! The plan that solves from Cholesky factors.

use std::sync::Arc;

use numbers::matrix::Matrices;

use super::batch::{DeviceBatch, DeviceBatchMut};
use super::cholesky::{given, given_uses};
use super::plan::{Plan, all_well, read, write};
use super::slice::{DeviceSlice, DeviceSliceMut};
use super::stream::Stream;
use super::uses::{Access, Allocation};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::route::{self, Sides};
use crate::triangle::Triangle;

/// A X = B from Cholesky factors (LAPACK `xPOTRS`), for B and X in `T` and factors in its arithmetic type.
///
/// ```
/// use warplu::resident::{CholeskySolvePlan, DeviceBatch, DeviceBatchMut};
/// use warplu::{Device, Triangle};
///
/// let device = Device::best();
/// let (factors, status) = (device.upload(&[2.0, 0.0, 1.0, 1.0])?, device.upload(&[0])?); // of [4 2; 2 2]
/// let l = DeviceBatch::c_order(&factors, 1, 2, 2)?;
/// let (mut b, mut codes) = (device.upload(&[6.0, 4.0])?, device.buffer(1)?);
/// let mut x = DeviceBatchMut::c_order(&mut b, 1, 2, 1)?;
/// let plan = CholeskySolvePlan::<f64>::new(&device, 2, 1, 1, Triangle::Lower)?;
/// plan.run_in_place(&device.stream()?, &l, &status, &mut x, &mut codes)?;
/// assert_eq!(b.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct CholeskySolvePlan<T: Element>(Plan<route::CholeskySolve<T>>);

impl<T: Element> CholeskySolvePlan<T> {
    /// A plan for at most `batch` matrices of order `n` with `rhs` right-hand sides each, and factors in this triangle.
    ///
    /// ```
    /// # use warplu::resident::CholeskySolvePlan;
    /// # use warplu::{Device, Triangle};
    /// let plan = CholeskySolvePlan::<f64>::new(&Device::cpu(), 64, 1000, 1, Triangle::Lower)?;
    /// # let _ = plan;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where [`Device::cholesky`] is; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize, rhs: usize, triangle: Triangle) -> Result<Self> {
        Plan::new(device, (n, rhs), batch, |device, space| route::CholeskySolve::new(device, n, rhs, triangle, space))
            .map(Self)
    }

    /// Bytes of device memory that it works in.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
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
        let (b, x, batch) = (b.placed(), x.placed(), factors.placed().batch);
        let sides = (b.expect(batch, self.0.n, self.0.rhs, "b")?, x.expect(batch, self.0.n, self.0.rhs, "x")?);
        self.solve(stream, factors, (factor_status.into(), status.into()), sides, &[read(b), write(x)])
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
        let b = b.placed();
        let sides = b.expect(factors.placed().batch, self.0.n, self.0.rhs, "b")?;
        self.solve(stream, factors, (factor_status.into(), status.into()), (sides, sides), &[write(b)])
    }

    fn solve(
        &self,
        stream: &Stream,
        factors: &DeviceBatch<'_, T::Scalar>,
        (factor_status, status): (DeviceSlice<'_, i32>, DeviceSliceMut<'_, i32>),
        (b, x): (Matrices<T>, Matrices<T>),
        uses: &[(&Arc<Allocation>, Access)],
    ) -> Result<()> {
        let (n, batch, status) = (self.0.n, factors.placed().batch, status.inner());
        self.0.matrices(batch)?;
        let from = given(n, factors, &factor_status)?;
        let sides = Sides { b, x, status: status.global_of(batch, "status")? };
        let uses = [uses, &given_uses(factors, &factor_status), &[(status.allocation, Access::Write)]].concat();
        self.0.run(stream, batch, &uses, |launcher, count, room| {
            if n == 0 {
                return all_well(launcher, &status, count);
            }
            // SAFETY: all are of these sizes and of this machine; buffers outlive the work on them.
            unsafe { self.0.route.enqueue(launcher, count, from, sides, room) }
        })
    }
}
