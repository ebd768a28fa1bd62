//! Solutions from LU factors.

use kernels_cpu::calls;
use kernels_gpu::entry::{Entry, Family, Variant};
use numbers::op::Op;
use numbers::scalar::Scalar;

use super::{Extent, Operand, Operation, Route, Size, Work};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::extend::{Part, steps};
use crate::launch::{Given, clusters, finishes, fits_a_block, leaves_factors, pays_off, prepare, prepare_finish};
use crate::route::{ByBlocks, Space, Wide, problem};

/// op(A) X = B from LU factors (`xGETRS`).
pub(super) fn lu_solve<T: Element>() -> Operation {
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
        |device, size, space| lu_solve_route::<T>(device, size, space),
    )
}

/// By the CPU; by many blocks each, where matrices are large; by kernels, of which one may be faster for few solutions;
/// as an algorithm of another crate solves A X = B.
pub(super) fn lu_solve_route<T: Element>(device: &Single, Size { n, rhs }: Size, space: &mut Space) -> Result<Route> {
    let (size, backend) = (problem(n, rhs)?, &device.backend);
    device.check_algorithm()?;
    leaves_factors(device.options.algorithm)?; // one that does not has none to start from
    if matches!(backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            let sides = (work.matrices(3), work.matrices(4));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                Ok(calls::solve_from_factors::<T>(work.lu(0), work.how, sides, work.values(5), work.sized(size))?)
            }
        });
    }
    let (algorithm, kind) = (device.options.algorithm, T::Scalar::KIND);
    let clusters = || clusters(backend, algorithm, Family::Getrs, kind, size);
    let large = if fits_a_block(backend, kind, size.n) { None } else { clusters()? };
    if large.is_none()
        && let Some(by_blocks) = ByBlocks::<T::Scalar>::new(device, size, Given::Factors, space)?
    {
        let wide = Wide::<T>::new(backend, size.n, size.rhs, space)?;
        return Route::new(by_blocks.names(), move |work| {
            let (launcher, batch, x, room) = (work.launcher, work.batch, work.matrices(4), work.room);
            // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
            unsafe {
                let from = wide.widen(launcher, work.matrices(3), batch, room)?;
                let sides = (from, wide.target(x, room), work.values(5));
                by_blocks.solve_from_factors(launcher, batch, (work.lu(0), work.how), sides, room)?;
                wide.narrow(launcher, x, batch, room)
            }
        });
    }
    let entry = large.map_or_else(|| prepare(backend, algorithm, Family::Getrs, kind, size), Ok)?;
    let few = if matches!(entry.variant, Variant::WarpPerRhs { .. }) { clusters()? } else { None };
    let other = steps(device, Part::LuSolve, kind, size, space)?;
    let wide = Wide::<T>::new(backend, size.n, size.rhs, space)?; // B and then X
    // Whether the solutions' statuses take a launch of their own after a kernel.
    let by_other = other.is_some();
    let finishes_after = move |entry: &Entry| by_other || rhs == 0 || !finishes(entry, size.rhs);
    if finishes_after(entry) {
        prepare_finish(backend, kind, size)?;
    }
    let kernels = few.into_iter().chain([entry]).filter(|_| !by_other).map(|entry| entry.name).collect();
    Route::new(kernels, move |work| {
        let (launcher, batch, room, size) = (work.launcher, work.batch, work.room, work.sized(size));
        let (factors, x, status) = (work.lu(0), work.matrices(4), work.values(5));
        let entry = few.filter(|_| pays_off(size)).unwrap_or(entry);
        // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
        unsafe {
            let (from, to) = (wide.widen(launcher, work.matrices(3), batch, room)?, wide.target(x, room));
            match (work.how, &other) {
                _ if size.rhs == 0 => {}
                (how, Some(other)) if how == Op::None.into() => {
                    let [lu, pivots, lu_status] = [0, 1, 2].map(|number| work.operands.at(number));
                    other.enqueue(&Work { operands: &[lu, pivots, lu_status, from.cast(), to.cast()], ..*work })?;
                }
                (how, _) => launcher.solve(entry, factors, how, (from, to), status, size)?,
            }
            if finishes_after(entry) {
                launcher.finish_solution(factors.status, to, status, size)?;
            }
            wide.narrow(launcher, x, batch, room)
        }
    })
}
