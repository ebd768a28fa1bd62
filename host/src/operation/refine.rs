//! Improvement of solutions by their factors, and what error bounds are made of.

use kernels_cpu::calls;
use numbers::element::Arithmetic;
use numbers::problem::Problem;
use numbers::refine::{RefineArgs, is_done};

use super::lu_solve::lu_solve_route;
use super::solve::cholesky_solve_route;
use super::solve_refined::absent;
use super::{Extent, Operand, Operation, Route, Size, Work};
use crate::backend::Backend;
use crate::device::Single;
use crate::error::Result;
use crate::launch::{Step, matrices_at, prepare_finish};
use crate::layout::{Layout, product};
use crate::route::{Array, RoomMemory, Space, problem};
use kernels_cpu::fresh::filled;

/// Better X of op(A) X = B, from LU factors: what is given, and what becomes of it, which may be in its place; bounds on
/// the residuals, component-wise backward errors, and the largest elements of the solutions (`xGERFS`). It waits for the
/// machine.
pub(super) fn lu_refine<S: Arithmetic>() -> Operation {
    Operation::new(
        const {
            let [a, b, x, to, rows, berr, x_size] = parts::<S>();
            &[
                Operand::read::<S>("lu", Extent::Square),
                Operand::read::<u32>("pivots", Extent::Rows),
                Operand::read::<i32>("lu_status", Extent::One),
                a,
                b,
                x,
                to,
                rows,
                berr,
                x_size,
                Operand::STATUS,
            ]
        },
        |device, size, space| refine_route::<S>(device, size, lu_solve_route::<S>(device, size, space)?, 3, space),
    )
}

/// As [`lu_refine`], from Cholesky factors in a triangle (`xPORFS`). Of A both triangles are read.
pub(super) fn cholesky_refine<S: Arithmetic>() -> Operation {
    Operation::new(
        const {
            let [a, b, x, to, rows, berr, x_size] = parts::<S>();
            &[
                Operand::read::<S>("factors", Extent::Square),
                Operand::read::<i32>("factor_status", Extent::One),
                a,
                b,
                x,
                to,
                rows,
                berr,
                x_size,
                Operand::STATUS,
            ]
        },
        |device, size, space| {
            let solve = cholesky_solve_route::<S>(device, size, space)?;
            refine_route::<S>(device, size, solve, 2, space)
        },
    )
}

/// What comes between the factors and the statuses.
const fn parts<S: Arithmetic>() -> [Operand; 7] {
    [
        Operand::read::<S>("a", Extent::Square),
        Operand::read::<S>("b", Extent::Sides),
        Operand::read::<S>("x", Extent::Sides),
        Operand::written::<S>("x", Extent::Sides),
        Operand::written::<S::Real>("rows", Extent::SideRows),
        Operand::written::<S::Real>("berr", Extent::PerSide),
        Operand::written::<S::Real>("x_size", Extent::PerSide),
    ]
}

fn refine_route<S: Arithmetic>(
    device: &Single,
    size: Size,
    solve: Route,
    factors: usize,
    space: &mut Space,
) -> Result<Route> {
    let route = Refine::<S>::new(device, size, (solve, factors), space)?;
    // SAFETY: the promise of who enqueues; the operands are these.
    Route::new(Vec::new(), move |work| unsafe { route.enqueue(work) })
}

/// Corrections at most (LAPACK's `ITMAX`).
const MOST: u32 = 5;
/// Operands of solutions from factors, at most.
const MOST_OPERANDS: usize = 6;

struct Refine<T: Arithmetic> {
    size: Problem,
    solve: Route,
    /// Operands that are factors, of which the statuses are the last.
    factors: usize,
    correction: Array<T>, // shape (batch, rhs, n)
    residual: Array<T>,   // shape (batch, rhs, n)
    state: Array<i32>,    // shape (batch, rhs)
    is_done: Array<i32>,  // shape (batch)
    solved: Array<i32>,   // of corrections: shape (batch)
}

