//! A^-1 for many matrices, and from their factors.

use numbers::matrix::Matrices;
use numbers::status::NON_FINITE;

use super::registers::Small;
use super::{gram, load, single, triangle};
use crate::element::Element;
use crate::lanes::block::Block;
use crate::lanes::deinterleave::deinterleave;
use crate::lanes::group::{Lanes, groups};
use crate::lanes::isa::{Isa, LaneScalar};
use crate::lanes::number::{Mask, Number};
use crate::lanes::operation::{self, BAD_INVERSE, Operation, note_bad, with_small_order, write_statuses};
use crate::lanes::room::Room;
use crate::lanes::small::MAX_ORDER;
use crate::lanes::vector::{Stage, Vector};
use crate::lanes::widened::{narrow, room_for, widened};
use crate::lanes::workspace::Workspace;
use crate::lanes::{invert, single as by_itself, square};
use crate::transfer::from;

/// A^-1 = L^-H L^-1 (LAPACK `xPOTRF` and `xPOTRI`), both triangles. `out` may be `a`.
///
/// Statuses are as [`cholesky`](super::cholesky())'s, and -1 also where the inverse is not finite: shape (matrices).
/// Where a status is not 0, all of the inverse is NaN.
///
/// # Safety
/// `a` may be read and `out` written, n x n each, as many matrices as there are statuses; those of `out` are apart from
/// each other, and from those of `a` unless they are the same; nobody else touches them meanwhile.
///
/// # Panics
/// If the workspace was made for less.
pub(crate) unsafe fn cholesky_inverse<E: Element>(
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
            let inverse = Inverse { a, are_factors: false, out: result, n, status: &mut *status };
            operation::run(isa, inverse, &mut room);
            operation::spoil_bad(result, n, n, status);
            narrow(out, some.clone(), n, n, copies);
        }
    }
}

/// As [`cholesky_inverse`], from factors, with the same bits.
///
/// Statuses are those of the factors before, shape (matrices). They become -1 where they are 0 and the inverse is not
/// finite. Where a status is not 0, all of the inverse is NaN.
///
/// # Safety
/// As there, for `l`.
///
/// # Panics
/// If the workspace was made for less.
pub(crate) unsafe fn cholesky_inverse_factored<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    l: Matrices<E::Scalar>,
    out: Matrices<E>,
    n: usize,
    status: &mut [i32],
) {
    let (mut room, copies) = workspace.room::<E>(isa, n, 0, status.len());
    if n == 0 {
        return;
    }
    for some in operation::at_once::<E>(isa, status.len()) {
        let status = &mut status[some.clone()];
        // SAFETY: the caller's promise, and the workspace has room for copies.
        unsafe {
            let a = from(l, some.start);
            let result = room_for(out, some.start, n, n, copies);
            let inverse = Inverse { a, are_factors: true, out: result, n, status: &mut *status };
            operation::run(isa, inverse, &mut room);
            operation::spoil_bad(result, n, n, status);
            narrow(out, some.clone(), n, n, copies);
        }
    }
}

struct Inverse<'a, S> {
    /// The matrices, or their factors, whose statuses are given.
    a: Matrices<S>,
    are_factors: bool,
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
            if by_itself::suits::<N>(group.len(), n) {
                for b in group {
                    // SAFETY: the caller's promise.
                    unsafe { self.invert_one::<N>(b, room) };
                }
                return;
            }
            // SAFETY: the caller's promise.
            unsafe {
                load(&Lanes::<N>::of(&self.a, group.clone()), n, block);
                if self.are_factors {
                    triangle::mirror(block, n);
                } else {
                    write_statuses::<N>(triangle::factor(block, n), &mut self.status[group.clone()]);
                }
                let finite = N::Vector::call(Invert { a: block, n });
                note_bad::<N>(finite, &mut self.status[group.clone()], BAD_INVERSE);
                deinterleave(block, n, n, &Lanes::of(&self.out, group));
            }
        }
    }
}

/// Overwrites L and L^H with the inverse.
struct Invert<N: Number> {
    a: Block<N>,
    /// Order of the matrices.
    n: usize,
}

impl<N: Number> Stage for Invert<N> {
    type Output = Mask<N>;

    #[inline(always)]
    unsafe fn run(self) -> Mask<N> {
        // SAFETY: the caller's promise.
        unsafe {
            invert::upper(self.a, self.n);
            gram::gram(self.a, self.n)
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
            let (a, w, _) = by_itself::room(room, n);
            by_itself::load(self.a, (b, 0), n, a);
            if self.are_factors {
                single::mirror(a, n);
            } else {
                *status = N::Vector::call(single::Factor { a: &mut *a, n });
            }
            if *status == 0 {
                N::Vector::call(single::Invert { a: &mut *a, w, n });
                *status = if by_itself::is_finite(a) { 0 } else { NON_FINITE };
                by_itself::store(a, self.out, (b, 0), n);
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
            let a = square::load(&inverse.a, &group, block);
            let factors = if inverse.are_factors {
                Small::<N, M>::given(a)
            } else {
                let factors = Small::<N, M>::factor(a);
                write_statuses::<N>(factors.statuses, &mut inverse.status[group.clone()]);
                factors
            };
            let (x, finite) = factors.invert();
            square::store(&x, &inverse.out, &group, block);
            note_bad::<N>(finite, &mut inverse.status[group], BAD_INVERSE);
        }
    }
}
