//! A^-1 for a group.

use kernels_gpu::lu::NON_FINITE;
use kernels_gpu::scalar::Scalar;

use super::block::Block;
use super::deinterleave::deinterleave_exchanged;
use super::group::Group;
use super::interleave::interleave;
use super::isa::{Isa, LaneScalar};
use super::number::Number;
use super::operation::{self, Operation, note_results, statuses, with_small_order};
use super::small::{self, MAX_ORDER, Small};
use super::vector::{MAX_LANES, Vector};
use super::widened::Widened;
use super::workspace::{Room, Workspace};
use super::{eliminate, invert, single};
use crate::element::Element;

/// A^-1 = U^-1 L^-1 P (LAPACK `xGETRI`). `out` may be `a`.
///
/// Statuses are as [`factor`](super::factor())'s, and -1 also where the inverse is not finite: shape (matrices). Where a status
/// is not 0, all of the inverse is NaN.
///
/// # Safety
/// `a` may be read and `out` written, n x n each, from one to `isa.lanes()` matrices; those of `out` are apart from each
/// other, and from those of `a` unless they are the same; nobody else touches them meanwhile.
///
/// # Panics
/// If the workspace was made for less, or there is not a status for each matrix.
pub(crate) unsafe fn inverse<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    a: Group<'_, E>,
    out: Group<'_, E>,
    n: usize,
    status: &mut [i32],
) {
    operation::count(isa.lanes::<E::Scalar>(), &[a.starts.len(), out.starts.len(), status.len()]);
    let (room, copies) = workspace.room::<E>(isa, n, 0);
    if n == 0 {
        return status.fill(0);
    }
    // SAFETY: the caller's promise, and the workspace has room for copies; inverses take the matrices' place.
    unsafe {
        let a = Widened::of(&a, n, n, copies);
        let result = Widened::room_for(&out, n, n, copies);
        operation::run(isa, Inverse { a: a.group(), out: result.group(), n, status: &mut *status }, room);
        result.narrow(&out, n, n);
        operation::spoil_bad(&out, n, n, status);
    }
}

struct Inverse<'a, S> {
    a: Group<'a, S>,
    out: Group<'a, S>,
    /// Order of the matrices.
    n: usize,
    /// Shape (matrices).
    status: &'a mut [i32],
}

impl<S: LaneScalar> Operation for Inverse<'_, S> {
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
                    if *status == 0 {
                        N::Vector::call(single::Invert { lu: a, pivots, x: &mut *x });
                        *status = if single::is_finite(x) { 0 } else { NON_FINITE };
                        single::store(x, &self.out, (w, 0), n);
                    }
                }
            }
            return;
        }
        let block = Block::<N>::new(room.block.cast(), n);
        // SAFETY: the caller's promise.
        let statuses = unsafe {
            if n <= MAX_ORDER {
                with_small_order!(n, invert_small::<N>(&self, block))
            } else {
                interleave(&self.a.lanes::<N>(), n, n, block);
                let first_zero = eliminate::factor::<N, true>(block, room.exchanges);
                let mut statuses = statuses::<N>(first_zero, block.is_finite(n, 0..n));
                invert::invert(block, n);
                note_results::<N>(&mut statuses, block.is_finite(n, 0..n));
                deinterleave_exchanged(block, room.exchanges, room.order, &self.out.lanes::<N>());
                statuses
            }
        };
        self.status.copy_from_slice(&statuses[..self.status.len()]);
    }
}

/// Loads, inverts and stores in registers.
///
/// # Safety
/// As for [`Operation::run`].
#[inline(always)]
unsafe fn invert_small<N: Number, const M: usize>(inverse: &Inverse<'_, N::Scalar>, block: Block<N>) -> [i32; MAX_LANES]
where
    N::Scalar: LaneScalar,
{
    // SAFETY: the caller's promise.
    unsafe {
        let factors = Small::<N, M>::factor(small::load(&inverse.a.lanes(), block));
        let mut statuses = statuses::<N>(factors.first_zero, factors.is_finite());
        let x = factors.invert();
        let mut sum = <N::Vector as Vector>::splat(Scalar::ZERO);
        for column in &x {
            for &x in column {
                sum = x.probe(sum);
            }
        }
        note_results::<N>(&mut statuses, sum.equal(sum));
        small::store(&x, &inverse.out.lanes(), block);
        statuses
    }
}
