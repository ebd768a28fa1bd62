//! The plans for determinants.

use std::sync::Arc;

use numbers::scalar::Scalar;
use simt::Pod;

use super::batch::DeviceBatch;
use super::lu_solve::{factor_uses, factors};
use super::pivots::Pivots;
use super::plan::{Plan, all_well, read};
use super::slice::{DeviceSlice, DeviceSliceMut};
use super::stream::Stream;
use super::uses::{Access, Allocation};
use crate::backend::Queue;
use crate::device::Device;
use crate::element::{Element, RealOf, bytes_of};
use crate::error::Result;
use crate::launch::Launcher;
use crate::route::{self, Parts};
use kernels_cpu::fresh::filled;

/// Determinants by LU with partial pivoting.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DetPlan};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let a = device.upload(&[0.0, 1.0, 1.0, 0.0])?;
/// let (mut det, mut phase, mut log_abs) = (device.buffer(1)?, device.buffer(1)?, device.buffer(1)?);
/// let mut status = device.buffer(1)?;
/// let plan = DetPlan::<f64>::new(&device, 2, 1)?;
/// plan.run(&stream, &DeviceBatch::c_order(&a, 1, 2, 2)?, &mut det, &mut phase, &mut log_abs, &mut status)?;
/// stream.synchronize()?;
/// assert_eq!((det.to_vec()?, phase.to_vec()?, log_abs.to_vec()?), (vec![-1.0], vec![-1.0], vec![0.0]));
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct DetPlan<T: Element>(Plan<route::Det<T>>);

/// Determinants from factors in the arithmetic type of `T`.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, LuDetPlan};
///
/// let device = Device::best();
/// let (factors, status) = (device.upload(&[4.0, 2.0, 0.25, 1.5])?, device.upload(&[0])?); // of [1 2; 4 2]
/// let pivots = device.upload_pivots(&[1, 1], 2)?;
/// let lu = DeviceBatch::c_order(&factors, 1, 2, 2)?;
/// let (mut det, mut phase, mut log_abs) = (device.buffer(1)?, device.buffer(1)?, device.buffer(1)?);
/// let plan = LuDetPlan::<f64>::new(&device, 2, 1)?;
/// plan.run(&device.stream()?, &lu, &pivots, &status, &mut det, &mut phase, &mut log_abs)?;
/// assert_eq!(det.to_vec()?, [-6.0]);
/// assert!((log_abs.to_vec()?[0] - 6.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct LuDetPlan<T: Element> {
    plan: Plan<route::LuDet>,
    element: std::marker::PhantomData<T>,
}

impl<T: Element> DetPlan<T> {
    /// A plan for at most `batch` matrices of order `n`.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::DetPlan;
    /// let plan = DetPlan::<f64>::new(&Device::cpu(), 64, 1000)?;
    /// # let _ = plan;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where the device's algorithm leaves no factors; the driver's
    /// errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        Plan::new(device, (n, 1), batch, |device, space| route::Det::new(device, n, space)).map(Self)
    }

    /// Bytes of device memory that it works in.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::DetPlan;
    /// let plan = DetPlan::<f64>::new(&Device::cpu(), 64, 1000)?;
    /// println!("{} bytes of memory to work in", plan.bytes());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Enqueues the determinants: `values` is det A, `phase` is det A / |det A|, `log_abs` is log |det A|; 0, 0 and -inf
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
        phase: impl Into<DeviceSliceMut<'p, T::Scalar>>,
        log_abs: impl Into<DeviceSliceMut<'l, RealOf<T>>>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (a, status) = (a.placed(), status.into().inner());
        let det = Outputs::new(values.into(), phase.into(), log_abs.into());
        self.0.matrices(a.batch)?;
        let matrices = a.expect(a.batch, self.0.n, self.0.n, "a")?;
        let parts = det.parts(a.batch)?;
        let codes = status.global_of(a.batch, "status")?;
        let uses = [&[read(a), (status.allocation, Access::Write)][..], &det.uses()].concat();
        self.0.run(stream, a.batch, &uses, |launcher, count, room| {
            if self.0.n == 0 {
                det.ones(launcher, count)?;
                return all_well(launcher, &status, count);
            }
            // SAFETY: all are of these sizes and of this machine, apart by their borrows; buffers outlive the work on
            // them.
            unsafe { self.0.route.enqueue(launcher, count, matrices, parts, codes, room) }
        })
    }
}

