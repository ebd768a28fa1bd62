//! How an operation gets to the instructions of the CPU: once for a group; from there on all code is compiled for them.

use kernels_gpu::lu::NON_FINITE;

use super::group::Group;
use super::isa::{Isa, LaneScalar};
use super::number::{Mask, Number};
use super::routine::Routine;
use super::vector::{MAX_LANES, Vector};
use super::workspace::Room;
use crate::element::Element;

/// Something to do with a group of matrices.
pub(super) trait Operation {
    /// The type of the arithmetic.
    type Scalar: LaneScalar;

    /// Does it.
    ///
    /// # Safety
    /// The CPU has the number's instructions; matrices, outputs and room are of the sizes that the operation says.
    unsafe fn run<N: Number<Scalar = Self::Scalar>>(self, room: Room<'_>);
}

/// Runs an operation with the instructions of a set.
///
/// # Safety
/// As for [`Operation::run`]; that the CPU has the instructions, `isa` shows.
pub(super) unsafe fn run<O: Operation>(isa: Isa, operation: O, room: Room<'_>) {
    // SAFETY: the caller's promise.
    unsafe { isa.run(InRoom { operation, room }) }
}

/// An operation with its room.
struct InRoom<'a, O> {
    operation: O,
    room: Room<'a>,
}

impl<O: Operation> Routine for InRoom<'_, O> {
    type Scalar = O::Scalar;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = O::Scalar>>(self) {
        // SAFETY: the caller's promise.
        unsafe { self.operation.run::<N>(self.room) }
    }
}

/// The statuses of the lanes: which pivot is the first that is zero, unless the factors are not finite.
#[inline(always)]
pub(super) fn statuses<N: Number>(first_zero: N::Vector, finite: Mask<N>) -> [i32; MAX_LANES] {
    let (zeros, finite) = (first_zero.to_indices(), N::Vector::bits(finite));
    let mut statuses = [NON_FINITE; MAX_LANES];
    for w in 0..N::Vector::LANES {
        if finite >> w & 1 == 1 {
            statuses[w] = zeros[w].cast_signed();
        }
    }
    statuses
}

/// Makes good statuses bad where results are not finite.
#[inline(always)]
pub(super) fn note_results<N: Number>(statuses: &mut [i32; MAX_LANES], finite: Mask<N>) {
    let finite = N::Vector::bits(finite);
    for w in 0..N::Vector::LANES {
        if statuses[w] == 0 && finite >> w & 1 == 0 {
            statuses[w] = NON_FINITE;
        }
    }
}

/// The number of matrices in a group, if it is the same everywhere and there are lanes for them.
///
/// # Panics
/// If not.
pub(super) fn count(lanes: usize, counts: &[usize]) -> usize {
    let count = counts[0];
    assert!(counts.iter().all(|&other| other == count), "a group has as many matrices everywhere");
    assert!((1..=lanes).contains(&count), "a group has from one to {lanes} matrices, not {count}");
    count
}

/// Fills the results of bad statuses with NaN.
///
/// # Safety
/// They may be written.
pub(super) unsafe fn spoil_bad<E: Element>(results: &Group<'_, E>, rows: usize, columns: usize, status: &[i32]) {
    for w in (0..status.len()).filter(|&w| status[w] != 0) {
        // SAFETY: the caller's promise.
        unsafe { results.spoil(w, rows, columns) };
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
