//! Plans that start from the matrices.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::Scalar;
use simt::global::Global;

use super::factored::{cast, size};
use super::{DeviceBatch, DeviceBuffer, LuInversePlan, LuSolvePlan, Stream, matrices_at};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::op::Op;
use crate::steps::{Factoring, Factors, Size, Steps, prepare_only};

/// PA = LU with partial pivoting (LAPACK `xGETRF`); factors are in the arithmetic type of `T`.
#[derive(Debug)]
pub struct LuPlan<T: Element> {
    machine: Machine,
    factoring: Factoring,
    size: Size,
    element: std::marker::PhantomData<T>,
}

impl<T: Element> LuPlan<T> {
    /// A plan for `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) on the CPU; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        let machine = device.machine()?.clone();
        let size = size(n, batch, 1)?;
        let factoring = Factoring::of(device.algorithm)?;
        factoring.prepare(&machine, T::Scalar::KIND, size)?;
        if let Some(variant) = T::CONVERSION {
            prepare_only(&machine, Family::Widen, variant, T::Scalar::KIND)?;
        }
        Ok(Self { machine, factoring, size, element: std::marker::PhantomData })
    }

    /// Enqueues the factorization: `lu` (which may be `a`) becomes U with L below its diagonal, `pivots` (batch, n) the
    /// sequential interchanges, `status` (batch) what [`Status::from_code`](crate::Status::from_code) reads.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's size.
    pub fn run(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        lu: &DeviceBatch<'_, T::Scalar>,
        pivots: &DeviceBuffer<u32>,
        status: &DeviceBuffer<i32>,
    ) -> Result<()> {
        let (n, batch) = (self.size.n as usize, self.size.batch as usize);
        let factors = Factors {
            lu: lu.expect(batch, n, n, "lu")?,
            pivots: pivots.global_of(batch * n, "pivots")?,
            status: status.global_of(batch, "status")?,
        };
        let a = a.expect(batch, n, n, "a")?;
        // SAFETY: the sizes were checked.
        unsafe { self.enqueue(&Steps { machine: &self.machine, queue: &stream.queue }, self.size.batch, a, factors) }
    }

    /// # Safety
    /// As for [`Steps::lu`], for the first `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        steps: &Steps<'_>,
        batch: u64,
        a: Matrices<T>,
        factors: Factors<T::Scalar>,
    ) -> Result<()> {
        let size = Size { batch, ..self.size };
        // SAFETY: the caller's promise.
        unsafe {
            match T::CONVERSION {
                Some(variant) => {
                    steps.widen(variant, a, factors.lu, (size.n, size.n), batch)?;
                    steps.factor(self.factoring, factors.lu, factors, size)
                }
                None => steps.factor(self.factoring, cast(a), factors, size),
            }
        }
    }
}

/// Room for factors that a plan keeps to itself.
#[derive(Debug)]
struct OwnFactors<S: Element> {
    lu: DeviceBuffer<S>,       // shape (batch, n, n), column-major
    pivots: DeviceBuffer<u32>, // shape (batch, n)
    n: usize,
}

impl<S: Element> OwnFactors<S> {
    fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        Ok(Self { lu: device.buffer(batch * n * n)?, pivots: device.buffer(batch * n)?, n })
    }

    fn with(&self, status: Global<i32>) -> Factors<S> {
        let lu = matrices_at(self.lu.address(), Layout::column_major(self.n, self.n));
        Factors { lu, pivots: self.pivots.global(), status }
    }
}

/// A^-1 by LU with partial pivoting.
#[derive(Debug)]
pub struct InversePlan<T: Element> {
    lu: LuPlan<T>,
    inverse: LuInversePlan<T>,
    factors: OwnFactors<T::Scalar>,
}

