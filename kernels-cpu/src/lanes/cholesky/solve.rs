//! A X = B for many matrices, and from their factors.

use std::ops::Range;

use numbers::matrix::Matrices;

use super::registers::Small;
use super::{load, single, triangle};
use crate::element::Element;
use crate::lanes::block::Block;
use crate::lanes::deinterleave::deinterleave;
use crate::lanes::group::{Lanes, groups};
use crate::lanes::interleave::interleave;
use crate::lanes::isa::{Isa, LaneScalar};
use crate::lanes::number::Number;
use crate::lanes::operation::{self, BAD_SIDES, Operation, note_bad, with_small_order, write_statuses};
use crate::lanes::room::{Room, SIDES};
use crate::lanes::small::MAX_ORDER;
use crate::lanes::vector::Vector;
use crate::lanes::widened::{narrow, room_for, widened};
use crate::lanes::workspace::Workspace;
use crate::lanes::{single as by_itself, small_sides, square, substitute};
use crate::transfer::from;

/// A X = B (LAPACK `xPOSV`, without its factors), with `rhs` right-hand sides, or of the conjugate matrices. `x` may be
/// `b`.
///
/// Statuses are as [`cholesky`](super::cholesky())'s, or [`side_not_finite`](numbers::status::side_not_finite): shape
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
pub(crate) unsafe fn cholesky_solve<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    a: Matrices<E>,
    conjugated: bool,
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
            let solve = Solve { a, are_factors: false, conjugated, b, x: solution, n, rhs, status: &mut *status };
            operation::run(isa, solve, &mut room);
            operation::spoil_bad(solution, n, rhs, status);
            narrow(x, some.clone(), n, rhs, sides);
        }
    }
}

/// As [`cholesky_solve`], from factors (LAPACK `xPOTRS`), with the same bits.
///
/// Statuses are those of the factors before, shape (matrices). Solutions that are not finite make of 0
/// [`side_not_finite`](numbers::status::side_not_finite), and become NaN; so does all of X where a status is another that
/// is not 0.
///
/// # Safety
/// As there, for `l`.
///
/// # Panics
/// If the workspace was made for less.
#[expect(clippy::too_many_arguments, reason = "three matrices and their sizes")]
pub(crate) unsafe fn cholesky_solve_factored<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    l: Matrices<E::Scalar>,
    conjugated: bool,
    b: Matrices<E>,
    x: Matrices<E>,
    n: usize,
    rhs: usize,
    status: &mut [i32],
) {
    let (mut room, sides) = workspace.room::<E>(isa, n, rhs, status.len());
    if n == 0 || rhs == 0 {
        return;
    }
    for some in operation::at_once::<E>(isa, status.len()) {
        let status = &mut status[some.clone()];
        // SAFETY: the caller's promise, and the workspace has room for copies; solutions take the place of right-hand
        // sides.
        unsafe {
            let a = from(l, some.start);
            let b = widened(b, some.clone(), n, rhs, sides);
            let solution = room_for(x, some.start, n, rhs, sides);
            let solve = Solve { a, are_factors: true, conjugated, b, x: solution, n, rhs, status: &mut *status };
            operation::run(isa, solve, &mut room);
            operation::spoil_bad(solution, n, rhs, status);
            narrow(x, some.clone(), n, rhs, sides);
        }
    }
}

struct Solve<'a, S> {
    /// The matrices, or their factors, whose statuses are given.
    a: Matrices<S>,
    are_factors: bool,
    /// Whether they are the conjugate matrices' systems.
    conjugated: bool,
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
        if n <= MAX_ORDER {
            // SAFETY: the caller's promise.
            return unsafe { with_small_order!(n, solve_small::<N>(&mut self, Block::new(room.block.cast(), n))) };
        }
        for group in groups::<N>(self.status.len()) {
            if by_itself::suits::<N>(group.len(), n) {
                for b in group {
                    // SAFETY: the caller's promise.
                    unsafe { self.solve_one::<N>(b, room) };
                }
                return;
            }
            // SAFETY: the caller's promise.
            unsafe { self.solve_group::<N>(group, room) };
        }
    }
}

impl<S: LaneScalar> Solve<'_, S> {
    /// Solves with a matrix a lane.
    ///
    /// # Safety
    /// As for [`Operation::run`].
    #[inline(always)]
    unsafe fn solve_group<N: Number<Scalar = S>>(&mut self, group: Range<usize>, room: &mut Room<'_>) {
        let (n, conjugated) = (self.n, self.conjugated && N::PARTS > 1);
        let block = Block::<N>::new(room.block.cast(), n);
        // SAFETY: the caller's promise.
        unsafe {
            load(&Lanes::<N>::of(&self.a, group.clone()), n, block);
            if self.are_factors {
                triangle::mirror(block, n);
            } else {
                write_statuses::<N>(triangle::factor(block, n), &mut self.status[group.clone()]);
            }
            let (b, x) = (Lanes::<N>::of(&self.b, group.clone()), Lanes::<N>::of(&self.x, group.clone()));
            for first in (0..self.rhs).step_by(SIDES) {
                let sides = SIDES.min(self.rhs - first);
                interleave(&b.columns_from(first), n, sides, block.columns_from(n));
                substitute::solve_definite(block, n, conjugated, n..n + sides);
                note_bad::<N>(block.is_finite(n, n..n + sides), &mut self.status[group.clone()], BAD_SIDES);
                deinterleave(block.columns_from(n), n, sides, &x.columns_from(first));
            }
        }
    }

    /// Solves with matrix b by itself.
    ///
    /// # Safety
    /// As for [`Operation::run`].
    #[inline(always)]
    unsafe fn solve_one<N: Number<Scalar = S>>(&mut self, b: usize, room: &mut Room<'_>) {
        let (n, conjugated, status) = (self.n, self.conjugated, &mut self.status[b]);
        // SAFETY: the caller's promise.
        unsafe {
            let (a, x, _) = by_itself::room(room, n);
            by_itself::load(self.a, (b, 0), n, a);
            if self.are_factors {
                single::mirror(a, n);
            } else {
                *status = N::Vector::call(single::Factor { a: &mut *a, n });
            }
            if *status != 0 {
                return;
            }
            for j in 0..self.rhs {
                let x = &mut x[..n];
                by_itself::load(self.b, (b, j), n, x);
                N::Vector::call(single::Solve { a, conjugated, x: &mut *x });
                if !by_itself::is_finite(x) {
                    *status = BAD_SIDES;
                }
                by_itself::store(x, self.x, (b, j), n);
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
    let conjugated = solve.conjugated && N::PARTS > 1;
    for group in groups::<N>(solve.status.len()) {
        // SAFETY: the caller's promise.
        unsafe {
            let a = square::load(&solve.a, &group, block);
            let factors = if solve.are_factors {
                Small::<N, M>::given(a)
            } else {
                let factors = Small::<N, M>::factor(a);
                write_statuses::<N>(factors.statuses, &mut solve.status[group.clone()]);
                factors
            };
            let finite = small_sides::each(
                (&solve.b, &solve.x),
                &group,
                solve.rhs,
                block,
                #[inline(always)]
                |side| factors.solve(side, conjugated),
            );
            note_bad::<N>(finite, &mut solve.status[group], BAD_SIDES);
        }
    }
}
