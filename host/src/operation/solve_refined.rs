//! A X = B in double precision, by factors in single precision; in double precision where that does not suffice.
//!
//! How often a correction is needed shows as it goes. All launches are for the whole chunk, and kernels leave alone
//! what is done, so the host only has to know when nothing is left: it asks after the second correction and each one after
//! that. It has to wait anyway, for the matrices that are to be factored anew in double precision: these alone, which
//! are given to the route that solves as addresses.

use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::refine::{OVERFLOW, RefineArgs, SINGULAR, STALLED, is_done, row_groups, steps_of};
use simt::Pod;
use simt::global::Global;

use super::factor::lu_route;
use super::lu_solve::lu_solve_route;
use super::{Extent, Operand, Operands, Operation, Route, Size, Work, solve};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::{Double, RealOf};
use crate::error::{Error, Result};
use crate::launch::{SingleStep, matrices_at, prepare_finish};
use crate::layout::Layout;
use crate::route::{Array, OwnFactors, Room, RoomMemory, Space, problem};
use kernels_cpu::calls;
use numbers::op::Op;

/// Corrections at most (LAPACK's `ITERMAX`).
const MOST: u32 = 30;
/// Corrections that the host does not ask after: nearly all systems take two.
const UNASKED: u32 = 1;

/// A X = B by factors in single precision (`xGESV` of mixed precision, `DSGESV`, `ZCGESV`): beside the statuses, how it
/// went as LAPACK's ITER says it. It waits.
pub(super) fn solve_refined<T: Double>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T>("a", Extent::Square),
                Operand::read::<T>("b", Extent::Sides),
                Operand::written::<T>("x", Extent::Sides),
                Operand::written::<i32>("refinement", Extent::One),
                Operand::STATUS,
            ]
        },
        |device, size, space| {
            let way = SolveRefined::<T>::new(device, size, space)?;
            Route::new(way.kernels(), move |work| {
                // SAFETY: the promise of who enqueues.
                unsafe { way.enqueue(work) }
            })
        },
    )
}

/// How that is done.
#[derive(Debug)]
struct SolveRefined<T: Double> {
    size: Problem,
    lu: Route,
    solve: Route,
    in_double: Route,
    arrays: Arrays<T>,
}

#[derive(Debug)]
struct Arrays<T: Double> {
    factors: OwnFactors<T::Single>,
    correction: Array<T::Single>, // shape (batch, rhs, n)
    residual: Array<T>,           // shape (batch, rhs, n)
    magnitude: Array<RealOf<T>>,  // shape (batch, rhs, n)
    norm: Array<RealOf<T>>,       // shape (batch, row groups)
    scale: Array<RealOf<T>>,      // shape (batch, rhs)
    error: Array<RealOf<T>>,      // shape (batch, rhs)
    state: Array<i32>,            // shape (batch, rhs)
    status: Array<i32>,           // of the factors, then of solutions in double precision: shape (batch)
    is_done: Array<i32>,          // shape (batch)
    solved: Array<i32>,           // of corrections: shape (batch)
    addresses: Array<u64>,        // of A, B and X of what is solved in double precision: shape (3, batch)
}

impl<T: Double> SolveRefined<T> {
    fn new(device: &Single, Size { n, rhs }: Size, space: &mut Space) -> Result<Self> {
        let size = problem(n, rhs)?;
        if !matches!(device.backend, Backend::Cpu) {
            prepare_finish(&device.backend, T::KIND, size)?;
        }
        SingleStep::prepare::<T>(&device.backend, size)?;
        let arrays = Arrays {
            factors: OwnFactors::new(n, space)?,
            correction: space.array(&[n, rhs])?,
            residual: space.array(&[n, rhs])?,
            magnitude: space.array(&[n, rhs])?,
            norm: space.array(&[row_groups(size.n) as usize])?,
            scale: space.array(&[rhs])?,
            error: space.array(&[rhs])?,
            state: space.array(&[rhs])?,
            status: space.array(&[1])?,
            is_done: space.array(&[1])?,
            solved: space.array(&[1])?,
            addresses: space.array(&[3])?,
        };
        Ok(Self {
            size,
            lu: lu_route::<T::Single>(device, n, space)?,
            solve: lu_solve_route::<T::Single>(device, Size { n, rhs }, space)?,
            in_double: solve::<T>().route(device, Size { n, rhs }, space)?,
            arrays,
        })
    }

