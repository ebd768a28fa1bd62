//! A X = B for a group.

use kernels_gpu::lu::NON_FINITE;
use kernels_gpu::scalar::Scalar;

use super::block::Block;
use super::deinterleave::deinterleave;
use super::group::Group;
use super::interleave::interleave;
use super::isa::{Isa, LaneScalar};
use super::number::Number;
use super::operation::{self, Operation, note_results, statuses, with_small_order};
use super::small::{self, MAX_ORDER, Small};
use super::vector::{MAX_LANES, Vector};
use super::widened::Widened;
use super::workspace::{Room, SIDES, Workspace};
use super::{eliminate, single, substitute};
use crate::element::Element;

/// A X = B (LAPACK `xGESV`, without its factors), with `rhs` right-hand sides. `x` may be `b`.
///
/// Statuses are as [`factor`](super::factor())'s, and -1 also where X is not finite: shape (matrices). Where a status is not 0, all
/// of X is NaN.
///
/// # Safety
/// `a` and `b` may be read and `x` written, n x n and n x `rhs`, from one to `isa.lanes()` matrices each; those of `x` are
/// apart from each other, from `a`, and from those of `b` unless they are the same; nobody else touches them meanwhile.
///
/// # Panics
/// If the workspace was made for less, or there is not a status for each matrix.
#[expect(clippy::too_many_arguments, reason = "three matrices and their sizes")]
pub(crate) unsafe fn solve<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    a: Group<'_, E>,
    b: Group<'_, E>,
    x: Group<'_, E>,
    n: usize,
    rhs: usize,
    status: &mut [i32],
) {
    let lanes = isa.lanes::<E::Scalar>();
    operation::count(lanes, &[a.starts.len(), b.starts.len(), x.starts.len(), status.len()]);
    let (room, copies) = workspace.room::<E>(isa, n, rhs);
    if n == 0 {
        return status.fill(0);
    }
    // SAFETY: the caller's promise, and the workspace has room for both copies; solutions take the place of right-hand sides.
    unsafe {
        let sides = copies.wrapping_add(lanes * n * n);
        let a = Widened::of(&a, n, n, copies);
        let b = Widened::of(&b, n, rhs, sides);
        let solution = Widened::room_for(&x, n, rhs, sides);
        operation::run(
            isa,
            Solve { a: a.group(), b: b.group(), x: solution.group(), n, rhs, status: &mut *status },
            room,
        );
        solution.narrow(&x, n, rhs);
        operation::spoil_bad(&x, n, rhs, status);
    }
}

struct Solve<'a, S> {
    a: Group<'a, S>,
    b: Group<'a, S>,
    x: Group<'a, S>,
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
    unsafe fn run<N: Number<Scalar = S>>(self, mut room: Room<'_>) {
        let n = self.n;
        if single::suits::<N>(self.status.len(), n) {
            for (w, status) in self.status.iter_mut().enumerate() {
                // SAFETY: the caller's promise.
                unsafe {
                    let (a, x, pivots) = single::room(&mut room, n);
                    single::load(&self.a, (w, 0), n, a);
                    *status = N::Vector::call(single::Factor { a: &mut *a, pivots: &mut *pivots });
                    for j in 0..self.rhs {
                        if *status != 0 {
                            break;
                        }
                        let x = &mut x[..n];
                        single::load(&self.b, (w, j), n, x);
                        N::Vector::call(single::Solve { lu: a, pivots, x: &mut *x });
                        if !single::is_finite(x) {
                            *status = NON_FINITE;
                        }
                        single::store(x, &self.x, (w, j), n);
                    }
                }
            }
            return;
        }
        let block = Block::<N>::new(room.block.cast(), n);
        // SAFETY: the caller's promise.
        let statuses = unsafe {
            if n <= MAX_ORDER {
                with_small_order!(n, solve_small::<N>(&self, block))
            } else {
                interleave(&self.a.lanes::<N>(), n, n, block);
                let first_zero = eliminate::factor::<N, false>(block, room.exchanges);
                let mut statuses = statuses::<N>(first_zero, block.is_finite(n, 0..n));
                let (b, x) = (self.b.lanes::<N>(), self.x.lanes::<N>());
                for first in (0..self.rhs).step_by(SIDES) {
                    let sides = SIDES.min(self.rhs - first);
                    interleave(&b.columns_from(first), n, sides, block.columns_from(n));
                    eliminate::forward(block, room.exchanges, n..n + sides);
                    substitute::back(block, n, n..n + sides);
                    note_results::<N>(&mut statuses, block.is_finite(n, n..n + sides));
                    deinterleave(block.columns_from(n), n, sides, &x.columns_from(first));
                }
                statuses
            }
        };
        self.status.copy_from_slice(&statuses[..self.status.len()]);
    }
}

/// Factors in registers, and solves for a right-hand side after the other.
///
/// # Safety
/// As for [`Operation::run`].
#[inline(always)]
unsafe fn solve_small<N: Number, const M: usize>(solve: &Solve<'_, N::Scalar>, block: Block<N>) -> [i32; MAX_LANES]
where
    N::Scalar: LaneScalar,
{
    // SAFETY: the caller's promise.
    unsafe {
        let factors = Small::<N, M>::factor(small::load(&solve.a.lanes(), block));
        let mut statuses = statuses::<N>(factors.first_zero, factors.is_finite());
        let mut sum = <N::Vector as Vector>::splat(Scalar::ZERO);
        let (b, x) = (solve.b.lanes::<N>(), solve.x.lanes::<N>());
        for first in (0..solve.rhs).step_by(SIDES) {
            let sides = SIDES.min(solve.rhs - first);
            interleave(&b.columns_from(first), M, sides, block);
            for j in 0..sides {
                let mut column = [block.get(0, j); M];
                for i in 1..M {
                    column[i] = block.get(i, j);
                }
                let column = factors.solve(column);
                for i in 0..M {
                    sum = column[i].probe(sum);
                    block.set(i, j, column[i]);
                }
            }
            deinterleave(block, M, sides, &x.columns_from(first));
        }
        note_results::<N>(&mut statuses, sum.equal(sum));
        statuses
    }
}
