//! PA = LU.

use kernels_cpu::calls;
use numbers::factors::Factors;
use std::marker::PhantomData;

use kernels_gpu::entry::Family;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::{Array, ByBlocks, Room, Space, problem};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::{Element, conversion};
use crate::error::Result;
use crate::launch::{Given, Launcher, LuKernels, cast, matrices_at, prepare_only};
use crate::layout::Layout;
use crate::pivoting::Pivoting;

/// The factorization; factors are in the arithmetic type of `T`.
#[derive(Debug)]
pub(crate) struct Lu<T: Element> {
    size: Problem,
    how: How<T::Scalar>,
    element: PhantomData<T>,
}

#[derive(Debug)]
enum How<S> {
    Cpu(Pivoting),
    Kernels(LuKernels),
    /// Large matrices: by many blocks each.
    ByBlocks(Box<ByBlocks<S>>),
}

impl<T: Element> Lu<T> {
    pub(crate) fn new(device: &Single, n: usize, space: &mut Space) -> Result<Self> {
        let size = problem(n, 1)?;
        device.check_algorithm()?;
        let how = match &device.backend {
            Backend::Cpu => How::Cpu(device.pivoting),
            backend => {
                if let Some(variant) = conversion::<T>() {
                    prepare_only(backend, Family::Widen, variant, T::Scalar::KIND)?;
                }
                let choices = (device.algorithm, device.pivoting);
                let by_blocks = if device.pivoting.interchanges() {
                    ByBlocks::new(device, Problem { rhs: 0, ..size }, Given::Matrices, space)?
                } else {
                    None
                };
                match by_blocks {
                    Some(by_blocks) => How::ByBlocks(Box::new(by_blocks)),
                    None => How::Kernels(LuKernels::prepare(backend, choices, T::Scalar::KIND, size)?),
                }
            }
        };
        Ok(Self { size, how, element: PhantomData })
    }

    /// The names of warplu's own kernels that it launches.
    pub(crate) fn kernels(&self) -> Vec<&'static str> {
        match &self.how {
            How::Cpu(_) => Vec::new(),
            How::Kernels(kernels) => kernels.own().into_iter().collect(),
            How::ByBlocks(by_blocks) => by_blocks.names(),
        }
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
        room: Room<'_>,
    ) -> Result<()> {
        let size = Problem { batch, ..self.size };
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            let a = match (&self.how, conversion::<T>()) {
                (How::Cpu(pivoting), _) if pivoting.interchanges() => return Ok(calls::factor(a, factors, size)?),
                (How::Cpu(pivoting), _) => {
                    return Ok(calls::factor_without_interchanges(a, factors, pivoting.threshold(), size)?);
                }
                (_, Some(variant)) => {
                    launcher.widen(variant, a, factors.lu, (size.n, size.n), batch)?;
                    factors.lu
                }
                (_, None) => cast(a),
            };
            match &self.how {
                How::Cpu(_) => Ok(()),
                How::Kernels(kernels) => launcher.factor(*kernels, a, factors, size),
                How::ByBlocks(by_blocks) => by_blocks.factor(launcher, batch, a, factors, room),
            }
        }
    }
}

/// Factors that a route keeps to itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnFactors<S> {
    pub(crate) lu: Array<S>, // shape (batch, n, n)
    pivots: Array<u32>,      // shape (batch, n)
    n: usize,
}

impl<S: Element> OwnFactors<S> {
    pub(crate) fn new(n: usize, space: &mut Space) -> Result<Self> {
        Ok(Self { lu: space.array(&[n, n])?, pivots: space.array(&[n])?, n })
    }

    /// With the statuses elsewhere. Compact and column-major, so that kernels that can may work in their place.
    pub(crate) fn with(&self, status: Global<i32>, room: Room<'_>) -> Factors<S> {
        self.laid_out(Layout::column_major(self.n, self.n), status, room)
    }

    pub(crate) fn laid_out(&self, layout: Layout, status: Global<i32>, room: Room<'_>) -> Factors<S> {
        Factors { lu: matrices_at(room.at(self.lu).address(), layout), pivots: room.at(self.pivots), status }
    }
}