    /// The names of the kernels that factor and solve, in single precision and then in double.
    fn kernels(&self) -> Vec<&'static str> {
        [self.lu.kernels(), self.solve.kernels(), self.in_double.kernels()].concat()
    }

    /// Solves, and waits.
    ///
    /// # Safety
    /// As for [`Route::enqueue`]; B is not where X will be.
    unsafe fn enqueue(&self, work: &Work<'_>) -> Result<()> {
        let [a, b, x]: [Matrices<T>; 3] = [0, 1, 2].map(|operand| work.matrices(operand));
        if [a, b, x].iter().any(|m| !m.pointers.is_null()) {
            return Err(Error::Unsupported(
                "solutions by factors in single precision take matrices of one size, at strides, not behind pointers"
                    .to_owned(),
            ));
        }
        let (arrays, size) = (&self.arrays, work.sized(self.size));
        let (launcher, batch, room) = (work.launcher, work.batch, work.room);
        let (n, rhs) = (size.n as usize, size.rhs as usize);
        let Some(memory) = work.memory else { unreachable!("the route has room") };
        let memory = RoomMemory { memory, queue: launcher.queue };
        let mut states = vec![0; batch as usize * rhs];
        if rhs == 0 {
            let operands = [a.cast(), b.cast(), x.cast(), work.operands.at(4)];
            // SAFETY: the caller's promise.
            unsafe { self.in_double.enqueue(&Work { operands: &operands, ..*work })? };
            return self.put(work, &vec![0; batch as usize], memory, 3);
        }
        // As A lies, so that both are read along the same axis.
        let by_columns = a.row_stride.unsigned_abs() <= a.col_stride.unsigned_abs();
        let layout = if by_columns { Layout::column_major(n, n) } else { Layout::row_major(n, n) };
        let factors = arrays.factors.laid_out(layout, room.at(arrays.status), room);
        let args = arrays.args((a, b, x), factors, size, room);
        let corrections = matrices_at::<T::Single>(args.correction.address(), Layout::column_major(n, rhs));
        let [lu, pivots, status] = [factors.lu.cast(), Work::raw(factors.pivots), Work::raw(factors.status)];
        let (sides, solved) = (corrections.cast(), Work::raw(room.at(arrays.solved)));
        let step = |step: SingleStep| {
            // SAFETY: the caller's promise; the room is of the route's size.
            unsafe { launcher.refine_by_single(step, args, size) }
        };
        let enqueue = |route: &Route, operands: &dyn Operands| {
            // SAFETY: the caller's promise; the operands are those of LU, and of solutions from it.
            unsafe { route.enqueue(&Work { operands, how: Op::None.into(), ..*work }) }
        };
        let solve = |status| enqueue(&self.solve, &[lu, pivots, status, sides, sides, solved]);
        step(SingleStep::ToSingle)?;
        enqueue(&self.lu, &[lu, lu, pivots, status])?;
        step(SingleStep::Start)?;
        solve(status)?;
        for steps in 0..=MOST {
            step(SingleStep::Residual)?;
            step(SingleStep::Decide)?;
            if steps >= UNASKED {
                states = memory.read(args.state, 0, batch as usize * rhs)?;
                if states.iter().all(|&state| is_done(state)) {
                    break;
                }
            }
            // What is done is not solved again.
            solve(Work::raw(args.is_done))?;
        }
        let mut codes = vec![0; batch as usize];
        let is_left = |b: &usize| states[b * rhs..][..rhs].iter().any(|&state| steps_of(state).is_none());
        let left: Vec<usize> = (0..batch as usize).filter(is_left).collect();
        if !left.is_empty() {
            // SAFETY: as above.
            let own = unsafe { self.run_in_double(work, &left, (a, b, x), memory)? };
            left.iter().zip(own).for_each(|(&b, code)| codes[b] = code);
        }
        let refinement: Vec<i32> = states.chunks(rhs).map(code_of).collect();
        self.put(work, &refinement, memory, 3)?;
        self.put(work, &codes, memory, 4)
    }

    /// Writes codes to an operand, by way of the room.
    fn put(&self, work: &Work<'_>, codes: &[i32], memory: RoomMemory<'_>, operand: usize) -> Result<()> {
        let (from, to, x) = (work.room.at(self.arrays.status), work.values(operand), work.matrices::<T>(2));
        memory.write(from, codes)?;
        let size = Problem { rhs: 0, ..work.sized(self.size) };
        // SAFETY: the promise of who enqueues; of no solutions, there are only codes.
        unsafe {
            if let Backend::Cpu = work.launcher.backend {
                calls::finish(from, x, to, size);
                return Ok(());
            }
            work.launcher.finish_solution(from, x, to, size)
        }
    }

    /// Solves the systems of some matrices in double precision, and returns their status codes.
    ///
    /// # Safety
    /// As for [`Self::enqueue`].
    unsafe fn run_in_double(
        &self,
        work: &Work<'_>,
        left: &[usize],
        (a, b, x): (Matrices<T>, Matrices<T>, Matrices<T>),
        memory: RoomMemory<'_>,
    ) -> Result<Vec<i32>> {
        let (addresses, status) = (work.room.at(self.arrays.addresses), work.room.at(self.arrays.status));
        let all: Vec<u64> = [a, b, x].iter().flat_map(|m| left.iter().map(|&b| address(m, b))).collect();
        memory.write(addresses, &all)?;
        let [a, b, x] = [(a, 0), (b, 1), (x, 2)]
            .map(|(matrices, which)| Matrices { pointers: addresses.offset((which * left.len()) as i64), ..matrices });
        let operands = [a.cast(), b.cast(), x.cast(), Work::raw(status)];
        // SAFETY: the caller's promise; they are addresses of matrices that it speaks of.
        unsafe { self.in_double.enqueue(&Work { batch: left.len() as u64, operands: &operands, ..*work })? };
        memory.read(status, 0, left.len())
    }
}