impl<T: Arithmetic> Refine<T> {
    fn new(device: &Single, own: Size, (solve, factors): (Route, usize), space: &mut Space) -> Result<Self> {
        let (size, Size { n, rhs }) = (problem(own.n, own.rhs)?, own);
        Step::prepare::<T>(&device.backend, size)?;
        if !matches!(device.backend, Backend::Cpu) {
            prepare_finish(&device.backend, T::KIND, size)?;
        }
        Ok(Self {
            size,
            solve,
            factors,
            correction: space.array(&[n, rhs])?,
            residual: space.array(&[n, rhs])?,
            state: space.array(&[rhs])?,
            is_done: space.array(&[1])?,
            solved: space.array(&[1])?,
        })
    }

    /// Improves, waiting after each correction.
    ///
    /// # Safety
    /// As for [`Route::enqueue`].
    unsafe fn enqueue(&self, work: &Work<'_>) -> Result<()> {
        let (size, Work { launcher, batch, how, room, .. }) = (work.sized(self.size), *work);
        let Some(memory) = work.memory else { unreachable!("the route has room") };
        let memory = RoomMemory { memory, queue: launcher.queue };
        let [a, b, from, to, rows, berr, x_size, status] = [0, 1, 2, 3, 4, 5, 6, 7].map(|at| self.factors + at);
        let (a, x, status) = (work.matrices(a), work.matrices::<T>(to), work.values(status));
        let factor_status = work.values(self.factors - 1);
        let mut args = RefineArgs {
            a,
            b: work.matrices(b),
            x_before: work.matrices(from),
            x,
            low: a, // not looked at
            correction: room.at(self.correction),
            residual: room.at(self.residual),
            magnitude: work.values(rows),
            norm: absent(),
            scale: absent(),
            error: work.values(berr),
            x_size: work.values(x_size),
            state: room.at(self.state),
            status: factor_status,
            is_done: room.at(self.is_done),
            first: 0,
            end: batch,
            n: size.n,
            rhs: size.rhs,
            transposed: how.transposed.into(),
            conjugated: how.conjugated.into(),
            is_first: 1,
            most: MOST,
        };
        let layout = Layout::column_major(size.n as usize, size.rhs as usize);
        let corrections = matrices_at::<T>(args.correction.address(), layout);
        let corrections_len = product(&[batch as usize, size.n as usize, size.rhs as usize])?;
        let (sides, solved) = (corrections.cast(), Work::raw(room.at(self.solved)));
        // Systems that are done at once are solved along, with right-hand sides that nobody writes.
        memory.write(args.correction, &filled(T::ZERO, corrections_len)?)?;
        for steps in 0..=MOST {
            // SAFETY: the caller's promise; the room is of the route's size.
            unsafe {
                launcher.refine(Step::Residual, args, size)?;
                launcher.refine(Step::Decide, args, size)?;
            }
            let is_open = |&state: &i32| !is_done(state);
            if steps == MOST || !memory.read(args.state, 0, batch as usize * size.rhs as usize)?.iter().any(is_open) {
                break;
            }
            // What is done is not solved again.
            let mut operands = [sides; MOST_OPERANDS];
            (0..self.factors - 1).for_each(|at| operands[at] = work.operands.at(at));
            operands[self.factors - 1] = Work::raw(args.is_done);
            operands[self.factors + 2] = solved;
            // SAFETY: as above; the operands are those of solutions from factors.
            unsafe { self.solve.enqueue(&Work { operands: &operands, ..*work })? };
            (args.x_before, args.is_first) = (x, 0);
        }
        // SAFETY: as above.
        unsafe {
            if let Backend::Cpu = launcher.backend {
                calls::finish(factor_status, x, status, size);
                return Ok(());
            }
            launcher.finish_solution(factor_status, x, status, size)
        }
    }
}
