//! Determinants of positive definite matrices.

use kernels_cpu::calls;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use simt::global::Global;

use super::cholesky::{OwnCholesky, as_lower};
use super::{Cholesky, CholeskyDet, Parts, Room, Space, problem};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::launch::Launcher;
use crate::triangle::Triangle;

/// The determinants, by Cholesky factorization.
#[derive(Debug)]
pub(crate) struct DefiniteDet<T: Element> {
    size: Problem,
    triangle: Triangle,
    how: How<T>,
}

#[derive(Debug)]
enum How<T: Element> {
    Cpu,
    /// Factors, then the determinants from them.
    Factors {
        cholesky: Cholesky<T>,
        det: CholeskyDet,
        factors: OwnCholesky<T::Scalar>,
    },
}

impl<T: Element> DefiniteDet<T> {
    pub(crate) fn new(device: &Single, n: usize, triangle: Triangle, space: &mut Space) -> Result<Self> {
        let size = problem(n, 1)?;
        device.check_algorithm()?;
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            _ => How::Factors {
                cholesky: Cholesky::new(device, n, triangle, space)?,
                det: CholeskyDet::new::<T::Scalar>(device, n)?,
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
        a: Matrices<T>,
        parts: Parts<T::Scalar>,
        status: Global<i32>,
        room: Room<'_>,
    ) -> Result<()> {
        let size = Problem { batch, ..self.size };
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            match &self.how {
                How::Cpu => {
                    let a = as_lower(a, self.triangle);
                    Ok(calls::cholesky_det(a, parts, status, size)?)
                }
                How::Factors { cholesky, det, factors } => {
                    let factors = factors.with(status, room);
                    cholesky.enqueue(launcher, batch, a, factors, room)?;
                    det.enqueue(launcher, batch, factors, parts)
                }
            }
        }
    }
}
