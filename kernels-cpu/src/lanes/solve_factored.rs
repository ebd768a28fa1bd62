//! op(A) X = B for many matrices, from their factors.

use numbers::matrix::Matrices;

use super::block::Block;
use super::deinterleave::deinterleave;
use super::exchange::Exchange;
use super::group::{Lanes, groups};
use super::interleave::interleave;
use super::isa::{Isa, LaneScalar};
use super::number::Number;
use super::operation::{self, BAD_SIDES, Operation, note_bad, with_small_order};
use super::room::{Room, SIDES};
use super::small::{MAX_ORDER, Small};
use super::vector::Vector;
use super::widened::{narrow, room_for, widened};
use super::workspace::Workspace;
use super::{single, small_sides, square, substitute};
use crate::element::Element;
use crate::transfer::{from, transposed};
use numbers::op::Substitutions;

/// op(A) X = B (LAPACK `xGETRS`), with `rhs` right-hand sides. `x` may be `b`. The bits are those of
/// [`solve`](super::solve()). Of a triangle alone there are no pivots.
///
/// Statuses are those of the factors before, shape (matrices); where one is 0, U has no zero on its diagonal. Solutions
/// that are not finite make of 0 [`side_not_finite`](numbers::status::side_not_finite), and become NaN; so does all of X
/// where a status is another that is not 0.
///
/// # Safety
/// `lu` and `b` may be read and `x` written, n x n and n x `rhs`, as many matrices as there are statuses; those of `x`
/// are apart from each other, from `lu`, and from those of `b` unless they are the same; nobody else touches them
/// meanwhile. Pivots are below n.
///
/// # Panics
/// If the workspace was made for less, or the slices are not of their shapes.
#[expect(clippy::too_many_arguments, reason = "three matrices and their sizes")]
pub(crate) unsafe fn solve_factored<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    lu: Matrices<E::Scalar>,
    pivots: &[u32],
    how: Substitutions,
    b: Matrices<E>,
    x: Matrices<E>,
    n: usize,
    rhs: usize,
    status: &mut [i32],
) {
    let pivots_each = if how.are_both() { n } else { 0 };
    assert!(pivots.len() == status.len() * pivots_each, "there is a pivot for each row of each matrix");
    let (mut room, sides) = workspace.room::<E>(isa, n, rhs, status.len());
    if n == 0 || rhs == 0 {
        return;
    }
    let lu = if how.transposed { transposed(lu) } else { lu };
    for some in operation::at_once::<E>(isa, status.len()) {
        let (pivots, status) = (&pivots[some.start * pivots_each..some.end * pivots_each], &mut status[some.clone()]);
        // SAFETY: the caller's promise, and the workspace has room for copies; solutions take the place of right-hand
        // sides.
        unsafe {
            let lu = from(lu, some.start);
            let b = widened(b, some.clone(), n, rhs, sides);
            let solution = room_for(x, some.start, n, rhs, sides);
            let solve = SolveFactored { lu, pivots, how, b, x: solution, n, rhs, status: &mut *status };
            operation::run(isa, solve, &mut room);
            operation::spoil_bad(solution, n, rhs, status);
            narrow(x, some.clone(), n, rhs, sides);
        }
    }
}

struct SolveFactored<'a, S> {
    /// The factors, or those transposed.
    lu: Matrices<S>,
    /// Shape (matrices, n), or none.
    pivots: &'a [u32],
    how: Substitutions,
    b: Matrices<S>,
    x: Matrices<S>,
    /// Order of the matrices.
    n: usize,
    /// Columns of `b` and `x`.
    rhs: usize,
    /// Shape (matrices).
    status: &'a mut [i32],
}

impl<S: LaneScalar> Operation for SolveFactored<'_, S> {
    type Scalar = S;

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = S>>(mut self, room: &mut Room<'_>) {
        let n = self.n;
        let block = Block::<N>::new(room.block.cast(), n);
        if n <= MAX_ORDER && self.how.are_both() {
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
            let exchanges = if self.how.are_both() { n } else { 0 };
            let pivots = &self.pivots[group.start * exchanges..group.end * exchanges];
            for k in 0..exchanges {
                room.exchanges[k] = Exchange::given::<N>(pivots, n, k);
            }
            // SAFETY: the caller's promise.
            unsafe {
                interleave(&Lanes::<N>::of(&self.lu, group.clone()), n, n, block);
                let (b, x) = (Lanes::<N>::of(&self.b, group.clone()), Lanes::<N>::of(&self.x, group.clone()));
                for first in (0..self.rhs).step_by(SIDES) {
                    let sides = SIDES.min(self.rhs - first);
                    interleave(&b.columns_from(first), n, sides, block.columns_from(n));
                    substitute::solve(block, n, &room.exchanges[..exchanges], self.how, n..n + sides);
                    note_bad::<N>(block.is_finite(n, n..n + sides), &mut self.status[group.clone()], BAD_SIDES);
                    deinterleave(block.columns_from(n), n, sides, &x.columns_from(first));
                }
            }
        }
    }
}

impl<S: LaneScalar> SolveFactored<'_, S> {
    /// Solves with matrix b by itself.
    ///
    /// # Safety
    /// As for [`Operation::run`].
    #[inline(always)]
    unsafe fn solve_one<N: Number<Scalar = S>>(&mut self, b: usize, room: &mut Room<'_>) {
        let (n, status) = (self.n, &mut self.status[b]);
        let (pivots, how) = (if self.how.are_both() { &self.pivots[b * n..(b + 1) * n] } else { &[] }, self.how);
        // SAFETY: the caller's promise.
        unsafe {
            let (lu, x, _) = single::room(room, n);
            single::load(self.lu, (b, 0), n, lu);
            if *status != 0 {
                return;
            }
            for j in 0..self.rhs {
                let x = &mut x[..n];
                single::load(self.b, (b, j), n, x);
                if how.conjugated {
                    x.iter_mut().for_each(|x| *x = x.conj());
                }
                N::Vector::call(single::Solve { lu, how, pivots, x: &mut *x });
                if how.conjugated {
                    x.iter_mut().for_each(|x| *x = x.conj());
                }
                if !single::is_finite(x) {
                    *status = BAD_SIDES;
                }
                single::store(x, self.x, (b, j), n);
            }
        }
    }
}

/// Solves in registers, for as many right-hand sides as make a square, and for each that is left.
///
/// # Safety
/// As for [`Operation::run`].
#[inline(always)]
unsafe fn solve_small<N: Number, const M: usize>(solve: &mut SolveFactored<'_, N::Scalar>, block: Block<N>)
where
    N::Scalar: LaneScalar,
{
    let how = solve.how;
    for group in groups::<N>(solve.status.len()) {
        // SAFETY: the caller's promise.
        unsafe {
            let lu = square::load(&solve.lu, &group, block);
            let factors = Small::<N, M>::given(lu, &solve.pivots[group.start * M..group.end * M]);
            let finite = small_sides::each(
                (&solve.b, &solve.x),
                &group,
                solve.rhs,
                block,
                #[inline(always)]
                |side| factors.solve_by(side, how),
            );
            note_bad::<N>(finite, &mut solve.status[group], BAD_SIDES);
        }
    }
}
