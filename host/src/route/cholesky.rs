//! A = L L^H, or A = U^H U.

use kernels_cpu::calls;
use numbers::factors::CholeskyFactors;
use std::marker::PhantomData;

use kernels_gpu::entry::{Entry, Family};
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::Pod;
use simt::global::Global;

use super::{Array, ByBlocks, Room, Space, problem};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::{Element, conversion};
use crate::error::{Error, Result};
use crate::launch::{Given, Launcher, cast, matrices_at, prepare, prepare_only};
use crate::layout::Layout;
use crate::triangle::Triangle;

/// The factorization; factors are in the arithmetic type of `T`.
#[derive(Debug)]
pub(crate) struct Cholesky<T: Element> {
    size: Problem,
    triangle: Triangle,
    how: How<T::Scalar>,
    element: PhantomData<T>,
}

#[derive(Debug)]
enum How<S> {
    Cpu,
    Kernel(&'static Entry),
    /// Large matrices: by many blocks each.
    ByBlocks(Box<ByBlocks<S>>),
}

/// Up to this order there are kernels for any GPU.
const ANY_GPU: u32 = 32;
/// The lowest tier with kernels for others.
const MATRIX_INSTRUCTIONS: u32 = 80;

impl<T: Element> Cholesky<T> {
    pub(crate) fn new(device: &Single, n: usize, triangle: Triangle, space: &mut Space) -> Result<Self> {
        let size = problem(n, 1)?;
        device.check_algorithm()?;
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            backend if size.n > ANY_GPU && backend.limits().tier < MATRIX_INSTRUCTIONS => {
                return Err(Error::Unsupported(format!(
                    "Cholesky factorization above order {ANY_GPU} takes a GPU of compute capability 8.0 or higher: use \
                     LU, which is for any matrix, or the device `cpu`"
                )));
            }
            backend => {
                if let Some(variant) = conversion::<T>() {
                    prepare_only(backend, Family::Widen, variant, T::Scalar::KIND)?;
                }
                match ByBlocks::new(device, Problem { rhs: 0, ..size }, Given::Definite, space)? {
                    Some(by_blocks) => How::ByBlocks(Box::new(by_blocks)),
                    None => How::Kernel(prepare(backend, device.algorithm, Family::Potrf, T::Scalar::KIND, size)?),
                }
            }
        };
        Ok(Self { size, triangle, how, element: PhantomData })
    }

    /// The names of warplu's own kernels that it launches.
    pub(crate) fn kernels(&self) -> Vec<&'static str> {
        match &self.how {
            How::Cpu => Vec::new(),
            How::Kernel(entry) => vec![entry.name],
            How::ByBlocks(by_blocks) => by_blocks.names(),
        }
    }

    /// `factors.l` may be `a`.
    ///
    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        a: Matrices<T>,
        factors: CholeskyFactors<T::Scalar>,
        room: Room<'_>,
    ) -> Result<()> {
        let (size, a) = (Problem { batch, ..self.size }, as_lower(a, self.triangle));
        let factors = lower_factors(factors, self.triangle);
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            let a = match (&self.how, conversion::<T>()) {
                (How::Cpu, _) => return Ok(calls::cholesky(a, factors, size)?),
                (_, Some(variant)) => {
                    launcher.widen(variant, a, factors.l, (size.n, size.n), batch)?;
                    factors.l
                }
                (_, None) => cast(a),
            };
            match &self.how {
                How::Cpu => Ok(()),
                How::Kernel(entry) => launcher.cholesky(entry, a, factors, size),
                How::ByBlocks(by_blocks) => by_blocks.cholesky(launcher, batch, a, factors, room),
            }
        }
    }
}

/// Matrices of which the lower triangle is read or written: A^T, whose lower triangle is A's upper one, is conj(A), and
/// its factor is U^T.
pub(crate) fn as_lower<T: Pod>(m: Matrices<T>, triangle: Triangle) -> Matrices<T> {
    match triangle {
        Triangle::Lower => m,
        Triangle::Upper => Matrices { row_stride: m.col_stride, col_stride: m.row_stride, ..m },
    }
}

/// Factors with their triangle as a lower one.
pub(crate) fn lower_factors<S: Pod>(factors: CholeskyFactors<S>, triangle: Triangle) -> CholeskyFactors<S> {
    CholeskyFactors { l: as_lower(factors.l, triangle), ..factors }
}

/// Factors that a route keeps to itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnCholesky<S> {
    l: Array<S>, // shape (batch, n, n)
    n: usize,
}

impl<S: Element> OwnCholesky<S> {
    pub(crate) fn new(n: usize, space: &mut Space) -> Result<Self> {
        Ok(Self { l: space.array(&[n, n])?, n })
    }

    /// With the statuses elsewhere. Compact and column-major.
    pub(crate) fn with(&self, status: Global<i32>, room: Room<'_>) -> CholeskyFactors<S> {
        CholeskyFactors { l: matrices_at(room.at(self.l).address(), Layout::column_major(self.n, self.n)), status }
    }
}
