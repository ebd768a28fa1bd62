//! Inverses: of matrices, from LU factors, from Cholesky factors.

use kernels_cpu::calls;
use kernels_gpu::entry::{Family, Variant};
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::factor::{cholesky_route, lu_route};
use super::through::{through_cholesky, through_lu};
use super::{Extent, Operand, Operation, Route, Work, triangular};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::extend::{Part, steps};
use crate::launch::{Given, fused, leaves_factors, prepare, prepare_only};
use crate::residual::Residual;
use crate::route::{Array, ByBlocks, OwnCholesky, OwnFactors, Space, Wide, as_lower, problem};
use crate::structure::Structure;
use crate::triangle::Triangle;

/// A^-1.
pub(super) fn invert<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T>("a", Extent::Square),
                Operand::written::<T>("inverse", Extent::Square),
                Operand::STATUS,
            ]
        },
        |device, size, space| invert_route::<T>(device, size.n, space),
    )
}

/// A^-1 from LU factors (LAPACK `xGETRI`).
pub(super) fn lu_invert<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T::Scalar>("lu", Extent::Square),
                Operand::read::<u32>("pivots", Extent::Rows),
                Operand::read::<i32>("lu_status", Extent::One),
                Operand::written::<T>("inverse", Extent::Square),
                Operand::STATUS,
            ]
        },
        |device, size, space| lu_invert_route::<T>(device, size.n, None, space),
    )
}

/// A^-1 from Cholesky factors in a triangle (`xPOTRI`).
pub(super) fn cholesky_invert<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T::Scalar>("factors", Extent::Square),
                Operand::read::<i32>("factor_status", Extent::One),
                Operand::written::<T>("inverse", Extent::Square),
                Operand::STATUS,
            ]
        },
        |device, size, space| cholesky_invert_route::<T>(device, size.n, space),
    )
}

/// By the CPU; by many blocks each, where matrices are large; by one kernel; as an algorithm of another crate does; else by
/// factors: where no kernel does both, the right residual is to be small, too, or rows are not interchanged.
fn invert_route<T: Element>(device: &Single, n: usize, space: &mut Space) -> Result<Route> {
    let (size, backend, at_once) = (problem(n, 1)?, &device.backend, device.options.pivoting.interchanges());
    device.check_algorithm()?;
    let by_factors = device.options.residual == Residual::Both;
    if by_factors {
        leaves_factors(device.options.algorithm)?;
    }
    match device.options.structure {
        Structure::General => {}
        Structure::PositiveDefinite(triangle) => return definite_route::<T>(device, n, triangle, space),
        Structure::Triangular(_) if by_factors => {
            return Err(Error::Unsupported(
                "inverses of triangular matrices have small left residuals: leave out that both are to be small"
                    .to_owned(),
            ));
        }
        Structure::Triangular(triangular) => return triangular::invert_route::<T>(device, n, triangular, space),
    }
    if at_once && matches!(backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe { Ok(calls::invert::<T>(work.matrices(0), work.matrices(1), work.values(2), work.sized(size))?) }
        });
    }
    if at_once
        && let Some(by_blocks) =
            ByBlocks::<T::Scalar>::new(device, Problem { rhs: size.n, ..size }, Given::Matrices, space)?
    {
        let wide = Wide::<T>::new(backend, size.n, size.n, space)?;
        let pivots: Array<u32> = space.array(&[n])?;
        return Route::new(by_blocks.names(), move |work| {
            let (launcher, batch, inverse, room) = (work.launcher, work.batch, work.matrices(1), work.room);
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                let both = (wide.widen(launcher, work.matrices(0), batch, room)?, wide.target(inverse, room));
                by_blocks.invert(launcher, batch, both, (room.at(pivots), work.values(2)), room)?;
                wide.narrow(launcher, inverse, batch, room)
            }
        });
    }
    if at_once
        && !by_factors
        && let Some(entry) = fused(backend, device.options.algorithm, Family::Inverse, T::Scalar::KIND, size)?
    {
        backend.prepare(entry, entry.shape(&size).shared_bytes)?;
        let wide = Wide::<T>::new(backend, size.n, size.n, space)?;
        return Route::new(vec![entry.name], move |work| {
            let (launcher, batch, room) = (work.launcher, work.batch, work.room);
            let (inverse, status) = (work.matrices(1), work.values(2));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                let from = wide.widen(launcher, work.matrices(0), batch, room)?;
                launcher.invert(entry, from, wide.target(inverse, room), status, work.sized(size))?;
                wide.narrow(launcher, inverse, batch, room)
            }
        });
    }
    if let Some(other) = steps(device, Part::Invert, T::Scalar::KIND, size, space)? {
        let wide = Wide::<T>::new(backend, size.n, size.n, space)?;
        return Route::new(Vec::new(), move |work| {
            let (launcher, batch, room, inverse) = (work.launcher, work.batch, work.room, work.matrices(1));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                let from = wide.widen(launcher, work.matrices(0), batch, room)?;
                let operands = [from.cast(), wide.target(inverse, room).cast(), work.operands.at(2)];
                other.enqueue(&Work { operands: &operands, ..*work })?;
                wide.narrow(launcher, inverse, batch, room)
            }
        });
    }
    let own = OwnFactors::<T::Scalar>::new(n, space)?;
    let factor = lu_route::<T>(device, n, space)?;
    // Kernels that can work in the factors.
    let inverse = lu_invert_route::<T>(device, n, Some(own.lu), space)?;
    through_lu(factor, inverse, own, 3)
}

