//! PA = LU.

use std::marker::PhantomData;

use kernels_gpu::entry::Family;
use kernels_gpu::memory::matrix::Matrices;
use kernels_gpu::numbers::scalar::Scalar;
use kernels_gpu::shape::Problem;
use simt::global::Global;

use super::{Array, Room, Space, problem};
use crate::backend::Backend;
use crate::cpu;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::launch::{Factors, Launcher, LuKernels, cast, matrices_at, prepare_only};
use crate::layout::Layout;

/// The factorization; factors are in the arithmetic type of `T`.
#[derive(Debug)]
pub(crate) struct Lu<T: Element> {
    size: Problem,
    /// None on the CPU.
    kernels: Option<LuKernels>,
    element: PhantomData<T>,
}

impl<T: Element> Lu<T> {
    pub(crate) fn new(device: &Device, n: usize) -> Result<Self> {
        let size = problem(n, 1)?;
        device.check_algorithm()?;
        let kernels = match &device.backend {
            Backend::Cpu => None,
            backend => {
                if let Some(variant) = T::CONVERSION {
                    prepare_only(backend, Family::Widen, variant, T::Scalar::KIND)?;
                }
                Some(LuKernels::prepare(backend, device.algorithm, T::Scalar::KIND, size)?)
            }
        };
        Ok(Self { size, kernels, element: PhantomData })
    }

    /// The names of warplu's own kernels that it launches.
    pub(crate) fn kernels(&self) -> Vec<&'static str> {
        self.kernels.and_then(LuKernels::own).into_iter().collect()
    }

    /// `factors.lu` may be `a`.
    ///
    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        a: Matrices<T>,
        factors: Factors<T::Scalar>,
    ) -> Result<()> {
        let size = Problem { batch, ..self.size };
        // SAFETY: the caller's promise.
        unsafe {
            match (self.kernels, T::CONVERSION) {
                (None, _) => cpu::batch::factor(a, factors, size),
                (Some(kernels), Some(variant)) => {
                    launcher.widen(variant, a, factors.lu, (size.n, size.n), batch)?;
                    launcher.factor(kernels, factors.lu, factors, size)
                }
                (Some(kernels), None) => launcher.factor(kernels, cast(a), factors, size),
            }
        }
    }
}

/// Factors that a route keeps to itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnFactors<S> {
    pub(super) lu: Array<S>, // shape (batch, n, n)
    pivots: Array<u32>,      // shape (batch, n)
    n: usize,
}

impl<S: Element> OwnFactors<S> {
    pub(crate) fn new(n: usize, space: &mut Space) -> Result<Self> {
        Ok(Self { lu: space.array(&[n, n])?, pivots: space.array(&[n])?, n })
    }

    /// With the statuses elsewhere. Compact and column-major, so that kernels that can may work in their place.
    pub(super) fn with(&self, status: Global<i32>, room: Room<'_>) -> Factors<S> {
        self.laid_out(Layout::column_major(self.n, self.n), status, room)
    }

    pub(crate) fn laid_out(&self, layout: Layout, status: Global<i32>, room: Room<'_>) -> Factors<S> {
        Factors { lu: matrices_at(room.at(self.lu).address(), layout), pivots: room.at(self.pivots), status }
    }
}
