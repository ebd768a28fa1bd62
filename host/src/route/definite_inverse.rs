//! A^-1 of positive definite matrices.

use kernels_cpu::calls;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use simt::global::Global;

use super::cholesky::{OwnCholesky, as_lower};
use super::{Cholesky, CholeskyInverse, Room, Space, problem};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::launch::Launcher;
use crate::triangle::Triangle;

/// The inversion, by Cholesky factorization.
#[derive(Debug)]
pub(crate) struct DefiniteInverse<T: Element> {
    size: Problem,
    triangle: Triangle,
    how: How<T>,
}

#[derive(Debug)]
enum How<T: Element> {
    Cpu,
    /// Factors, then the inverse from them.
    Factors {
        cholesky: Cholesky<T>,
        inverse: CholeskyInverse<T>,
        factors: OwnCholesky<T::Scalar>,
    },
}

impl<T: Element> DefiniteInverse<T> {
    pub(crate) fn new(device: &Single, n: usize, triangle: Triangle, space: &mut Space) -> Result<Self> {
        let size = problem(n, 1)?;
        device.check_algorithm()?;
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            _ => How::Factors {
                cholesky: Cholesky::new(device, n, triangle, space)?,
                inverse: CholeskyInverse::new(device, n, triangle, space)?,
                factors: OwnCholesky::new(n, space)?,
            },
        };
        Ok(Self { size, triangle, how })
    }

    /// `inverse` may be `a`.
    ///
    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        (a, inverse): (Matrices<T>, Matrices<T>),
        status: Global<i32>,
        room: Room<'_>,
    ) -> Result<()> {
        let size = Problem { batch, ..self.size };
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            match &self.how {
                How::Cpu => {
                    let [a, inverse] = [a, inverse].map(|m| as_lower(m, self.triangle));
                    Ok(calls::cholesky_invert(a, inverse, status, size)?)
                }
                How::Factors { cholesky, inverse: invert, factors } => {
                    let factors = factors.with(status, room);
                    cholesky.enqueue(launcher, batch, a, factors, room)?;
                    invert.enqueue(launcher, batch, factors, inverse, status, room)
                }
            }
        }
    }
}
