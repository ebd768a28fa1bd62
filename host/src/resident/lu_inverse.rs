//! The plan that inverts from factors.

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

/// A^-1 from factors (LAPACK `xGETRI`), for inverses in `T` and factors in its arithmetic type.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, LuInversePlan};
///
/// let device = Device::best();
/// let (factors, status) = (device.upload(&[4.0, 2.0, 0.25, 1.5])?, device.upload(&[0])?); // of [1 2; 4 2]
/// let pivots = device.upload_pivots(&[1, 1], 2)?;
/// let lu = DeviceBatch::row_major(&factors, 1, 2, 2)?;
/// let (mut inverse, mut codes) = (device.buffer::<f64>(4)?, device.buffer(1)?);
/// let mut to = DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?;
/// let plan = LuInversePlan::<f64>::new(&device, 2, 1)?;
/// plan.run(&device.stream()?, &lu, &pivots, &status, &mut to, &mut codes)?;
/// let inverse = inverse.to_vec()?;
/// assert!((inverse[0] + 1.0 / 3.0).abs() < 1e-15 && (inverse[3] + 1.0 / 6.0).abs() < 1e-15);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type LuInversePlan<T> = Plan<of::LuInverse, T>;

impl<T: Element> Plan<of::LuInverse, T> {
    /// A plan for at most `batch` matrices of order `n`.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        Self::of(device, operation::lu_invert::<T>(), Size::order(n), batch)
    }

    /// Enqueues the inversion. `status` becomes that of the factors, or -1 where the inverse overflows; the inverse is
    /// all NaN where it is not 0.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's order or of more matrices, or anything is
    /// of another device.
    pub fn run<'l, 's>(
        &self,
        stream: &Stream,
        lu: &DeviceBatch<'_, T::Scalar>,
        pivots: &Pivots,
        lu_status: impl Into<DeviceSlice<'l, i32>>,
        inverse: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (lu_status, status) = (lu_status.into(), status.into());
        let operands = [lu.into(), pivots.into(), lu_status.into(), (&*inverse).into(), status.into()];
        self.enqueue(stream, Op::None, &operands)
    }
}
