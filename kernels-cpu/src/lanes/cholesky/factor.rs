//! A = L L^H for many matrices.

use numbers::matrix::Matrices;

use super::registers::Small;
use super::store::store;
use super::{load, single, triangle};
use crate::element::Element;
use crate::lanes::block::Block;
use crate::lanes::group::{Lanes, groups};
use crate::lanes::isa::{Isa, LaneScalar};
use crate::lanes::number::Number;
use crate::lanes::operation::{self, Operation, with_small_order, write_statuses};
use crate::lanes::room::Room;
use crate::lanes::small::MAX_ORDER;
use crate::lanes::vector::Vector;
use crate::lanes::widened::widened;
use crate::lanes::workspace::Workspace;
use crate::lanes::{single as by_itself, square};
use crate::transfer::from;

/// A = L L^H (LAPACK `xPOTRF`), of the lower triangles. `l` gets L, with zeros above; it may be `a`.
///
/// Statuses are 0, or the code of [`not_positive`](numbers::status::not_positive) or
/// [`NON_FINITE`](numbers::status::NON_FINITE), as the first pivot says that is not positive and finite: shape
/// (matrices). Where a status is not 0, all of L is NaN.
///
/// # Safety
/// `a` may be read and `l` written, n x n each, as many matrices as there are statuses; those of `l` are apart from
/// each other, and from those of `a` unless they are the same; nobody else touches them meanwhile.
///
/// # Panics
/// If the workspace was made for less.
pub(crate) unsafe fn cholesky<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    a: Matrices<E>,
    l: Matrices<E::Scalar>,
    n: usize,
    status: &mut [i32],
) {
    let (mut room, copies) = workspace.room::<E>(isa, n, 0, status.len());
    if n == 0 {
        return status.fill(0);
    }
    for some in operation::at_once::<E>(isa, status.len()) {
        let status = &mut status[some.clone()];
        // SAFETY: the caller's promise, and the workspace has room.
        unsafe {
            let a = widened(a, some.clone(), n, n, copies);
            let l = from(l, some.start);
            operation::run(isa, Factor { a, l, n, status: &mut *status }, &mut room);
            operation::spoil_bad(l, n, n, status);
        }
    }
}

struct Factor<'a, S> {
    a: Matrices<S>,
    l: Matrices<S>,
    /// Order of the matrices.
    n: usize,
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
            if by_itself::suits::<N>(group.len(), n) {
                for b in group {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let (a, ..) = by_itself::room(room, n);
                        by_itself::load(self.a, (b, 0), n, a);
                        self.status[b] = N::Vector::call(single::Factor { a: &mut *a, n });
                        single::clear_upper(a, n);
                        by_itself::store(a, self.l, (b, 0), n);
                    }
                }
                return;
            }
            // SAFETY: the caller's promise.
            unsafe {
                load(&Lanes::<N>::of(&self.a, group.clone()), n, block);
                let statuses = triangle::factor(block, n);
                store(block, n, &Lanes::of(&self.l, group.clone()));
                write_statuses::<N>(statuses, &mut self.status[group]);
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
            square::store(&factors.lower(), &factor.l, &group, block);
            write_statuses::<N>(factors.statuses, &mut factor.status[group]);
        }
    }
}
