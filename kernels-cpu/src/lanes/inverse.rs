//! A^-1 for many matrices.

use numbers::matrix::Matrices;
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;

use super::block::Block;
use super::deinterleave::deinterleave_exchanged;
use super::group::{Lanes, groups};
use super::interleave::interleave;
use super::isa::{Isa, LaneScalar};
use super::number::Number;
use super::operation::{self, BAD_INVERSE, Operation, note_results, statuses, with_small_order, write_statuses};
use super::room::Room;
use super::small::{MAX_ORDER, Small, probe};
use super::vector::Vector;
use super::widened::{narrow, room_for, widened};
use super::workspace::Workspace;
use super::{arrange, eliminate, invert, single, square};
use crate::element::Element;

/// A^-1 = U^-1 L^-1 P (LAPACK `xGETRI`). `out` may be `a`.
///
/// Statuses are as [`factor`](super::factor())'s, and -1 also where the inverse is not finite: shape (matrices). Where
/// a status is not 0, all of the inverse is NaN.
///
/// # Safety
/// `a` may be read and `out` written, n x n each, as many matrices as there are statuses; those of `out` are apart from
/// each other, and from those of `a` unless they are the same; nobody else touches them meanwhile.
///
/// # Panics
/// If the workspace was made for less.
pub(crate) unsafe fn inverse<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    a: Matrices<E>,
    out: Matrices<E>,
    n: usize,
    status: &mut [i32],
) {
    let (mut room, copies) = workspace.room::<E>(isa, n, 0, status.len());
    if n == 0 {
        return status.fill(0);
    }
    for some in operation::at_once::<E>(isa, status.len()) {
        let status = &mut status[some.clone()];
        // SAFETY: the caller's promise, and the workspace has room for copies; inverses take the matrices' place.
        unsafe {
            let a = widened(a, some.clone(), n, n, copies);
            let result = room_for(out, some.start, n, n, copies);
            operation::run(isa, Inverse { a, out: result, n, status: &mut *status }, &mut room);
            operation::spoil_bad(result, n, n, status);
            narrow(out, some.clone(), n, n, copies);
        }
    }
}

struct Inverse<'a, S> {
    a: Matrices<S>,
    out: Matrices<S>,
    /// Order of the matrices.
    n: usize,
    /// Shape (matrices).
    status: &'a mut [i32],
}

impl<S: LaneScalar> Operation for Inverse<'_, S> {
    type Scalar = S;

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = S>>(mut self, room: &mut Room<'_>) {
        let n = self.n;
        let block = Block::<N>::new(room.block.cast(), n);
        if n <= MAX_ORDER {
            // SAFETY: the caller's promise.
            return unsafe { with_small_order!(n, invert_small::<N>(&mut self, block)) };
        }
        for group in groups::<N>(self.status.len()) {
            if single::suits::<N>(group.len(), n) {
                for b in group {
                    // SAFETY: the caller's promise.
                    unsafe { self.invert_one::<N>(b, room) };
                }
                return;
            }
            // SAFETY: the caller's promise.
            unsafe {
                interleave(&Lanes::<N>::of(&self.a, group.clone()), n, n, block);
                let factored = eliminate::factor::<N>(block, room.exchanges);
                arrange::arrange(block, room.exchanges, room.order);
                let mut statuses = statuses::<N>(factored.first_zero, factored.finite);
                note_results::<N>(&mut statuses, invert::invert(block, n), BAD_INVERSE);
                deinterleave_exchanged(block, room.exchanges, room.order, &Lanes::of(&self.out, group.clone()));
                write_statuses::<N>(statuses, &mut self.status[group]);
            }
        }
    }
}

impl<S: LaneScalar> Inverse<'_, S> {
    /// Inverts matrix b by itself.
    ///
    /// # Safety
    /// As for [`Operation::run`].
    #[inline(always)]
    unsafe fn invert_one<N: Number<Scalar = S>>(&mut self, b: usize, room: &mut Room<'_>) {
        let (n, status) = (self.n, &mut self.status[b]);
        // SAFETY: the caller's promise.
        unsafe {
            let (a, x, pivots) = single::room(room, n);
            single::load(self.a, (b, 0), n, a);
            *status = N::Vector::call(single::Factor { a: &mut *a, pivots: &mut *pivots });
            if *status == 0 {
                N::Vector::call(single::Invert { lu: a, pivots, x: &mut *x });
                *status = if single::is_finite(x) { 0 } else { NON_FINITE };
                single::store(x, self.out, (b, 0), n);
            }
        }
    }
}

/// Loads, inverts and stores in registers.
///
/// # Safety
/// As for [`Operation::run`].
#[inline(always)]
unsafe fn invert_small<N: Number, const M: usize>(inverse: &mut Inverse<'_, N::Scalar>, block: Block<N>)
where
    N::Scalar: LaneScalar,
{
    for group in groups::<N>(inverse.status.len()) {
        // SAFETY: the caller's promise.
        unsafe {
            let factors = Small::<N, M>::factor(square::load(&inverse.a, &group, block));
            let mut statuses = statuses::<N>(factors.first_zero, factors.is_finite());
            let x = factors.invert();
            let mut sum = <N::Vector as Vector>::splat(Scalar::ZERO);
            for j in 0..M {
                sum = probe(x[j], sum);
            }
            note_results::<N>(&mut statuses, sum.equal(sum), BAD_INVERSE);
            square::store(&x, &inverse.out, &group, block);
            write_statuses::<N>(statuses, &mut inverse.status[group]);
        }
    }
}
