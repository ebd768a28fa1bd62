//! PA = LU for a group.

use super::block::Block;
use super::deinterleave::deinterleave;
use super::exchange::Exchange;
use super::group::{Group, Lanes};
use super::interleave::interleave;
use super::isa::{Isa, LaneScalar};
use super::number::{Mask, Number};
use super::operation::{self, Operation, statuses, with_small_order};
use super::small::{self, MAX_ORDER, Small};
use super::vector::Vector;
use super::widened::Widened;
use super::workspace::{Room, Workspace};
use super::{eliminate, single};
use crate::element::Element;

/// PA = LU (LAPACK `xGETRF`). `lu` gets U, and L below the diagonal; it may be `a`. `pivots[k]` is the row, from 0, that row k
/// was exchanged with: shape (matrices, n).
///
/// Statuses are 0, or k where `U[k-1][k-1]` is the first that is zero (the factors are complete all the same), or -1 where the
/// factors are not finite: shape (matrices).
///
/// # Safety
/// `a` may be read and `lu` written, n x n each, from one to `isa.lanes()` matrices; those of `lu` are apart from each other,
/// and from those of `a` unless they are the same; nobody else touches them meanwhile.
///
/// # Panics
/// If the workspace was made for less, or the slices are not of their shapes.
pub(crate) unsafe fn factor<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    a: Group<'_, E>,
    lu: Group<'_, E::Scalar>,
    n: usize,
    pivots: &mut [u32],
    status: &mut [i32],
) {
    let count = operation::count(isa.lanes::<E::Scalar>(), &[a.starts.len(), lu.starts.len(), status.len()]);
    assert!(pivots.len() == count * n, "there is a pivot for each row of each matrix");
    let (room, copies) = workspace.room::<E>(isa, n, 0);
    if n == 0 {
        return status.fill(0);
    }
    // SAFETY: the caller's promise, and the workspace has room.
    unsafe {
        let a = Widened::of(&a, n, n, copies);
        operation::run(isa, Factor { a: a.group(), lu, n, pivots, status }, room);
    }
}

struct Factor<'a, S> {
    a: Group<'a, S>,
    lu: Group<'a, S>,
    /// Order of the matrices.
    n: usize,
    /// Shape (matrices, n).
    pivots: &'a mut [u32],
    /// Shape (matrices).
    status: &'a mut [i32],
}

impl<S: LaneScalar> Operation for Factor<'_, S> {
    type Scalar = S;

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = S>>(self, mut room: Room<'_>) {
        if single::suits::<N>(self.status.len(), self.n) {
            for (w, (pivots, status)) in self.pivots.chunks_exact_mut(self.n).zip(self.status).enumerate() {
                // SAFETY: the caller's promise.
                unsafe {
                    let (a, ..) = single::room(&mut room, self.n);
                    single::load(&self.a, (w, 0), self.n, a);
                    *status = N::Vector::call(single::Factor { a: &mut *a, pivots });
                    single::store(a, &self.lu, (w, 0), self.n);
                }
            }
            return;
        }
        let (n, from, to) = (self.n, self.a.lanes::<N>(), self.lu.lanes::<N>());
        let block = Block::<N>::new(room.block.cast(), n);
        // SAFETY: the caller's promise.
        let (first_zero, finite) = unsafe {
            if n <= MAX_ORDER {
                with_small_order!(n, factor_small::<N>(&from, &to, block, room.exchanges))
            } else {
                interleave(&from, n, n, block);
                let first_zero = eliminate::factor::<N, true>(block, room.exchanges);
                deinterleave(block, n, n, &to);
                (first_zero, block.is_finite(n, 0..n))
            }
        };
        let statuses = statuses::<N>(first_zero, finite);
        self.status.copy_from_slice(&statuses[..self.status.len()]);
        for (w, pivots) in self.pivots.chunks_exact_mut(n).enumerate() {
            for (pivot, exchange) in pivots.iter_mut().zip(&*room.exchanges) {
                *pivot = exchange.row::<N>(w) as u32;
            }
        }
    }
}

/// Loads, factors and stores in registers.
///
/// # Safety
/// As for [`Operation::run`].
#[inline(always)]
unsafe fn factor_small<N: Number, const M: usize>(
    from: &Lanes<N>,
    to: &Lanes<N>,
    block: Block<N>,
    exchanges: &mut [Exchange],
) -> (N::Vector, Mask<N>) {
    // SAFETY: the caller's promise.
    unsafe {
        let factors = Small::<N, M>::factor(small::load(from, block));
        small::store(factors.factors(), to, block);
        exchanges.copy_from_slice(&factors.exchanges());
        (factors.first_zero, factors.is_finite())
    }
}
