//! A X = B for many matrices.

use numbers::matrix::Matrices;
use numbers::op::Op;

use super::block::Block;
use super::deinterleave::deinterleave;
use super::group::{Lanes, groups};
use super::interleave::interleave;
use super::isa::{Isa, LaneScalar};
use super::number::Number;
use super::operation::{self, BAD_SIDES, Operation, note_results, statuses, with_small_order, write_statuses};
use super::room::{Room, SIDES};
use super::small::{MAX_ORDER, Small};
use super::vector::Vector;
use super::widened::{narrow, room_for, widened};
use super::workspace::Workspace;
use super::{eliminate, single, small_sides, square, substitute};
use crate::element::Element;

/// A X = B (LAPACK `xGESV`, without its factors), with `rhs` right-hand sides. `x` may be `b`.
///
/// Statuses are as [`factor`](super::factor())'s, or [`side_not_finite`](numbers::status::side_not_finite): shape
/// (matrices). There the solutions that are not finite are NaN, and all of X where a status is another that is not 0.
///
/// # Safety
/// `a` and `b` may be read and `x` written, n x n and n x `rhs`, as many matrices as there are statuses; those of `x`
/// are apart from each other, from `a`, and from those of `b` unless they are the same; nobody else touches them
/// meanwhile.
///
/// # Panics
/// If the workspace was made for less.
#[expect(clippy::too_many_arguments, reason = "three matrices and their sizes")]
pub(crate) unsafe fn solve<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    a: Matrices<E>,
    b: Matrices<E>,
    x: Matrices<E>,
    n: usize,
    rhs: usize,
    status: &mut [i32],
) {
    let (mut room, copies) = workspace.room::<E>(isa, n, rhs, status.len());
    if n == 0 {
        return status.fill(0);
    }
    let sides = copies.wrapping_add(isa.lanes::<E::Scalar>().min(status.len()) * n * n);
    for some in operation::at_once::<E>(isa, status.len()) {
        let status = &mut status[some.clone()];
        // SAFETY: the caller's promise, and the workspace has room for both copies; solutions take the place of
        // right-hand sides.
        unsafe {
            let a = widened(a, some.clone(), n, n, copies);
            let b = widened(b, some.clone(), n, rhs, sides);
            let solution = room_for(x, some.start, n, rhs, sides);
            operation::run(isa, Solve { a, b, x: solution, n, rhs, status: &mut *status }, &mut room);
            operation::spoil_bad(solution, n, rhs, status);
            narrow(x, some.clone(), n, rhs, sides);
        }
    }
}

struct Solve<'a, S> {
    a: Matrices<S>,
    b: Matrices<S>,
    x: Matrices<S>,
    /// Order of the matrices.
    n: usize,
    /// Columns of `b` and `x`.
    rhs: usize,
    /// Shape (matrices).
    status: &'a mut [i32],
}

impl<S: LaneScalar> Operation for Solve<'_, S> {
    type Scalar = S;

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = S>>(mut self, room: &mut Room<'_>) {
        let n = self.n;
        let block = Block::<N>::new(room.block.cast(), n);
        if n <= MAX_ORDER {
            // SAFETY: the caller's promise.
            return unsafe { with_small_order!(n, solve_small::<N>(&mut self, block)) };
        }
        for group in groups::<N>(self.status.len()) {
            if single::suits::<N>(group.len(), n) {
                for b in group {
                    // SAFETY: the caller's promise.
                    unsafe { self.solve_one::<N>(b, room) };
                }
                return;
            }
            // SAFETY: the caller's promise.
            unsafe {
                interleave(&Lanes::<N>::of(&self.a, group.clone()), n, n, block);
                let factored = eliminate::factor::<N>(block, room.exchanges);
                let mut statuses = statuses::<N>(factored.first_zero, factored.finite);
                let (b, x) = (Lanes::<N>::of(&self.b, group.clone()), Lanes::<N>::of(&self.x, group.clone()));
                for first in (0..self.rhs).step_by(SIDES) {
                    let sides = SIDES.min(self.rhs - first);
                    interleave(&b.columns_from(first), n, sides, block.columns_from(n));
                    eliminate::forward(block, room.exchanges, n..n + sides);
                    substitute::back(block, n, n..n + sides);
                    note_results::<N>(&mut statuses, block.is_finite(n, n..n + sides), BAD_SIDES);
                    deinterleave(block.columns_from(n), n, sides, &x.columns_from(first));
                }
                write_statuses::<N>(statuses, &mut self.status[group]);
            }
        }
    }
}

impl<S: LaneScalar> Solve<'_, S> {
    /// Solves with matrix b by itself.
    ///
    /// # Safety
    /// As for [`Operation::run`].
    #[inline(always)]
    unsafe fn solve_one<N: Number<Scalar = S>>(&mut self, b: usize, room: &mut Room<'_>) {
        let (n, status) = (self.n, &mut self.status[b]);
        // SAFETY: the caller's promise.
        unsafe {
            let (a, x, pivots) = single::room(room, n);
            single::load(self.a, (b, 0), n, a);
            *status = N::Vector::call(single::Factor { a: &mut *a, pivots: &mut *pivots });
            if *status != 0 {
                return;
            }
            for j in 0..self.rhs {
                let x = &mut x[..n];
                single::load(self.b, (b, j), n, x);
                N::Vector::call(single::Solve { lu: a, how: Op::None.into(), pivots, x: &mut *x });
                if !single::is_finite(x) {
                    *status = BAD_SIDES;
                }
                single::store(x, self.x, (b, j), n);
            }
        }
    }
}

/// Factors in registers, and solves for as many right-hand sides as make a square, and for each that is left.
///
/// # Safety
/// As for [`Operation::run`].
#[inline(always)]
unsafe fn solve_small<N: Number, const M: usize>(solve: &mut Solve<'_, N::Scalar>, block: Block<N>)
where
    N::Scalar: LaneScalar,
{
    for group in groups::<N>(solve.status.len()) {
        // SAFETY: the caller's promise.
        unsafe {
            let factors = Small::<N, M>::factor(square::load(&solve.a, &group, block));
            let mut statuses = statuses::<N>(factors.first_zero, factors.is_finite());
            let finite = small_sides::each(
                (&solve.b, &solve.x),
                &group,
                solve.rhs,
                block,
                #[inline(always)]
                |side| factors.solve(side),
            );
            note_results::<N>(&mut statuses, finite, BAD_SIDES);
            write_statuses::<N>(statuses, &mut solve.status[group]);
        }
    }
}