impl<T: Element> LuDetPlan<T> {
    /// A plan for at most `batch` matrices of order `n`.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::LuDetPlan;
    /// let plan = LuDetPlan::<f64>::new(&Device::cpu(), 64, 1000)?;
    /// # let _ = plan;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// The driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        let plan = Plan::new(device, (n, 1), batch, |device, _| route::LuDet::new::<T::Scalar>(device, n))?;
        Ok(Self { plan, element: std::marker::PhantomData })
    }

    /// Enqueues the determinants: `values` is det A, `phase` is det A / |det A|, `log_abs` is log |det A|; 0, 0 and -inf
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
        phase: impl Into<DeviceSliceMut<'p, T::Scalar>>,
        log_abs: impl Into<DeviceSliceMut<'l, RealOf<T>>>,
    ) -> Result<()> {
        let (batch, status) = (lu.placed().batch, status.into());
        let det = Outputs::new(values.into(), phase.into(), log_abs.into());
        self.plan.matrices(batch)?;
        let factors = factors(self.plan.n, lu, pivots, &status)?;
        let parts = det.parts(batch)?;
        let uses = [&factor_uses(lu, pivots, &status)[..], &det.uses()].concat();
        self.plan.run(stream, batch, &uses, |launcher, count, _| {
            if self.plan.n == 0 {
                return det.ones(launcher, count);
            }
            // SAFETY: all are of these sizes and of this machine, apart by their borrows; buffers outlive the work on
            // them.
            unsafe { self.plan.route.enqueue(launcher, count, factors, parts) }
        })
    }
}

/// Where a plan's determinants go.
pub(super) struct Outputs<'a, S: Scalar> {
    values: DeviceSlice<'a, S>,
    phase: DeviceSlice<'a, S>,
    log_abs: DeviceSlice<'a, S::Real>,
}

impl<'a, S: Scalar> Outputs<'a, S> {
    pub(super) fn new(
        values: DeviceSliceMut<'a, S>,
        phase: DeviceSliceMut<'a, S>,
        log_abs: DeviceSliceMut<'a, S::Real>,
    ) -> Self {
        Self { values: values.inner(), phase: phase.inner(), log_abs: log_abs.inner() }
    }

    pub(super) fn parts(&self, batch: usize) -> Result<Parts<S>> {
        Ok(Parts {
            value: self.values.global_of(batch, "values")?,
            phase: self.phase.global_of(batch, "phase")?,
            log_abs: self.log_abs.global_of(batch, "log_abs")?,
        })
    }

    pub(super) fn uses(&self) -> [(&'a Arc<Allocation>, Access); 3] {
        [self.values.allocation, self.phase.allocation, self.log_abs.allocation].map(|own| (own, Access::Write))
    }

    /// The determinants of matrices of order 0, which are 1.
    pub(super) fn ones(&self, launcher: &Launcher<'_>, batch: u64) -> Result<()> {
        let ones = filled(S::ONE, batch as usize)?;
        put(launcher.queue, &self.values, &ones)?;
        put(launcher.queue, &self.phase, &ones)?;
        let logs = &self.log_abs;
        launcher.queue.fill(logs.memory(), logs.byte_offset(), 0, size_of::<S::Real>() * ones.len())
    }
}

/// Copies values to the begin of a slice, and waits.
fn put<T: Pod>(queue: &Queue, to: &DeviceSlice<'_, T>, values: &[T]) -> Result<()> {
    let bytes = bytes_of(values);
    // SAFETY: the values outlive the wait.
    unsafe { queue.upload(to.memory(), to.byte_offset(), bytes.as_ptr(), bytes.len())? };
    queue.synchronize()
}
