//! A X = B from Cholesky factors.

use kernels_cpu::calls;
use kernels_gpu::entry::{Family, Variant};
use numbers::factors::CholeskyFactors;
use numbers::problem::Problem;
use numbers::scalar::Scalar;

use super::cholesky::lower_factors;
use super::{LuSolve, OwnFactors, Room, Sides, Space, problem};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::launch::{Launcher, prepare_only};
use crate::triangle::Triangle;
use numbers::op::Op;

/// The solution; B and X are in `T`, the factors in its arithmetic type.
#[derive(Debug)]
pub(crate) struct CholeskySolve<T: Element> {
    size: Problem,
    triangle: Triangle,
    how: How<T>,
}

#[derive(Debug)]
enum How<T: Element> {
    Cpu,
    /// By factors of LU, which those of Cholesky are made.
    Lu {
        solve: Box<LuSolve<T>>,
        factors: OwnFactors<T::Scalar>,
    },
}

impl<T: Element> CholeskySolve<T> {
    pub(crate) fn new(device: &Single, n: usize, rhs: usize, triangle: Triangle, space: &mut Space) -> Result<Self> {
        let size = problem(n, rhs)?;
        device.check_algorithm()?;
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            backend => {
                prepare_only(backend, Family::LuOfCholesky, Variant::Only, T::Scalar::KIND)?;
                let solve = Box::new(LuSolve::new(device, n, rhs, space)?);
                How::Lu { solve, factors: OwnFactors::new(n, space)? }
            }
        };
        Ok(Self { size, triangle, how })
    }

    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        factors: CholeskyFactors<T::Scalar>,
        sides: Sides<T>,
        room: Room<'_>,
    ) -> Result<()> {
        let (size, factors) = (Problem { batch, ..self.size }, lower_factors(factors, self.triangle));
        // U^T is the factor of the conjugate matrix, which is the transposed one.
        let is_upper = self.triangle == Triangle::Upper;
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            match &self.how {
                How::Cpu => {
                    let Sides { b, x, status } = sides;
                    Ok(calls::cholesky_solve_from_factors(factors, is_upper, (b, x), status, size)?)
                }
                How::Lu { solve, factors: own } => {
                    let lu = own.with(factors.status, room);
                    launcher.lu_of_cholesky(factors, lu, size)?;
                    let op = if is_upper { Op::Transpose } else { Op::None };
                    solve.enqueue(launcher, batch, lu, op, sides, room)
                }
            }
        }
    }
}
