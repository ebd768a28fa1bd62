//! The plan that solves.

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::Scalar;
use simt::global::Global;

use super::factored::{LuSolvePlan, cast, size};
use super::lu::{LuPlan, OwnFactors};
use super::{DeviceBatch, DeviceBuffer, Stream, matrices_at};
use crate::algorithm::Algorithm;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::op::Op;
use crate::steps::{Elimination, Size, Steps, fused, prepare_copy, prepare_elimination, prepare_only};

/// A X = B by LU with partial pivoting (LAPACK `xGESV`), or by the device's algorithm. Where one kernel solves systems of
/// this size, the plan has memory for the upper triangles at most (16-bit types: and for matrices and right-hand sides in f32).
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
    machine: Machine,
    size: Size,
    way: Way<T>,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a plan is made once, and lies where its user put it")]
enum Way<T: Element> {
    /// One kernel, with the memory that it may need meanwhile: shape (batch, work numbers); for 16-bit types on matrices, shape
    /// (batch, n, n), and right-hand sides, shape (batch, rhs, n), in f32.
    Fused { entry: &'static Entry, work: Option<DeviceBuffer<T::Scalar>>, wide: Option<[DeviceBuffer<T::Scalar>; 2]> },
    /// Factors, then the solution from them.
    Factors { lu: LuPlan<T>, solve: LuSolvePlan<T>, factors: OwnFactors<T::Scalar> },
    /// Elimination in copies of the matrices, and for 16-bit types of the right-hand sides in f32: shape (batch, rhs, n).
    Elimination { how: Elimination, copy: OwnFactors<T::Scalar>, wide: Option<DeviceBuffer<T::Scalar>> },
}

/// What [`SolvePlan`] reads and writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolveBuffers<T: Element> {
    pub(crate) a: Matrices<T>,
    pub(crate) b: Matrices<T>,
    pub(crate) x: Matrices<T>,
    pub(crate) status: Global<i32>,
}

/// Numbers of memory that a kernel needs for a matrix of order `n`.
fn work_numbers(entry: &Entry, n: usize) -> usize {
    entry.variant.work_numbers(n as u32) as usize
}

