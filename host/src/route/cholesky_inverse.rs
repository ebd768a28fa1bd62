//! A^-1 from Cholesky factors.

use std::marker::PhantomData;

use kernels_gpu::memory::matrix::Matrices;
use kernels_gpu::shape::Problem;
use simt::global::Global;

use super::cholesky::{as_lower, no_kernels};
use super::{Room, Space, problem};
use crate::backend::Backend;
use crate::cpu;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::launch::{CholeskyFactors, Launcher};
use crate::triangle::Triangle;

/// The inversion; inverses are in `T`, the factors in its arithmetic type.
#[derive(Debug)]
pub(crate) struct CholeskyInverse<T: Element> {
    size: Problem,
    triangle: Triangle,
    how: How,
    element: PhantomData<T>,
}

#[derive(Debug)]
enum How {
    Cpu,
}

impl<T: Element> CholeskyInverse<T> {
    pub(crate) fn new(device: &Device, n: usize, triangle: Triangle, _space: &mut Space) -> Result<Self> {
        let size = problem(n, 1)?;
        device.check_algorithm()?;
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            _ => return Err(no_kernels()),
        };
        Ok(Self { size, triangle, how, element: PhantomData })
    }

    /// `status` may be that of the factors.
    ///
    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        _launcher: &Launcher<'_>,
        batch: u64,
        factors: CholeskyFactors<T::Scalar>,
        inverse: Matrices<T>,
        status: Global<i32>,
        _room: Room<'_>,
    ) -> Result<()> {
        let (size, factors) = (Problem { batch, ..self.size }, factors.as_lower(self.triangle));
        // The inverse of the conjugate matrix is the transposed one.
        let inverse = as_lower(inverse, self.triangle);
        // SAFETY: the caller's promise.
        match self.how {
            How::Cpu => unsafe { cpu::cholesky::batch::invert_from_factors(factors, inverse, status, size) },
        }
    }
}
