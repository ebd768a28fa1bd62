//! A = L L^H, or A = U^H U.

use std::marker::PhantomData;

use kernels_gpu::memory::matrix::Matrices;
use kernels_gpu::shape::Problem;
use simt::Pod;
use simt::global::Global;

use super::{Array, Room, Space, problem};
use crate::backend::Backend;
use crate::cpu;
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::launch::{CholeskyFactors, Launcher, matrices_at};
use crate::layout::Layout;
use crate::triangle::Triangle;

/// The factorization; factors are in the arithmetic type of `T`.
#[derive(Debug)]
pub(crate) struct Cholesky<T: Element> {
    size: Problem,
    triangle: Triangle,
    how: How,
    element: PhantomData<T>,
}

#[derive(Debug)]
enum How {
    Cpu,
}

impl<T: Element> Cholesky<T> {
    pub(crate) fn new(device: &Device, n: usize, triangle: Triangle, _space: &mut Space) -> Result<Self> {
        let size = problem(n, 1)?;
        device.check_algorithm()?;
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            _ => return Err(no_kernels()),
        };
        Ok(Self { size, triangle, how, element: PhantomData })
    }

    /// `factors.l` may be `a`.
    ///
    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        _launcher: &Launcher<'_>,
        batch: u64,
        a: Matrices<T>,
        factors: CholeskyFactors<T::Scalar>,
        _room: Room<'_>,
    ) -> Result<()> {
        let (size, a) = (Problem { batch, ..self.size }, as_lower(a, self.triangle));
        let factors = factors.as_lower(self.triangle);
        // SAFETY: the caller's promise.
        match self.how {
            How::Cpu => unsafe { cpu::cholesky::batch::factor(a, factors, size) },
        }
    }
}

/// That the device has no kernels for Cholesky factors.
pub(super) fn no_kernels() -> Error {
    Error::Unsupported(
        "Cholesky factorization is done by the CPU only yet: use the device `cpu`, or LU, which is for any matrix"
            .to_owned(),
    )
}

/// Matrices of which the lower triangle is read or written: A^T, whose lower triangle is A's upper one, is conj(A), and
/// its factor is U^T.
pub(super) fn as_lower<T: Pod>(m: Matrices<T>, triangle: Triangle) -> Matrices<T> {
    match triangle {
        Triangle::Lower => m,
        Triangle::Upper => Matrices { row_stride: m.col_stride, col_stride: m.row_stride, ..m },
    }
}

impl<S: Pod> CholeskyFactors<S> {
    /// Factors with their triangle as a lower one.
    pub(super) fn as_lower(self, triangle: Triangle) -> Self {
        Self { l: as_lower(self.l, triangle), ..self }
    }
}

/// Factors that a route keeps to itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnCholesky<S> {
    l: Array<S>, // shape (batch, n, n)
    n: usize,
}

impl<S: Element> OwnCholesky<S> {
    pub(super) fn new(n: usize, space: &mut Space) -> Result<Self> {
        Ok(Self { l: space.array(&[n, n])?, n })
    }

    /// With the statuses elsewhere. Compact and column-major.
    pub(super) fn with(&self, status: Global<i32>, room: Room<'_>) -> CholeskyFactors<S> {
        CholeskyFactors { l: matrices_at(room.at(self.l).address(), Layout::column_major(self.n, self.n)), status }
    }
}
