//! A^-1 for many matrices, from their factors.

use numbers::matrix::Matrices;
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;

use super::block::Block;
use super::deinterleave::deinterleave_exchanged;
use super::exchange::Exchange;
use super::group::{Lanes, groups};
use super::interleave::interleave;
use super::isa::{Isa, LaneScalar};
use super::number::Number;
use super::operation::{self, BAD_INVERSE, Operation, note_bad, with_small_order};
use super::room::Room;
use super::small::{MAX_ORDER, Small, probe};
use super::vector::Vector;
use super::widened::{narrow, room_for};
use super::workspace::Workspace;
use super::{invert, single, square};
use crate::element::Element;
use crate::transfer::from;

/// A^-1 = U^-1 L^-1 P (LAPACK `xGETRI`). The bits are those of [`inverse`](super::inverse()).
///
/// Statuses are those of the factors before, shape (matrices); where one is 0, U has no zero on its diagonal. They
/// become -1 where they are 0 and the inverse is not finite. Where a status is not 0, all of the inverse is NaN.
///
/// # Safety
/// `lu` may be read and `out` written, n x n each, as many matrices as there are statuses; those of `out` are apart
/// from each other and from `lu`; nobody else touches them meanwhile. Pivots are below n.
///
/// # Panics
/// If the workspace was made for less, or the slices are not of their shapes.
pub(crate) unsafe fn inverse_factored<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    lu: Matrices<E::Scalar>,
    pivots: &[u32],
    out: Matrices<E>,
    n: usize,
    status: &mut [i32],
) {
    assert!(pivots.len() == status.len() * n, "there is a pivot for each row of each matrix");
    let (mut room, copies) = workspace.room::<E>(isa, n, 0, status.len());
    if n == 0 {
        return;
    }
    for some in operation::at_once::<E>(isa, status.len()) {
        let (pivots, status) = (&pivots[some.start * n..some.end * n], &mut status[some.clone()]);
        // SAFETY: the caller's promise, and the workspace has room for copies.
        unsafe {
            let lu = from(lu, some.start);
            let result = room_for(out, some.start, n, n, copies);
            operation::run(isa, InverseFactored { lu, pivots, out: result, n, status: &mut *status }, &mut room);
            operation::spoil_bad(result, n, n, status);
            narrow(out, some.clone(), n, n, copies);
        }
    }
}

struct InverseFactored<'a, S> {
    lu: Matrices<S>,
    /// Shape (matrices, n).
    pivots: &'a [u32],
    out: Matrices<S>,
    /// Order of the matrices.
    n: usize,
    /// Shape (matrices).
    status: &'a mut [i32],
}

impl<S: LaneScalar> Operation for InverseFactored<'_, S> {
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
            let pivots = &self.pivots[group.start * n..group.end * n];
            for k in 0..n {
                room.exchanges[k] = Exchange::given::<N>(pivots, n, k);
            }
            // SAFETY: the caller's promise.
            unsafe {
                interleave(&Lanes::<N>::of(&self.lu, group.clone()), n, n, block);
                note_bad::<N>(invert::invert(block, n), &mut self.status[group.clone()], BAD_INVERSE);
                deinterleave_exchanged(block, room.exchanges, room.order, &Lanes::of(&self.out, group));
            }
        }
    }
}

impl<S: LaneScalar> InverseFactored<'_, S> {
    /// Inverts matrix b by itself.
    ///
    /// # Safety
    /// As for [`Operation::run`].
    #[inline(always)]
    unsafe fn invert_one<N: Number<Scalar = S>>(&mut self, b: usize, room: &mut Room<'_>) {
        let (n, status) = (self.n, &mut self.status[b]);
        if *status != 0 {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            let (lu, x, _) = single::room(room, n);
            single::load(self.lu, (b, 0), n, lu);
            N::Vector::call(single::Invert { lu, pivots: &self.pivots[b * n..(b + 1) * n], x: &mut *x });
            *status = if single::is_finite(x) { 0 } else { NON_FINITE };
            single::store(x, self.out, (b, 0), n);
        }
    }
}

/// Loads, inverts and stores in registers.
///
/// # Safety
/// As for [`Operation::run`].
#[inline(always)]
unsafe fn invert_small<N: Number, const M: usize>(inverse: &mut InverseFactored<'_, N::Scalar>, block: Block<N>)
where
    N::Scalar: LaneScalar,
{
    for group in groups::<N>(inverse.status.len()) {
        // SAFETY: the caller's promise.
        unsafe {
            let lu = square::load(&inverse.lu, &group, block);
            let x = Small::<N, M>::given(lu, &inverse.pivots[group.start * M..group.end * M]).invert();
            let mut sum = <N::Vector as Vector>::splat(Scalar::ZERO);
            for j in 0..M {
                sum = probe(x[j], sum);
            }
            square::store(&x, &inverse.out, &group, block);
            note_bad::<N>(sum.equal(sum), &mut inverse.status[group], BAD_INVERSE);
        }
    }
}
