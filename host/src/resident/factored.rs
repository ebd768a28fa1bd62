//! Plans that start from factors.

use std::marker::PhantomData;

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::Scalar;
use simt::global::Global;

use super::{DeviceBatch, DeviceBuffer, Stream, matrices_at};
use crate::algorithm::Algorithm;
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::machine::Machine;
use crate::op::Op;
use crate::steps::{Factors, Inverting, Size, Steps, leaves_factors, prepare, prepare_only, prepare_substitution};

/// Checks a plan's size: orders and counts that the kernels index with 32 bits.
pub(super) fn size(n: usize, batch: usize, rhs: usize) -> Result<Size> {
    match (u32::try_from(n), u32::try_from(rhs)) {
        (Ok(n), Ok(rhs)) => Ok(Size { n, batch: batch as u64, rhs }),
        _ => Err(Error::Shape(format!("order {n} with {rhs} right-hand sides is too large"))),
    }
}

/// Checks factors against a plan's size.
fn factors<T: Element>(
    lu: &DeviceBatch<'_, T>,
    pivots: &DeviceBuffer<u32>,
    status: &DeviceBuffer<i32>,
    size: Size,
) -> Result<Factors<T>> {
    let (n, batch) = (size.n as usize, size.batch as usize);
    Ok(Factors {
        lu: lu.expect(batch, n, n, "lu")?,
        pivots: pivots.global_of(batch * n, "pivots")?,
        status: status.global_of(batch, "status")?,
    })
}

/// op(A) X = B from factors (LAPACK `xGETRS`), for B and X in `T` and factors in its arithmetic type.
///
/// ```
/// use warplu::resident::{DeviceBatch, LuDetPlan, LuInversePlan, LuPlan, LuSolvePlan};
/// use warplu::{Device, Op};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let (a, b) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.upload(&[3.0, 2.0])?);
/// let (pivots, status) = (device.buffer(2)?, device.buffer(1)?);
/// let (phase, log_abs) = (device.buffer(1)?, device.buffer(1)?);
/// let inverse = device.buffer(4)?;
///
/// // In place: a becomes its factors, b the solution.
/// let lu = DeviceBatch::c_order(&a, 1, 2, 2)?;
/// let x = DeviceBatch::column_major(&b, 1, 2, 1)?;
/// LuPlan::<f64>::new(&device, 2, 1)?.run(&stream, &lu, &lu, &pivots, &status)?;
/// LuSolvePlan::<f64>::new(&device, 2, 1, 1)?.run(&stream, &lu, &pivots, &status, Op::None, &x, &x)?;
/// LuDetPlan::<f64>::new(&device, 2, 1)?.run(&stream, &lu, &pivots, &status, &phase, &log_abs)?;
/// let out = DeviceBatch::c_order(&inverse, 1, 2, 2)?;
/// LuInversePlan::<f64>::new(&device, 2, 1)?.run(&stream, &lu, &pivots, &status, &out, &status)?;
/// stream.synchronize()?;
/// assert_eq!(b.to_vec()?, [1.0, 1.0]);
/// assert_eq!(phase.to_vec()?, [1.0]);
/// assert_eq!(inverse.to_vec()?, [1.0, -1.0, -1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct LuSolvePlan<T: Element> {
    pub(super) machine: Machine,
    pub(super) size: Size,
    entry: &'static Entry,
    /// B and then X in f32, for 16-bit types: shape (batch, rhs, n).
    widened: Option<DeviceBuffer<T::Scalar>>,
    /// Whether A X = B is solved by the published substitution.
    substitutes: bool,
}