/// Of positive definite matrices, by Cholesky factorization.
fn definite_route<T: Element>(device: &Single, n: usize, triangle: Triangle, space: &mut Space) -> Result<Route> {
    let size = problem(n, 1)?;
    if matches!(device.backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            let [a, inverse] = [0, 1].map(|number| as_lower(work.matrices(number), triangle));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe { Ok(calls::cholesky_invert::<T>(a, inverse, work.values(2), work.sized(size))?) }
        });
    }
    let factor = cholesky_route::<T>(device, n, space)?;
    let inverse = cholesky_invert_route::<T>(device, n, space)?;
    through_cholesky(factor, inverse, (OwnCholesky::<T::Scalar>::new(n, space)?, triangle), 3)
}

/// From LU factors, which kernels that can may work in where they are given.
fn lu_invert_route<T: Element>(
    device: &Single,
    n: usize,
    factors: Option<Array<T::Scalar>>,
    space: &mut Space,
) -> Result<Route> {
    let (size, backend) = (problem(n, 1)?, &device.backend);
    device.check_algorithm()?;
    leaves_factors(device.options.algorithm)?; // one that does not has none to start from
    if matches!(backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                Ok(calls::invert_from_factors::<T>(work.lu(0), work.matrices(3), work.values(4), work.sized(size))?)
            }
        });
    }
    let wide = Wide::<T>::new(backend, size.n, size.n, space)?;
    let problem = Problem { rhs: size.n, ..size };
    if let Some(by_blocks) = ByBlocks::<T::Scalar>::new(device, problem, Given::Factors, space)? {
        return Route::new(by_blocks.names(), move |work| {
            let (launcher, batch, inverse, room) = (work.launcher, work.batch, work.matrices(3), work.room);
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                let to = (wide.target(inverse, room), work.values(4));
                by_blocks.invert_from_factors(launcher, batch, work.lu(0), to, room)?;
                wide.narrow(launcher, inverse, batch, room)
            }
        });
    }
    if let Some(other) = steps(device, Part::LuInvert, T::Scalar::KIND, size, space)? {
        return Route::new(Vec::new(), move |work| {
            let (inverse, room) = (work.matrices(3), work.room);
            let [lu, pivots, lu_status, status] = [0, 1, 2, 4].map(|number| work.operands.at(number));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                let to = wide.target(inverse, room).cast();
                other.enqueue(&Work { operands: &[lu, pivots, lu_status, to, status], ..*work })?;
                wide.narrow(work.launcher, inverse, work.batch, room)
            }
        });
    }
    let entry = prepare(backend, device.options.algorithm, Family::Getri, T::Scalar::KIND, size)?;
    // Room for matrices beyond shared memory, if the kernel needs it: shape (batch, n, n).
    let in_work: Option<Array<T::Scalar>> = match factors {
        _ if entry.variant != Variant::Global => None,
        Some(factors) => Some(factors),
        None => Some(space.array(&[n, n])?),
    };
    Route::new(vec![entry.name], move |work| {
        let (launcher, inverse, room) = (work.launcher, work.matrices(3), work.room);
        // SAFETY: the promise of who enqueues; the operands are these.
        unsafe {
            let numbers = in_work.map_or(Global::new(0), |numbers| room.at(numbers));
            let to = wide.target(inverse, room);
            launcher.inverse(entry, work.lu(0), to, work.values(4), numbers, work.sized(size))?;
            wide.narrow(launcher, inverse, work.batch, room)
        }
    })
}

/// From Cholesky factors: on a GPU by factors of LU, which those are made; then one triangle is mirrored.
fn cholesky_invert_route<T: Element>(device: &Single, n: usize, space: &mut Space) -> Result<Route> {
    let (size, backend) = (problem(n, 1)?, &device.backend);
    device.check_algorithm()?;
    if matches!(backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            let (factors, inverse) = (work.lower_factors(0), as_lower(work.matrices(2), work.triangle));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe { Ok(calls::cholesky_invert_from_factors::<T>(factors, inverse, work.values(3), work.sized(size))?) }
        });
    }
    prepare_only(backend, Family::LuOfCholesky, Variant::Only, T::Scalar::KIND)?;
    prepare_only(backend, Family::Mirror, Variant::Only, T::Scalar::KIND)?;
    let wide = Wide::<T>::new(backend, size.n, size.n, space)?;
    let own = OwnFactors::<T::Scalar>::new(n, space)?;
    let invert = lu_invert_route::<T::Scalar>(device, n, Some(own.lu), space)?;
    Route::new(Vec::new(), move |work| {
        let (launcher, room, problem) = (work.launcher, work.room, work.sized(size));
        let factors = work.lower_factors::<T::Scalar>(0);
        // The inverse of the conjugate matrix is the transposed one.
        let inverse = as_lower(work.matrices(2), work.triangle);
        let (lu, to) = (own.with(factors.status, room), wide.target(inverse, room));
        // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
        unsafe {
            launcher.lu_of_cholesky(factors, lu, problem)?;
            let operands = [lu.lu.cast(), Work::raw(lu.pivots), Work::raw(lu.status), to.cast(), work.operands.at(3)];
            invert.enqueue(&Work { operands: &operands, ..*work })?;
            launcher.mirror(to, problem)?;
            wide.narrow(launcher, inverse, work.batch, room)
        }
    })
}
