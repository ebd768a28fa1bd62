//! Solutions: of systems, from Cholesky factors.

use kernels_cpu::calls;
use kernels_gpu::entry::{Family, Variant};
use numbers::op::Op;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::factor::{cholesky_route, lu_route};
use super::lu_solve::lu_solve_route;
use super::through::{through_cholesky, through_lu};
use super::{Extent, Operand, Operation, Route, Size, Work, triangular};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::extend::{Part, steps};
use crate::launch::{Given, fused, prepare_only};
use crate::route::{Array, ByBlocks, OwnCholesky, OwnFactors, Space, Wide, as_lower, problem};
use crate::structure::Structure;
use crate::triangle::Triangle;

/// A X = B.
pub(super) fn solve<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T>("a", Extent::Square),
                Operand::read::<T>("b", Extent::Sides),
                Operand::written::<T>("x", Extent::Sides),
                Operand::STATUS,
            ]
        },
        |device, size, space| solve_route::<T>(device, size, space),
    )
}

/// A X = B from Cholesky factors in a triangle (`xPOTRS`).
pub(super) fn cholesky_solve<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T::Scalar>("factors", Extent::Square),
                Operand::read::<i32>("factor_status", Extent::One),
                Operand::read::<T>("b", Extent::Sides),
                Operand::written::<T>("x", Extent::Sides),
                Operand::STATUS,
            ]
        },
        |device, size, space| cholesky_solve_route::<T>(device, size, space),
    )
}

/// By the CPU; by many blocks each, where matrices are large; by one kernel; as an algorithm of another crate does; else by
/// factors: where no kernel does both, or rows are not interchanged.
fn solve_route<T: Element>(device: &Single, Size { n, rhs }: Size, space: &mut Space) -> Result<Route> {
    let (size, backend, at_once) = (problem(n, rhs)?, &device.backend, device.options.pivoting.interchanges());
    device.check_algorithm()?;
    match device.options.structure {
        Structure::General => {}
        Structure::PositiveDefinite(triangle) => {
            return definite_route::<T>(device, Size { n, rhs }, triangle, space);
        }
        Structure::Triangular(triangular) => {
            return triangular::solve_route::<T>(device, Size { n, rhs }, triangular, space);
        }
    }
    if at_once && matches!(backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            let (a, b, x, status) = (work.matrices(0), work.matrices(1), work.matrices(2), work.values(3));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe { Ok(calls::solve::<T>(a, b, x, status, work.sized(size))?) }
        });
    }
    if at_once && let Some(by_blocks) = ByBlocks::<T::Scalar>::new(device, size, Given::Matrices, space)? {
        let wide_a = Wide::<T>::new(backend, size.n, size.n, space)?;
        let wide_b = Wide::<T>::new(backend, size.n, size.rhs, space)?;
        let pivots: Array<u32> = space.array(&[n])?;
        return Route::new(by_blocks.names(), move |work| {
            let (launcher, batch, x, room) = (work.launcher, work.batch, work.matrices(2), work.room);
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                let a = wide_a.widen(launcher, work.matrices(0), batch, room)?;
                let b = wide_b.widen(launcher, work.matrices(1), batch, room)?;
                let sides = (a, b, wide_b.target(x, room));
                by_blocks.solve(launcher, batch, sides, (room.at(pivots), work.values(3)), room)?;
                wide_b.narrow(launcher, x, batch, room)
            }
        });
    }
    if at_once && let Some(entry) = fused(backend, device.options.algorithm, Family::Gesv, T::Scalar::KIND, size)? {
        backend.prepare(entry, entry.shape(&size).shared_bytes)?;
        let numbers = entry.variant.work_numbers(size.n) as usize;
        // Memory that it may need meanwhile: shape (batch, work numbers).
        let numbers: Option<Array<T::Scalar>> = (numbers > 0).then(|| space.array(&[numbers])).transpose()?;
        let wide_a = Wide::<T>::new(backend, size.n, size.n, space)?;
        let wide_b = Wide::<T>::new(backend, size.n, size.rhs, space)?;
        return Route::new(vec![entry.name], move |work| {
            let (launcher, batch, x, room) = (work.launcher, work.batch, work.matrices(2), work.room);
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                let numbers = numbers.map_or(Global::new(0), |numbers| room.at(numbers)); // absent
                let a = wide_a.widen(launcher, work.matrices(0), batch, room)?;
                let sides = (wide_b.widen(launcher, work.matrices(1), batch, room)?, wide_b.target(x, room));
                launcher.factor_solve(entry, a, sides, work.values(3), numbers, work.sized(size))?;
                wide_b.narrow(launcher, x, batch, room)
            }
        });
    }
    if let Some(other) = steps(device, Part::Solve, T::Scalar::KIND, size, space)? {
        let wide_a = Wide::<T>::new(backend, size.n, size.n, space)?;
        let wide_b = Wide::<T>::new(backend, size.n, size.rhs, space)?;
        return Route::new(Vec::new(), move |work| {
            let (launcher, batch, x, room) = (work.launcher, work.batch, work.matrices(2), work.room);
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                let a = wide_a.widen(launcher, work.matrices(0), batch, room)?.cast();
                let b = wide_b.widen(launcher, work.matrices(1), batch, room)?.cast();
                let operands = [a, b, wide_b.target(x, room).cast(), work.operands.at(3)];
                other.enqueue(&Work { operands: &operands, ..*work })?;
                wide_b.narrow(launcher, x, batch, room)
            }
        });
    }
    let own = OwnFactors::<T::Scalar>::new(n, space)?;
    let factor = lu_route::<T>(device, n, space)?;
    through_lu(factor, lu_solve_route::<T>(device, Size { n, rhs }, space)?, own, 4)
}

