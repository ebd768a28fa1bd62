//! A X = B from Cholesky factors.

use std::marker::PhantomData;

use kernels_gpu::shape::Problem;

use super::cholesky::no_kernels;
use super::{Room, Sides, Space, problem};
use crate::backend::Backend;
use crate::cpu;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::launch::{CholeskyFactors, Launcher};
use crate::triangle::Triangle;

/// The solution; B and X are in `T`, the factors in its arithmetic type.
#[derive(Debug)]
pub(crate) struct CholeskySolve<T: Element> {
    size: Problem,
    triangle: Triangle,
    how: How,
    element: PhantomData<T>,
}

#[derive(Debug)]
enum How {
    Cpu,
}

impl<T: Element> CholeskySolve<T> {
    pub(crate) fn new(device: &Device, n: usize, rhs: usize, triangle: Triangle, _space: &mut Space) -> Result<Self> {
        let size = problem(n, rhs)?;
        device.check_algorithm()?;
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            _ => return Err(no_kernels()),
        };
        Ok(Self { size, triangle, how, element: PhantomData })
    }

    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        _launcher: &Launcher<'_>,
        batch: u64,
        factors: CholeskyFactors<T::Scalar>,
        sides: Sides<T>,
        _room: Room<'_>,
    ) -> Result<()> {
        let (size, factors) = (Problem { batch, ..self.size }, factors.as_lower(self.triangle));
        let Sides { b, x, status } = sides;
        // U^T is the factor of the conjugate matrix.
        let conjugated = self.triangle == Triangle::Upper;
        // SAFETY: the caller's promise.
        match self.how {
            How::Cpu => unsafe { cpu::cholesky::batch::solve_from_factors(factors, conjugated, (b, x), status, size) },
        }
    }
}
