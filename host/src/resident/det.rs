//! The plan for determinants.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::Scalar;
use simt::global::Global;

use super::lu::{LuPlan, OwnFactors};
use super::{DeviceBatch, DeviceBuffer, Stream};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::steps::{Size, Steps, prepare_only};

/// Determinants by LU with partial pivoting.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DetPlan};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let a = device.upload(&[0.0, 1.0, 1.0, 0.0])?;
/// let (phase, log_abs, status) = (device.buffer(1)?, device.buffer(1)?, device.buffer(1)?);
/// let plan = DetPlan::<f64>::new(&device, 2, 1)?;
/// plan.run(&stream, &DeviceBatch::c_order(&a, 1, 2, 2)?, &phase, &log_abs, &status)?;
/// stream.synchronize()?;
/// assert_eq!((phase.to_vec()?, log_abs.to_vec()?), (vec![-1.0], vec![0.0]));
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct DetPlan<T: Element> {
    lu: LuPlan<T>,
    factors: OwnFactors<T::Scalar>,
}

impl<T: Element> DetPlan<T> {
    /// A plan for `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) on the CPU; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        prepare_only(device.machine()?, Family::Det, Variant::Only, T::Scalar::KIND)?;
        Ok(Self { lu: LuPlan::new(device, n, batch)?, factors: OwnFactors::new(device, n, batch)? })
    }

    /// Enqueues the determinants: `phase` is det A / |det A|, `log_abs` is log |det A|; (0, -inf) for a singular matrix,
    /// (NaN, NaN) for one that is not finite.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's size.
    pub fn run(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        phase: &DeviceBuffer<T::Scalar>,
        log_abs: &DeviceBuffer<<T::Scalar as Scalar>::Real>,
        status: &DeviceBuffer<i32>,
    ) -> Result<()> {
        let (n, batch) = (self.lu.size.n as usize, self.lu.size.batch as usize);
        let a = a.expect(batch, n, n, "a")?;
        let (phase, log_abs) = (phase.global_of(batch, "phase")?, log_abs.global_of(batch, "log_abs")?);
        let status = status.global_of(batch, "status")?;
        let steps = Steps { machine: &self.lu.machine, queue: &stream.queue };
        // SAFETY: the sizes were checked.
        unsafe { self.enqueue(&steps, self.lu.size.batch, a, phase, log_abs, status) }
    }

    /// # Safety
    /// As for [`Steps::det`], for the first `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        steps: &Steps<'_>,
        batch: u64,
        a: Matrices<T>,
        phase: Global<T::Scalar>,
        log_abs: Global<<T::Scalar as Scalar>::Real>,
        status: Global<i32>,
    ) -> Result<()> {
        let factors = self.factors.with(status);
        // SAFETY: the caller's promise; the plan's own buffers are of its size.
        unsafe {
            self.lu.enqueue(steps, batch, a, factors)?;
            steps.det(factors, phase, log_abs, Size { batch, ..self.lu.size })
        }
    }
}