/// Of positive definite matrices, by Cholesky factorization.
fn definite_route<T: Element>(device: &Single, size: Size, triangle: Triangle, space: &mut Space) -> Result<Route> {
    if matches!(device.backend, Backend::Cpu) {
        let (size, conjugated) = (problem(size.n, size.rhs)?, triangle == Triangle::Upper);
        return Route::new(Vec::new(), move |work| {
            let (a, sides) = (as_lower(work.matrices(0), triangle), (work.matrices(1), work.matrices(2)));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe { Ok(calls::cholesky_solve::<T>(a, conjugated, sides, work.values(3), work.sized(size))?) }
        });
    }
    let factor = cholesky_route::<T>(device, size.n, space)?;
    let solve = cholesky_solve_route::<T>(device, size, space)?;
    through_cholesky(factor, solve, (OwnCholesky::<T::Scalar>::new(size.n, space)?, triangle), 4)
}

/// From Cholesky factors: on a GPU by factors of LU, which those are made.
pub(super) fn cholesky_solve_route<T: Element>(device: &Single, own_size: Size, space: &mut Space) -> Result<Route> {
    device.check_algorithm()?;
    let size = problem(own_size.n, own_size.rhs)?;
    if matches!(device.backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            let (factors, sides) = (work.lower_factors(0), (work.matrices(2), work.matrices(3)));
            let (is_upper, status) = (work.triangle == Triangle::Upper, work.values(4));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe { Ok(calls::cholesky_solve_from_factors::<T>(factors, is_upper, sides, status, work.sized(size))?) }
        });
    }
    prepare_only(&device.backend, Family::LuOfCholesky, Variant::Only, T::Scalar::KIND)?;
    let solve = lu_solve_route::<T>(device, own_size, space)?;
    let own = OwnFactors::<T::Scalar>::new(own_size.n, space)?;
    Route::new(Vec::new(), move |work| {
        // U^T is the factor of the conjugate matrix, which is the transposed one.
        let how = if work.triangle == Triangle::Upper { Op::Transpose } else { Op::None }.into();
        let factors = work.lower_factors::<T::Scalar>(0);
        let lu = own.with(factors.status, work.room);
        let [b, x, status] = [2, 3, 4].map(|number| work.operands.at(number));
        // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
        unsafe {
            work.launcher.lu_of_cholesky(factors, lu, work.sized(size))?;
            let operands = [lu.lu.cast(), Work::raw(lu.pivots), Work::raw(lu.status), b, x, status];
            solve.enqueue(&Work { operands: &operands, how, ..*work })
        }
    })
}