impl<T: Element> InversePlan<T> {
    /// A plan for `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) on the CPU; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        Ok(Self {
            lu: LuPlan::new(device, n, batch)?,
            inverse: LuInversePlan::in_factors(device, n, batch)?,
            factors: OwnFactors::new(device, n, batch)?,
        })
    }

    /// Enqueues the inversion; the inverse is all NaN where the status is not 0.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's size.
    pub fn run(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        inverse: &DeviceBatch<'_, T>,
        status: &DeviceBuffer<i32>,
    ) -> Result<()> {
        let (n, batch) = (self.lu.size.n as usize, self.lu.size.batch as usize);
        let (a, inverse) = (a.expect(batch, n, n, "a")?, inverse.expect(batch, n, n, "inverse")?);
        let status = status.global_of(batch, "status")?;
        let steps = Steps { machine: &self.lu.machine, queue: &stream.queue };
        // SAFETY: the sizes were checked.
        unsafe { self.enqueue(&steps, self.lu.size.batch, a, inverse, status) }
    }

    /// # Safety
    /// As for [`Steps::inverse`], for the first `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        steps: &Steps<'_>,
        batch: u64,
        a: Matrices<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
    ) -> Result<()> {
        let factors = self.factors.with(status);
        // The factors are compact and column-major, so the kernel may work in their place.
        let work = self.factors.lu.global();
        // SAFETY: the caller's promise; the plan's own buffers are of its size.
        unsafe {
            self.lu.enqueue(steps, batch, a, factors)?;
            self.inverse.enqueue(steps, batch, factors, inverse, status, Some(work))
        }
    }
}

/// A X = B by LU with partial pivoting (LAPACK `xGESV`).
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, SolvePlan};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let (a, b) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.upload(&[3.0, 2.0])?);
/// let (x, status) = (device.buffer(2)?, device.buffer(1)?);
/// let plan = SolvePlan::<f64>::new(&device, 2, 1, 1)?;
/// let (a, b) = (DeviceBatch::c_order(&a, 1, 2, 2)?, DeviceBatch::c_order(&b, 1, 2, 1)?);
/// plan.run(&stream, &a, &b, &DeviceBatch::c_order(&x, 1, 2, 1)?, &status)?;
/// stream.synchronize()?;
/// assert_eq!(x.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct SolvePlan<T: Element> {
    lu: LuPlan<T>,
    solve: LuSolvePlan<T>,
    factors: OwnFactors<T::Scalar>,
}

/// What [`SolvePlan`] reads and writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolveBuffers<T: Element> {
    pub(crate) a: Matrices<T>,
    pub(crate) b: Matrices<T>,
    pub(crate) x: Matrices<T>,
    pub(crate) status: Global<i32>,
}

impl<T: Element> SolvePlan<T> {
    /// A plan for `batch` matrices of order `n` with `rhs` right-hand sides each.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) on the CPU; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize, rhs: usize) -> Result<Self> {
        Ok(Self {
            lu: LuPlan::new(device, n, batch)?,
            solve: LuSolvePlan::new(device, n, batch, rhs)?,
            factors: OwnFactors::new(device, n, batch)?,
        })
    }

    /// Enqueues the solution: x (which may be b), n x rhs, is all NaN where the status is not 0.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's size.
    pub fn run(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        b: &DeviceBatch<'_, T>,
        x: &DeviceBatch<'_, T>,
        status: &DeviceBuffer<i32>,
    ) -> Result<()> {
        let Size { n, batch, rhs } = self.solve.size;
        let (n, batch, rhs) = (n as usize, batch as usize, rhs as usize);
        let buffers = SolveBuffers {
            a: a.expect(batch, n, n, "a")?,
            b: b.expect(batch, n, rhs, "b")?,
            x: x.expect(batch, n, rhs, "x")?,
            status: status.global_of(batch, "status")?,
        };
        let steps = Steps { machine: &self.lu.machine, queue: &stream.queue };
        // SAFETY: the sizes were checked.
        unsafe { self.enqueue(&steps, self.solve.size.batch, buffers) }
    }

    /// # Safety
    /// As for [`Steps::solve`], for the first `batch` matrices.
    pub(crate) unsafe fn enqueue(&self, steps: &Steps<'_>, batch: u64, buffers: SolveBuffers<T>) -> Result<()> {
        let SolveBuffers { a, b, x, status } = buffers;
        let factors = self.factors.with(status);
        // SAFETY: the caller's promise; the plan's own buffers are of its size.
        unsafe {
            self.lu.enqueue(steps, batch, a, factors)?;
            self.solve.enqueue(steps, batch, factors, Op::None, b, x)
        }
    }
}

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
