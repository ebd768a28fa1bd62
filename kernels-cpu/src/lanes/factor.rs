//! PA = LU for many matrices.

use numbers::matrix::Matrices;

use super::block::Block;
use super::deinterleave::deinterleave;
use super::group::{Lanes, groups};
use super::interleave::interleave;
use super::isa::{Isa, LaneScalar};
use super::number::Number;
use super::operation::{self, Operation, statuses, with_small_order, write_statuses};
use super::room::Room;
use super::small::{MAX_ORDER, Small};
use super::vector::Vector;
use super::widened::widened;
use super::workspace::Workspace;
use super::{arrange, eliminate, single, square};
use crate::element::Element;
use crate::transfer::from;

/// PA = LU (LAPACK `xGETRF`). `lu` gets U, and L below the diagonal; it may be `a`. `pivots[k]` is the row, from 0,
/// that row k was exchanged with: shape (matrices, n).
///
/// Statuses are 0, or k where `U[k-1][k-1]` is the first that is zero (the factors are complete all the same), or -1
/// where the factors are not finite: shape (matrices).
///
/// # Safety
/// `a` may be read and `lu` written, n x n each, as many matrices as there are statuses; those of `lu` are apart from
/// each other, and from those of `a` unless they are the same; nobody else touches them meanwhile.
///
/// # Panics
/// If the workspace was made for less, or the slices are not of their shapes.
pub(crate) unsafe fn factor<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    a: Matrices<E>,
    lu: Matrices<E::Scalar>,
    n: usize,
    pivots: &mut [u32],
    status: &mut [i32],
) {
    assert!(pivots.len() == status.len() * n, "there is a pivot for each row of each matrix");
    let (mut room, copies) = workspace.room::<E>(isa, n, 0, status.len());
    if n == 0 {
        return status.fill(0);
    }
    for some in operation::at_once::<E>(isa, status.len()) {
        let pivots = &mut pivots[some.start * n..some.end * n];
        // SAFETY: the caller's promise, and the workspace has room.
        unsafe {
            let a = widened(a, some.clone(), n, n, copies);
            let lu = from(lu, some.start);
            operation::run(isa, Factor { a, lu, n, pivots, status: &mut status[some] }, &mut room);
        }
    }
}

struct Factor<'a, S> {
    a: Matrices<S>,
    lu: Matrices<S>,
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
    unsafe fn run<N: Number<Scalar = S>>(mut self, room: &mut Room<'_>) {
        let n = self.n;
        let block = Block::<N>::new(room.block.cast(), n);
        if n <= MAX_ORDER {
            // SAFETY: the caller's promise.
            return unsafe { with_small_order!(n, factor_small::<N>(&mut self, block)) };
        }
        for group in groups::<N>(self.status.len()) {
            let pivots = &mut self.pivots[group.start * n..group.end * n];
            let status = &mut self.status[group.clone()];
            if single::suits::<N>(group.len(), n) {
                for (b, (pivots, status)) in group.zip(pivots.chunks_exact_mut(n).zip(status)) {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let (a, ..) = single::room(room, n);
                        single::load(self.a, (b, 0), n, a);
                        *status = N::Vector::call(single::Factor { a: &mut *a, pivots });
                        single::store(a, self.lu, (b, 0), n);
                    }
                }
                return;
            }
            // SAFETY: the caller's promise.
            unsafe {
                interleave(&Lanes::<N>::of(&self.a, group.clone()), n, n, block);
                let factored = eliminate::factor::<N>(block, room.exchanges);
                arrange::arrange(block, room.exchanges, room.order);
                deinterleave(block, n, n, &Lanes::of(&self.lu, group));
                write_statuses::<N>(statuses::<N>(factored.first_zero, factored.finite), status);
            }
            for (w, pivots) in pivots.chunks_exact_mut(n).enumerate() {
                for (pivot, exchange) in pivots.iter_mut().zip(&*room.exchanges) {
                    *pivot = exchange.row::<N>(w) as u32;
                }
            }
        }
    }
}

/// Loads, factors and stores in registers.
///
/// # Safety
/// As for [`Operation::run`].
#[inline(always)]
unsafe fn factor_small<N: Number, const M: usize>(factor: &mut Factor<'_, N::Scalar>, block: Block<N>) {
    for group in groups::<N>(factor.status.len()) {
        // SAFETY: the caller's promise.
        unsafe {
            let factors = Small::<N, M>::factor(square::load(&factor.a, &group, block));
            square::store(factors.factors(), &factor.lu, &group, block);
            factors.write_pivots(&mut factor.pivots[group.start * M..group.end * M]);
            let statuses = statuses::<N>(factors.first_zero, factors.is_finite());
            write_statuses::<N>(statuses, &mut factor.status[group]);
        }
    }
}