impl<T: Element> LuSolvePlan<T> {
    /// A plan for `batch` matrices of order `n` with `rhs` right-hand sides each.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the CPU; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize, rhs: usize) -> Result<Self> {
        let machine = device.machine()?.clone();
        let size = size(n, batch, rhs)?;
        leaves_factors(device.algorithm)?; // one that does not has none to start from
        let entry = prepare(&machine, device.algorithm, Family::Solve, T::Scalar::KIND, size)?;
        let substitutes = matches!(device.algorithm, Algorithm::ElementWise { .. });
        if substitutes {
            prepare_substitution(&machine, T::Scalar::KIND, size)?;
        }
        let mut widened = None;
        if let Some(variant) = T::CONVERSION {
            prepare_only(&machine, Family::Widen, variant, T::Scalar::KIND)?;
            prepare_only(&machine, Family::Narrow, variant, T::Scalar::KIND)?;
            widened = Some(device.buffer(batch * n * rhs)?);
        }
        Ok(Self { machine, size, entry, widened, substitutes })
    }

    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        if self.substitutes { Vec::new() } else { vec![self.entry.name] }
    }

    /// Enqueues the solution: x (which may be b) becomes op(A)^-1 b, n x rhs; all NaN where the status is not 0.
    ///
    /// # Errors
    /// [`Error::Shape`] if a batch is not of the plan's size.
    #[expect(clippy::too_many_arguments, reason = "LAPACK's getrs has as many")]
    pub fn run(
        &self,
        stream: &Stream,
        lu: &DeviceBatch<'_, T::Scalar>,
        pivots: &DeviceBuffer<u32>,
        status: &DeviceBuffer<i32>,
        op: Op,
        b: &DeviceBatch<'_, T>,
        x: &DeviceBatch<'_, T>,
    ) -> Result<()> {
        let (n, batch, rhs) = (self.size.n as usize, self.size.batch as usize, self.size.rhs as usize);
        let factors = factors(lu, pivots, status, self.size)?;
        let (b, x) = (b.expect(batch, n, rhs, "b")?, x.expect(batch, n, rhs, "x")?);
        let steps = Steps { machine: &self.machine, queue: &stream.queue };
        // SAFETY: the sizes were checked.
        unsafe { self.enqueue(&steps, self.size.batch, factors, op, b, x) }
    }

    /// # Safety
    /// As for [`Steps::solve`], for the first `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        steps: &Steps<'_>,
        batch: u64,
        factors: Factors<T::Scalar>,
        op: Op,
        b: Matrices<T>,
        x: Matrices<T>,
    ) -> Result<()> {
        let size = Size { batch, ..self.size };
        let Size { n, rhs, .. } = size;
        let solve = |b, x| {
            // SAFETY: the caller's promise.
            unsafe {
                match op {
                    Op::None if self.substitutes => steps.substitute(factors, b, x, size),
                    _ => steps.solve(self.entry, factors, op, b, x, size),
                }
            }
        };
        // SAFETY: the caller's promise; the widened buffer is of the plan's size.
        unsafe {
            match (T::CONVERSION, &self.widened) {
                (Some(variant), Some(buffer)) => {
                    let wide = matrices_at(buffer.address(), Layout::column_major(n as usize, rhs as usize));
                    steps.widen(variant, b, wide, (n, rhs), batch)?;
                    solve(wide, wide)?;
                    steps.narrow(variant, wide, x, (n, rhs), batch)
                }
                _ => solve(cast(b), cast(x)),
            }
        }
    }
}

/// A^-1 from factors (LAPACK `xGETRI`), for inverses in `T` and factors in its arithmetic type.
#[derive(Debug)]
pub struct LuInversePlan<T: Element> {
    pub(super) machine: Machine,
    pub(super) size: Size,
    inverting: Inverting,
    /// Room for matrices beyond shared memory: shape (batch, n, n).
    work: Option<DeviceBuffer<T::Scalar>>,
    /// Inverses in f32, for 16-bit types: shape (batch, n, n).
    wide: Option<DeviceBuffer<T::Scalar>>,
}

