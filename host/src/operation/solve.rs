//! Solutions: of systems, from LU factors, from Cholesky factors.

use super::{Extent, Operand, Operation, Route};
use crate::element::Element;
use crate::route::{self, Refine, RefinePorts, RoomMemory, Sides, Systems};
use crate::triangle::Triangle;
use numbers::element::Arithmetic;

/// A X = B.
pub(crate) fn solve<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T>("a", Extent::Square),
                Operand::read::<T>("b", Extent::Sides),
                Operand::written::<T>("x", Extent::Sides),
                Operand::STATUS,
            ]
        },
        |device, size, _, space| {
            let route = route::Solve::<T>::new(device, size.n, size.rhs, space)?;
            Route::new(route.kernels(), move |work| {
                let systems =
                    Systems { a: work.matrices(0), b: work.matrices(1), x: work.matrices(2), status: work.values(3) };
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.enqueue(work.launcher, work.batch, systems, work.room) }
            })
        },
    )
}

/// op(A) X = B from LU factors (`xGETRS`).
pub(crate) fn lu_solve<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T::Scalar>("lu", Extent::Square),
                Operand::read::<u32>("pivots", Extent::Rows),
                Operand::read::<i32>("lu_status", Extent::One),
                Operand::read::<T>("b", Extent::Sides),
                Operand::written::<T>("x", Extent::Sides),
                Operand::STATUS,
            ]
        },
        |device, size, _, space| {
            let route = route::LuSolve::<T>::new(device, size.n, size.rhs, space)?;
            Route::new(route.kernels(), move |work| {
                let sides = Sides { b: work.matrices(3), x: work.matrices(4), status: work.values(5) };
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.enqueue(work.launcher, work.batch, work.lu(0), work.op, sides, work.room) }
            })
        },
    )
}

/// A X = B from Cholesky factors in a triangle (`xPOTRS`).
pub(crate) fn cholesky_solve<T: Element>(triangle: Triangle) -> Operation {
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
        |device, size, triangle, space| {
            let route = route::CholeskySolve::<T>::new(device, size.n, size.rhs, triangle, space)?;
            Route::new(Vec::new(), move |work| {
                let sides = Sides { b: work.matrices(2), x: work.matrices(3), status: work.values(4) };
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.enqueue(work.launcher, work.batch, work.cholesky(0), sides, work.room) }
            })
        },
    )
    .of(triangle)
}

/// Better X of op(A) X = B, from LU factors: what is given, and what becomes of it. It waits for the machine.
pub(crate) fn lu_refine<S: Arithmetic>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<S>("lu", Extent::Square),
                Operand::read::<u32>("pivots", Extent::Rows),
                Operand::read::<i32>("lu_status", Extent::One),
                Operand::read::<S>("a", Extent::Square),
                Operand::read::<S>("b", Extent::Sides),
                Operand::read::<S>("x", Extent::Sides),
                Operand::written::<S>("x", Extent::Sides),
                Operand::written::<S::Real>("rows", Extent::SideRows),
                Operand::written::<S::Real>("berr", Extent::PerSide),
                Operand::written::<S::Real>("x_size", Extent::PerSide),
                Operand::STATUS,
            ]
        },
        |device, size, _, space| {
            let route = Refine::<S>::new(device, size.n, size.rhs, space)?;
            Route::new(Vec::new(), move |work| {
                let Some(memory) = work.memory else { unreachable!("the route has room") };
                let memory = RoomMemory { memory, queue: work.launcher.queue };
                let ports = RefinePorts {
                    a: work.matrices(3),
                    b: work.matrices(4),
                    given: work.matrices(5),
                    x: work.matrices(6),
                    rows: work.values(7),
                    berr: work.values(8),
                    x_size: work.values(9),
                    status: work.values(10),
                };
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.run(work.launcher, work.batch, (work.lu(0), work.op), ports, (work.room, memory)) }
            })
        },
    )
}
