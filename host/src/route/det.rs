//! Determinants.

use kernels_cpu::calls;
use kernels_gpu::entry::{Family, Variant};
use numbers::det_product::DetParts;
use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::{DefiniteDet, Lu, OwnFactors, Room, Space, problem};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::launch::{Launcher, prepare_only};
use crate::structure::Structure;

/// Determinants from factors.
#[derive(Debug)]
pub(crate) struct LuDet {
    size: Problem,
    on_cpu: bool,
}

/// Determinants from the matrices.
#[derive(Debug)]
pub(crate) struct Det<T: Element> {
    size: Problem,
    how: How<T>,
}

#[derive(Debug)]
enum How<T: Element> {
    Cpu,
    /// Positive definite matrices, by Cholesky factorization.
    Definite(DefiniteDet<T>),
    /// Factors, then the determinants from them.
    Factors {
        lu: Lu<T>,
        det: LuDet,
        factors: OwnFactors<T::Scalar>,
    },
}

/// Where determinants go.
pub(crate) type Parts<S> = DetParts<S, <S as Scalar>::Real>;

impl LuDet {
    pub(crate) fn new<S: Scalar>(device: &Single, n: usize) -> Result<Self> {
        let on_cpu = matches!(device.backend, Backend::Cpu);
        if !on_cpu {
            prepare_only(&device.backend, Family::Det, Variant::Only, S::KIND)?;
        }
        Ok(Self { size: problem(n, 1)?, on_cpu })
    }

    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue<S: numbers::element::Arithmetic>(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        factors: Factors<S>,
        det: Parts<S>,
    ) -> Result<()> {
        let size = Problem { batch, ..self.size };
        // SAFETY: the caller's promise.
        unsafe {
            if self.on_cpu {
                return Ok(calls::det_from_factors(factors, det, size)?);
            }
            launcher.det(factors, det, size)
        }
    }
}

impl<T: Element> Det<T> {
    pub(crate) fn new(device: &Single, n: usize, space: &mut Space) -> Result<Self> {
        let size = problem(n, 1)?;
        device.check_algorithm()?;
        let how = match (device.structure, &device.backend) {
            (Structure::PositiveDefinite(triangle), _) => How::Definite(DefiniteDet::new(device, n, triangle, space)?),
            (Structure::General, Backend::Cpu) if device.pivoting.interchanges() => How::Cpu,
            (Structure::General, _) => How::Factors {
                lu: Lu::new(device, n, space)?,
                det: LuDet::new::<T::Scalar>(device, n)?,
                factors: OwnFactors::new(n, space)?,
            },
        };
        Ok(Self { size, how })
    }

    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        a: Matrices<T>,
        det: Parts<T::Scalar>,
        status: Global<i32>,
        room: Room<'_>,
    ) -> Result<()> {
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            match &self.how {
                How::Cpu => Ok(calls::det(a, det, status, Problem { batch, ..self.size })?),
                How::Definite(definite) => definite.enqueue(launcher, batch, a, det, status, room),
                How::Factors { lu, det: from_factors, factors } => {
                    let factors = factors.with(status, room);
                    lu.enqueue(launcher, batch, a, factors, room)?;
                    from_factors.enqueue(launcher, batch, factors, det)
                }
            }
        }
    }
}