impl<T: Element> LuInversePlan<T> {
    /// A plan for `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the CPU; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        let mut plan = Self::without_work(device, n, batch)?;
        plan.work = Some(device.buffer(batch * n * n)?);
        Ok(plan)
    }

    /// As [`Self::new`], for a caller that gives the factors as room to work, where they may be.
    pub(super) fn in_factors(device: &Device, n: usize, batch: usize) -> Result<Self> {
        let plan = Self::without_work(device, n, batch)?;
        if plan.inverting.works_in_factors() { Ok(plan) } else { Self::new(device, n, batch) }
    }

    fn without_work(device: &Device, n: usize, batch: usize) -> Result<Self> {
        let machine = device.machine()?.clone();
        let size = size(n, batch, 1)?;
        leaves_factors(device.algorithm)?; // one that does not has none to start from
        let inverting = Inverting::prepare(&machine, device.algorithm, T::Scalar::KIND, size)?;
        let mut wide = None;
        if let Some(variant) = T::CONVERSION {
            prepare_only(&machine, Family::Narrow, variant, T::Scalar::KIND)?;
            wide = Some(device.buffer(batch * n * n)?);
        }
        Ok(Self { machine, size, inverting, work: None, wide })
    }

    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        match self.inverting {
            Inverting::Own(entry) => vec![entry.name],
            Inverting::Corrected(_) => Vec::new(),
        }
    }

    /// Enqueues the inversion. `status` (which may be `lu_status`) becomes the factorization's, or -1 where the inverse
    /// overflows; the inverse is all NaN where it is not 0.
    ///
    /// # Errors
    /// [`Error::Shape`] if a batch is not of the plan's size.
    pub fn run(
        &self,
        stream: &Stream,
        lu: &DeviceBatch<'_, T::Scalar>,
        pivots: &DeviceBuffer<u32>,
        lu_status: &DeviceBuffer<i32>,
        inverse: &DeviceBatch<'_, T>,
        status: &DeviceBuffer<i32>,
    ) -> Result<()> {
        let (n, batch) = (self.size.n as usize, self.size.batch as usize);
        let factors = factors(lu, pivots, lu_status, self.size)?;
        let inverse = inverse.expect(batch, n, n, "inverse")?;
        let status = status.global_of(batch, "status")?;
        let steps = Steps { machine: &self.machine, queue: &stream.queue };
        // SAFETY: the sizes were checked, and `new` has made the room to work.
        unsafe { self.enqueue(&steps, self.size.batch, factors, inverse, status, None) }
    }

    /// # Safety
    /// As for [`Steps::inverse`], for the first `batch` matrices. `work` is given unless the plan has its own.
    pub(crate) unsafe fn enqueue(
        &self,
        steps: &Steps<'_>,
        batch: u64,
        factors: Factors<T::Scalar>,
        inverse: Matrices<T>,
        status: Global<i32>,
        work: Option<Global<T::Scalar>>,
    ) -> Result<()> {
        let size = Size { batch, ..self.size };
        let n = size.n;
        let own = self.work.as_ref().map(DeviceBuffer::global);
        let Some(work) = own.or(work) else {
            return Err(Error::Unsupported("the plan has no room to work".to_owned()));
        };
        // SAFETY: the caller's promise; the buffers are of the plan's size.
        unsafe {
            match (T::CONVERSION, &self.wide) {
                (Some(variant), Some(buffer)) => {
                    let wide = matrices_at(buffer.address(), Layout::column_major(n as usize, n as usize));
                    steps.inverse_by(self.inverting, factors, wide, status, work, size)?;
                    steps.narrow(variant, wide, inverse, (n, n), batch)
                }
                _ => steps.inverse_by(self.inverting, factors, cast(inverse), status, work, size),
            }
        }
    }
}

/// Determinant from factors, as a sign or phase and the logarithm of the magnitude.
#[derive(Debug)]
pub struct LuDetPlan<S: Element> {
    pub(super) machine: Machine,
    pub(super) size: Size,
    element: PhantomData<S>,
}

impl<S: Element<Scalar = S> + Scalar> LuDetPlan<S> {
    /// A plan for `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the CPU; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        let machine = device.machine()?.clone();
        prepare_only(&machine, Family::Det, Variant::Only, S::KIND)?;
        Ok(Self { machine, size: size(n, batch, 1)?, element: PhantomData })
    }

    /// Enqueues the determinants: `phase` is det A / |det A|, `log_abs` is log |det A|; (0, -inf) for a singular matrix,
    /// (NaN, NaN) for one that is not finite.
    ///
    /// # Errors
    /// [`Error::Shape`] if a batch is not of the plan's size.
    pub fn run(
        &self,
        stream: &Stream,
        lu: &DeviceBatch<'_, S>,
        pivots: &DeviceBuffer<u32>,
        status: &DeviceBuffer<i32>,
        phase: &DeviceBuffer<S>,
        log_abs: &DeviceBuffer<S::Real>,
    ) -> Result<()> {
        let batch = self.size.batch as usize;
        let factors = factors(lu, pivots, status, self.size)?;
        let (phase, log_abs) = (phase.global_of(batch, "phase")?, log_abs.global_of(batch, "log_abs")?);
        let steps = Steps { machine: &self.machine, queue: &stream.queue };
        // SAFETY: the sizes were checked.
        unsafe { steps.det(factors, phase, log_abs, self.size) }
    }
}

/// The same matrices, for a type that is its own arithmetic type.
pub(super) fn cast<A: simt::Pod, B: simt::Pod>(m: Matrices<A>) -> Matrices<B> {
    debug_assert_eq!(size_of::<A>(), size_of::<B>());
    let Matrices { base, pointers, batch_stride, row_stride, col_stride } = m;
    // SAFETY: the same address; the types are the same.
    let base = unsafe { Global::new(base.address()) };
    Matrices { base, pointers, batch_stride, row_stride, col_stride }
}