/// How a matrix's right-hand sides were done, as LAPACK's ITER: most corrections, or why single precision failed.
fn code_of(states: &[i32]) -> i32 {
    let steps = states.iter().map(|&state| steps_of(state)).try_fold(0, |most, steps| Some(steps?.max(most)));
    debug_assert!(steps.is_some() || [SINGULAR, OVERFLOW, STALLED].iter().any(|state| states.contains(state)));
    match steps {
        Some(most) => most.cast_signed(),
        None if states.contains(&SINGULAR) => -3,
        None if states.contains(&OVERFLOW) => -2,
        None => -31,
    }
}

impl<T: Double> Arrays<T> {
    fn args(
        &self,
        (a, b, x): (Matrices<T>, Matrices<T>, Matrices<T>),
        factors: Factors<T::Single>,
        size: Problem,
        room: Room<'_>,
    ) -> RefineArgs<T, T::Single> {
        RefineArgs {
            a,
            b,
            x_before: x,
            x,
            low: factors.lu,
            correction: room.at(self.correction),
            residual: room.at(self.residual),
            magnitude: room.at(self.magnitude),
            norm: room.at(self.norm),
            scale: room.at(self.scale),
            error: room.at(self.error),
            x_size: absent(),
            state: room.at(self.state),
            status: factors.status,
            is_done: room.at(self.is_done),
            first: 0,
            end: size.batch,
            n: size.n,
            rhs: size.rhs,
            transposed: 0,
            conjugated: 0,
            is_first: 0,
            most: MOST,
        }
    }
}

/// An array that is not there.
pub(super) fn absent<T: Pod>() -> Global<T> {
    // SAFETY: null is for absent arrays.
    unsafe { Global::new(0) }
}

/// Where matrix b begins.
fn address<T: Pod>(m: &Matrices<T>, b: usize) -> u64 {
    m.base.offset(b as i64 * m.batch_stride).address()
}
