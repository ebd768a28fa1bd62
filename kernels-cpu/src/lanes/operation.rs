//! How an operation gets to the instructions of the CPU: once for many matrices; from there on all code is compiled for
//! them.

use std::ops::Range;

use numbers::matrix::Matrices;
use numbers::scalar::{Real, Scalar};
use numbers::status::{NON_FINITE, bad_side, side_not_finite};

use super::isa::{Isa, LaneScalar};
use super::number::{Mask, Number};
use super::room::Room;
use super::routine::Routine;
use super::vector::Vector;
use super::vector::constant;
use crate::element::Element;
use crate::transfer::start;

/// Something to do with matrices.
pub(super) trait Operation {
    /// The type of the arithmetic.
    type Scalar: LaneScalar;

    /// Does it.
    ///
    /// # Safety
    /// The CPU has the number's instructions; matrices, outputs and room are of the sizes that the operation says.
    unsafe fn run<N: Number<Scalar = Self::Scalar>>(self, room: &mut Room<'_>);
}

/// Runs an operation with the instructions of a set.
///
/// # Safety
/// As for [`Operation::run`]; that the CPU has the instructions, `isa` shows.
pub(super) unsafe fn run<O: Operation>(isa: Isa, operation: O, room: &mut Room<'_>) {
    // SAFETY: the caller's promise.
    unsafe { isa.run_for_groups(InRoom { operation, room }) }
}

/// An operation with its room.
struct InRoom<'a, 'b, O> {
    operation: O,
    room: &'a mut Room<'b>,
}

impl<O: Operation> Routine for InRoom<'_, '_, O> {
    type Scalar = O::Scalar;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = O::Scalar>>(self) {
        // SAFETY: the caller's promise.
        unsafe { self.operation.run::<N>(self.room) }
    }
}

/// The matrices that an operation is run for at once: all, or, where there is room for copies of a group, each group.
pub(super) fn at_once<E: Element>(isa: Isa, count: usize) -> impl Iterator<Item = Range<usize>> {
    let some = if !E::STORAGE.is_converted() { count.max(1) } else { isa.lanes::<E::Scalar>() };
    (0..count).step_by(some).map(move |first| first..count.min(first + some))
}

/// The statuses of the lanes, as reals: which pivot is the first that is zero, unless the factors are not finite.
#[inline(always)]
pub(super) fn statuses<N: Number>(first_zero: N::Vector, finite: Mask<N>) -> N::Vector {
    <N::Vector as Vector>::select(finite, first_zero, constant(first_zero, Real::from_f64(f64::from(NON_FINITE))))
}

/// What becomes of good statuses where results are not finite: of inverses.
pub(super) const BAD_INVERSE: i32 = NON_FINITE;
/// Of solutions, of which [`spoil_bad`] finds the first that is bad.
pub(super) const BAD_SIDES: i32 = side_not_finite(0);

/// Makes good statuses `bad` where results are not finite.
#[inline(always)]
pub(super) fn note_results<N: Number>(statuses: &mut N::Vector, finite: Mask<N>, bad: i32) {
    let good = statuses.equal(constant(*statuses, Scalar::ZERO));
    let bad = <N::Vector as Vector>::select(good, constant(*statuses, Real::from_f64(f64::from(bad))), *statuses);
    *statuses = <N::Vector as Vector>::select(finite, *statuses, bad);
}

/// Makes good statuses of a group, which have been written, `bad` where results are not finite.
#[inline(always)]
pub(super) fn note_bad<N: Number>(finite: Mask<N>, statuses: &mut [i32], bad: i32) {
    let finite = N::Vector::bits(finite);
    if finite == N::Vector::ALL {
        return;
    }
    for (w, status) in statuses.iter_mut().enumerate() {
        if *status == 0 && finite >> w & 1 == 0 {
            *status = bad;
        }
    }
}

/// Writes the statuses of a group.
#[inline(always)]
pub(super) fn write_statuses<N: Number>(statuses: N::Vector, to: &mut [i32]) {
    let integers = statuses.to_integers();
    if to.len() == N::Vector::LANES {
        to.copy_from_slice(&integers[..N::Vector::LANES]);
    } else {
        to.copy_from_slice(&integers[..to.len()]);
    }
}

/// Fills the results of bad statuses with NaN: all of a matrix, or its columns that are not finite where the status says
/// that there are such, which then names the first of them.
///
/// # Safety
/// They may be read and written.
pub(super) unsafe fn spoil_bad<S: Scalar>(results: Matrices<S>, rows: usize, columns: usize, status: &mut [i32]) {
    // Most often there is none, which takes no time to see.
    if status.iter().fold(0, |all, &status| all | status) == 0 {
        return;
    }
    for (b, status) in status.iter_mut().enumerate().filter(|(_, status)| **status != 0) {
        // SAFETY: the caller's promise.
        let first = unsafe { start(results, b) };
        let at = |i: usize, j: usize| {
            first.wrapping_offset(i as isize * results.row_stride as isize + j as isize * results.col_stride as isize)
        };
        let of_sides = bad_side(*status).is_some();
        // SAFETY: the caller's promise.
        let is_bad = |j: &usize| !of_sides || (0..rows).any(|i| unsafe { !at(i, *j).read().is_finite() });
        for (turn, j) in (0..columns).filter(is_bad).enumerate() {
            if of_sides && turn == 0 {
                *status = side_not_finite(j as u32);
            }
            // SAFETY: the caller's promise.
            (0..rows).for_each(|i| unsafe { at(i, j).write(S::NAN) });
        }
    }
}

/// Calls a generic function with the order of a small matrix as its constant.
macro_rules! with_small_order {
    ($n:expr, $f:ident::<$number:ident>($($argument:expr),*)) => {
        match $n {
            1 => $f::<$number, 1>($($argument),*),
            2 => $f::<$number, 2>($($argument),*),
            3 => $f::<$number, 3>($($argument),*),
            _ => $f::<$number, 4>($($argument),*),
        }
    };
}
pub(super) use with_small_order;
