//! A X = B of positive definite matrices.

use kernels_cpu::calls;
use numbers::problem::Problem;

use super::cholesky::{OwnCholesky, as_lower};
use super::{Cholesky, CholeskySolve, Room, Sides, Space, Systems, problem};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::launch::Launcher;
use crate::triangle::Triangle;

/// The solution, by Cholesky factorization.
#[derive(Debug)]
pub(crate) struct DefiniteSolve<T: Element> {
    size: Problem,
    triangle: Triangle,
    how: How<T>,
}

#[derive(Debug)]
enum How<T: Element> {
    Cpu,
    /// Factors, then the solution from them.
    Factors {
        cholesky: Cholesky<T>,
        solve: CholeskySolve<T>,
        factors: OwnCholesky<T::Scalar>,
    },
}

impl<T: Element> DefiniteSolve<T> {
    pub(crate) fn new(device: &Single, n: usize, rhs: usize, triangle: Triangle, space: &mut Space) -> Result<Self> {
        let size = problem(n, rhs)?;
        device.check_algorithm()?;
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            _ => How::Factors {
                cholesky: Cholesky::new(device, n, triangle, space)?,
                solve: CholeskySolve::new(device, n, rhs, triangle, space)?,
                factors: OwnCholesky::new(n, space)?,
            },
        };
        Ok(Self { size, triangle, how })
    }

    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        systems: Systems<T>,
        room: Room<'_>,
    ) -> Result<()> {
        let (size, Systems { a, b, x, status }) = (Problem { batch, ..self.size }, systems);
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            match &self.how {
                How::Cpu => {
                    let (a, conjugated) = (as_lower(a, self.triangle), self.triangle == Triangle::Upper);
                    Ok(calls::cholesky_solve(a, conjugated, (b, x), status, size)?)
                }
                How::Factors { cholesky, solve, factors } => {
                    let factors = factors.with(status, room);
                    cholesky.enqueue(launcher, batch, a, factors, room)?;
                    solve.enqueue(launcher, batch, factors, Sides { b, x, status }, room)
                }
            }
        }
    }
}
