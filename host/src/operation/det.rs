//! Determinants: of matrices, from LU factors, from Cholesky factors.

use kernels_cpu::calls;
use kernels_gpu::entry::{Family, Variant};
use numbers::det_product::DetParts;
use numbers::scalar::Scalar;

use super::factor::{cholesky_route, lu_route};
use super::through::{through_cholesky, through_lu};
use super::{Extent, Operand, Operation, Route, Work, triangular};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::{Element, RealOf};
use crate::error::Result;
use crate::launch::prepare_only;
use crate::route::{OwnCholesky, OwnFactors, Space, as_lower, problem};
use crate::structure::Structure;

/// det A.
pub(super) fn det<T: Element>() -> Operation {
    Operation::new(
        const {
            let [values, sign, log_abs] = parts::<T>();
            &[Operand::read::<T>("a", Extent::Square), values, sign, log_abs, Operand::STATUS]
        },
        |device, size, space| det_route::<T>(device, size.n, space),
    )
}

/// det A from LU factors.
pub(super) fn lu_det<T: Element>() -> Operation {
    Operation::new(
        const {
            let [values, sign, log_abs] = parts::<T>();
            &[
                Operand::read::<T::Scalar>("lu", Extent::Square),
                Operand::read::<u32>("pivots", Extent::Rows),
                Operand::read::<i32>("status", Extent::One),
                values,
                sign,
                log_abs,
            ]
        },
        |device, size, _| lu_det_route::<T>(device, size.n),
    )
}

/// det A from Cholesky factors, in either triangle.
pub(super) fn cholesky_det<T: Element>() -> Operation {
    Operation::new(
        const {
            let [values, sign, log_abs] = parts::<T>();
            &[
                Operand::read::<T::Scalar>("factors", Extent::Square),
                Operand::read::<i32>("status", Extent::One),
                values,
                sign,
                log_abs,
            ]
        },
        |device, size, _| cholesky_det_route::<T>(device, size.n),
    )
}

/// The determinants themselves, their phases, and the logarithms of their magnitudes.
const fn parts<T: Element>() -> [Operand; 3] {
    [
        Operand::one::<T::Scalar>("values"),
        Operand::one::<T::Scalar>("sign"),
        Operand::written::<RealOf<T>>("log_abs", Extent::One),
    ]
}

impl Work<'_> {
    pub(super) fn parts<S: Scalar>(&self, at: usize) -> DetParts<S, S::Real> {
        DetParts { value: self.values(at), phase: self.values(at + 1), log_abs: self.values(at + 2) }
    }
}

/// By the CPU, or by factors.
fn det_route<T: Element>(device: &Single, n: usize, space: &mut Space) -> Result<Route> {
    let size = problem(n, 1)?;
    device.check_algorithm()?;
    let on_cpu = matches!(device.backend, Backend::Cpu);
    match device.options.structure {
        Structure::PositiveDefinite(triangle) if on_cpu => Route::new(Vec::new(), move |work| {
            let (a, det, status) = (as_lower(work.matrices(0), triangle), work.parts(1), work.values(4));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe { Ok(calls::cholesky_det::<T>(a, det, status, work.sized(size))?) }
        }),
        Structure::PositiveDefinite(triangle) => {
            let factor = cholesky_route::<T>(device, n, space)?;
            let det = cholesky_det_route::<T>(device, n)?;
            through_cholesky(factor, det, (OwnCholesky::<T::Scalar>::new(n, space)?, triangle), 5)
        }
        Structure::Triangular(triangular) => triangular::det_route::<T>(device, n, triangular, space),
        Structure::General if on_cpu && device.options.pivoting.interchanges() => Route::new(Vec::new(), move |work| {
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe { Ok(calls::det::<T>(work.matrices(0), work.parts(1), work.values(4), work.sized(size))?) }
        }),
        Structure::General => {
            let (factor, det) = (lu_route::<T>(device, n, space)?, lu_det_route::<T>(device, n)?);
            through_lu(factor, det, OwnFactors::<T::Scalar>::new(n, space)?, 5)
        }
    }
}

fn lu_det_route<T: Element>(device: &Single, n: usize) -> Result<Route> {
    let size = problem(n, 1)?;
    let on_cpu = matches!(device.backend, Backend::Cpu);
    if !on_cpu {
        prepare_only(&device.backend, Family::Det, Variant::Only, T::Scalar::KIND)?;
    }
    Route::new(Vec::new(), move |work| {
        let (factors, det, size) = (work.lu::<T::Scalar>(0), work.parts(3), work.sized(size));
        // SAFETY: the promise of who enqueues; the operands are these.
        unsafe {
            if on_cpu {
                Ok(calls::det_from_factors(factors, det, size)?)
            } else {
                work.launcher.det(factors, det, size)
            }
        }
    })
}

fn cholesky_det_route<T: Element>(device: &Single, n: usize) -> Result<Route> {
    let size = problem(n, 1)?;
    let on_cpu = matches!(device.backend, Backend::Cpu);
    if !on_cpu {
        prepare_only(&device.backend, Family::CholeskyDet, Variant::Only, T::Scalar::KIND)?;
    }
    Route::new(Vec::new(), move |work| {
        let (factors, det, size) = (work.cholesky::<T::Scalar>(0), work.parts(2), work.sized(size));
        // SAFETY: the promise of who enqueues; the operands are these.
        unsafe {
            if on_cpu {
                return Ok(calls::cholesky_det_from_factors(factors, det, size)?);
            }
            work.launcher.cholesky_det(factors, det, size)
        }
    })
}
