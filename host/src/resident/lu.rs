//! The plan that factors.

use std::marker::PhantomData;

use kernels_gpu::entry::Family;
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::Scalar;
use simt::global::Global;

use super::factored::{cast, size};
use super::{DeviceBatch, DeviceBuffer, Stream, matrices_at};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::steps::{Factoring, Factors, Size, Steps, prepare_only};

/// PA = LU with partial pivoting (LAPACK `xGETRF`); factors are in the arithmetic type of `T`.
#[derive(Debug)]
pub struct LuPlan<T: Element> {
    pub(super) machine: Machine,
    factoring: Factoring,
    pub(super) size: Size,
    element: PhantomData<T>,
}

impl<T: Element> LuPlan<T> {
    /// A plan for `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) on the CPU or where the device's algorithm leaves no factors; the
    /// driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        let machine = device.machine()?.clone();
        let size = size(n, batch, 1)?;
        let factoring = Factoring::prepare(&machine, device.algorithm, T::Scalar::KIND, size)?;
        if let Some(variant) = T::CONVERSION {
            prepare_only(&machine, Family::Widen, variant, T::Scalar::KIND)?;
        }
        Ok(Self { machine, factoring, size, element: PhantomData })
    }

    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        match self.factoring {
            Factoring::Own(entry) => vec![entry.name],
            Factoring::Block(_) | Factoring::ElementWise { .. } => Vec::new(),
        }
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
pub(super) struct OwnFactors<S: Element> {
    pub(super) lu: DeviceBuffer<S>, // shape (batch, n, n)
    pivots: DeviceBuffer<u32>,      // shape (batch, n)
    n: usize,
}

impl<S: Element> OwnFactors<S> {
    pub(super) fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        Ok(Self { lu: device.buffer(batch * n * n)?, pivots: device.buffer(batch * n)?, n })
    }

    /// Bytes for a matrix of order `n`.
    pub(super) fn bytes(n: usize) -> usize {
        n * n * size_of::<S>() + n * size_of::<u32>()
    }

    /// With the statuses elsewhere.
    pub(super) fn with(&self, status: Global<i32>) -> Factors<S> {
        self.laid_out(Layout::column_major(self.n, self.n), status)
    }

    pub(super) fn laid_out(&self, layout: Layout, status: Global<i32>) -> Factors<S> {
        Factors { lu: matrices_at(self.lu.address(), layout), pivots: self.pivots.global(), status }
    }
}