impl<T: Element> SolvePlan<T> {
    /// A plan for `batch` matrices of order `n` with `rhs` right-hand sides each.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) on the CPU or where the device's algorithm does not solve; the
    /// driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize, rhs: usize) -> Result<Self> {
        let machine = device.machine()?.clone();
        let size = size(n, batch, rhs)?;
        if let Some(variant) = T::CONVERSION {
            prepare_only(&machine, Family::Widen, variant, T::Scalar::KIND)?;
            prepare_only(&machine, Family::Narrow, variant, T::Scalar::KIND)?;
        }
        // Room for what a 16-bit type is computed with.
        let wide = |cols: usize| T::CONVERSION.map(|_| device.buffer(batch * n * cols)).transpose();
        let way = if let Some(entry) = fused(&machine, device.algorithm, Family::FactorSolve, T::Scalar::KIND, size)? {
            machine.prepare(entry, entry.shape(&size.problem()).shared_bytes)?;
            let numbers = batch * work_numbers(entry, n);
            let work = (numbers > 0).then(|| device.buffer(numbers)).transpose()?;
            Way::Fused { entry, work, wide: wide(n)?.zip(wide(rhs)?).map(<[_; 2]>::from) }
        } else if let Algorithm::Elimination { strategy, threads, pivoting } = device.algorithm {
            let how = Elimination { strategy, threads, pivoting };
            prepare_elimination(&machine, how, T::Scalar::KIND, size)?;
            prepare_copy(&machine, T::Scalar::KIND)?;
            Way::Elimination { how, copy: OwnFactors::new(device, n, batch)?, wide: wide(rhs)? }
        } else {
            Way::Factors {
                lu: LuPlan::new(device, n, batch)?,
                solve: LuSolvePlan::new(device, n, batch, rhs)?,
                factors: OwnFactors::new(device, n, batch)?,
            }
        };
        Ok(Self { machine, size, way })
    }

    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        match &self.way {
            Way::Fused { entry, .. } => vec![entry.name],
            Way::Factors { lu, solve, .. } => [lu.kernels(), solve.kernels()].concat(),
            Way::Elimination { .. } => Vec::new(),
        }
    }

    /// Bytes of memory that a plan for matrices of order `n` with `rhs` right-hand sides takes for each.
    pub(crate) fn scratch(device: &Device, n: usize, rhs: usize) -> Result<usize> {
        let (kind, one) = (T::Scalar::KIND, size(n, 1, rhs)?);
        let wide = |cols: usize| if T::CONVERSION.is_some() { n * cols * size_of::<T::Scalar>() } else { 0 };
        let by = fused(device.machine()?, device.algorithm, Family::FactorSolve, kind, one)?;
        let fused = |entry: &Entry| wide(n) + work_numbers(entry, n) * size_of::<T::Scalar>();
        Ok(wide(rhs) + by.map_or(OwnFactors::<T::Scalar>::bytes(n), fused))
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
        let Size { n, batch, rhs } = self.size;
        let (n, batch, rhs) = (n as usize, batch as usize, rhs as usize);
        let buffers = SolveBuffers {
            a: a.expect(batch, n, n, "a")?,
            b: b.expect(batch, n, rhs, "b")?,
            x: x.expect(batch, n, rhs, "x")?,
            status: status.global_of(batch, "status")?,
        };
        let steps = Steps { machine: &self.machine, queue: &stream.queue };
        // SAFETY: the sizes were checked.
        unsafe { self.enqueue(&steps, self.size.batch, buffers) }
    }

    /// # Safety
    /// As for [`Steps::solve`], for the first `batch` matrices.
    pub(crate) unsafe fn enqueue(&self, steps: &Steps<'_>, batch: u64, buffers: SolveBuffers<T>) -> Result<()> {
        let SolveBuffers { a, b, x, status } = buffers;
        let size = Size { batch, ..self.size };
        let Size { n, rhs, .. } = size;
        let (square, tall) = ((n, n), (n, rhs));
        let compact = |wide: &DeviceBuffer<T::Scalar>, (rows, cols): (u32, u32)| {
            matrices_at(wide.address(), Layout::column_major(rows as usize, cols as usize))
        };
        // SAFETY: the caller's promise; the plan's own buffers are of its size.
        unsafe {
            match &self.way {
                Way::Fused { entry, work, wide } => {
                    let work = work.as_ref().map_or(Global::new(0), DeviceBuffer::global); // absent
                    match (T::CONVERSION, wide) {
                        (Some(variant), Some([wide_a, wide_b])) => {
                            let (wide_a, wide_b) = (compact(wide_a, square), compact(wide_b, tall));
                            steps.widen(variant, a, wide_a, square, batch)?;
                            steps.widen(variant, b, wide_b, tall, batch)?;
                            steps.factor_solve(entry, wide_a, (wide_b, wide_b), status, work, size)?;
                            steps.narrow(variant, wide_b, x, tall, batch)
                        }
                        _ => steps.factor_solve(entry, cast(a), (cast(b), cast(x)), status, work, size),
                    }
                }
                Way::Factors { lu, solve, factors } => {
                    let factors = factors.with(status);
                    lu.enqueue(steps, batch, a, factors)?;
                    solve.enqueue(steps, batch, factors, Op::None, b, x)
                }
                Way::Elimination { how, copy, wide } => {
                    // In C order, which its strategies are made for.
                    let own = copy.laid_out(Layout::c_order(n as usize, n as usize), status);
                    match (T::CONVERSION, wide) {
                        (Some(variant), Some(wide)) => {
                            let wide = compact(wide, tall);
                            steps.widen(variant, a, own.lu, square, batch)?;
                            steps.widen(variant, b, wide, tall, batch)?;
                            steps.eliminate(*how, own.lu, wide, own.pivots, status, size)?;
                            steps.narrow(variant, wide, x, tall, batch)
                        }
                        _ => {
                            steps.copy(cast(a), own.lu, square, batch)?;
                            steps.copy::<T::Scalar>(cast(b), cast(x), tall, batch)?;
                            steps.eliminate(*how, own.lu, cast(x), own.pivots, status, size)
                        }
                    }
                }
            }
        }
    }
}
