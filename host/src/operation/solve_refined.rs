//! A X = B in double precision, by factors in single precision; in double precision where that does not suffice.
//!
//! How often a correction is needed shows as it goes. All launches are for the whole chunk, and kernels leave alone
//! what is done, so the host only has to know when nothing is left: it asks after the second correction and each one after
//! that. It has to wait anyway, for the matrices that are to be factored anew in double precision: these alone, which
//! are given to the route that solves as addresses.

use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::refine::steps_of;
use numbers::refine::{RefineArgs, is_done, row_groups};
use simt::Pod;
use simt::global::Global;

use super::factor::lu_route;
use super::lu_solve::lu_solve_route;
use super::{Operands, Route, Size, Work, solve};
use crate::device::Single;
use crate::element::{Double, RealOf};
use crate::error::Result;
use crate::launch::{Launcher, SingleStep, matrices_at};
use crate::layout::Layout;
use crate::route::{Array, OwnFactors, Room, RoomMemory, Space, problem};
use crate::triangle::Triangle;
use numbers::op::Op;

/// Corrections at most (LAPACK's `ITERMAX`).
const MOST: u32 = 30;
/// Corrections that the host does not ask after: nearly all systems take two.
const UNASKED: u32 = 1;

/// The solution.
#[derive(Debug)]
pub(crate) struct SolveRefined<T: Double> {
    size: Problem,
    lu: Route,
    solve: Route,
    in_double: Route,
    arrays: Arrays<T>,
}

/// How it went, a number a matrix, and for states a right-hand side.
#[derive(Debug)]
pub(crate) struct Refined {
    /// Final status codes.
    pub(crate) status: Vec<i32>,
    /// The states in which right-hand sides were done, of refinement itself.
    pub(crate) states: Vec<i32>,
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
    pub(crate) fn new(device: &Single, n: usize, rhs: usize, space: &mut Space) -> Result<Self> {
        let size = problem(n, rhs)?;
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

    /// The names of warplu's own kernels that factor and solve, in single precision and then in double.
    pub(crate) fn kernels(&self) -> Vec<&'static str> {
        [self.lu.kernels(), self.solve.kernels(), self.in_double.kernels()].concat()
    }

    /// Solves, and waits. `b` is not `x`, and matrices lie at strides.
    ///
    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn run(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        (a, b, x): (Matrices<T>, Matrices<T>, Matrices<T>),
        (room, memory): (Room<'_>, RoomMemory<'_>),
    ) -> Result<Refined> {
        let (arrays, size) = (&self.arrays, Problem { batch, ..self.size });
        let (n, rhs) = (size.n as usize, size.rhs as usize);
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
            let how = Op::None.into();
            let work = Work { launcher, batch, operands, how, triangle: Triangle::Lower, room, memory: None };
            // SAFETY: the caller's promise; the operands are those of LU, and of solutions from it.
            unsafe { route.enqueue(&work) }
        };
        let solve = |status| enqueue(&self.solve, &[lu, pivots, status, sides, sides, solved]);
        step(SingleStep::ToSingle)?;
        enqueue(&self.lu, &[lu, lu, pivots, status])?;
        step(SingleStep::Start)?;
        solve(status)?;
        let mut states = Vec::new();
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
            let own = unsafe { self.run_in_double(launcher, &left, (a, b, x), (room, memory))? };
            left.iter().zip(own).for_each(|(&b, code)| codes[b] = code);
        }
        Ok(Refined { status: codes, states })
    }

    /// Solves the systems of some matrices in double precision, and returns their status codes.
    ///
    /// # Safety
    /// As for [`Self::run`].
    unsafe fn run_in_double(
        &self,
        launcher: &Launcher<'_>,
        left: &[usize],
        (a, b, x): (Matrices<T>, Matrices<T>, Matrices<T>),
        (room, memory): (Room<'_>, RoomMemory<'_>),
    ) -> Result<Vec<i32>> {
        let (addresses, status) = (room.at(self.arrays.addresses), room.at(self.arrays.status));
        let all: Vec<u64> = [a, b, x].iter().flat_map(|m| left.iter().map(|&b| address(m, b))).collect();
        memory.write(addresses, &all)?;
        let [a, b, x] = [(a, 0), (b, 1), (x, 2)]
            .map(|(matrices, which)| Matrices { pointers: addresses.offset((which * left.len()) as i64), ..matrices });
        let operands = [a.cast(), b.cast(), x.cast(), Work::raw(status)];
        let (batch, how, triangle) = (left.len() as u64, Op::None.into(), Triangle::Lower);
        let work = Work { launcher, batch, operands: &operands, how, triangle, room, memory: None };
        // SAFETY: the caller's promise; they are addresses of matrices that it speaks of.
        unsafe { self.in_double.enqueue(&work)? };
        memory.read(status, 0, left.len())
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
