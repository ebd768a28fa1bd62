//! Code that is compiled for each instruction set, and how it is entered at run time.

use std::marker::PhantomData;

use super::isa::{Isa, Kind, LaneScalar};
use super::number::Number;
use super::vector::{Stage, Vector};

/// Something to compute with the instructions of one set or another.
pub(crate) trait Routine {
    /// The type of the arithmetic.
    type Scalar: LaneScalar;
    /// What it returns.
    type Output;

    /// Does it.
    ///
    /// # Safety
    /// The CPU has the number's instructions; what else is demanded, its maker knows.
    unsafe fn run<N: Number<Scalar = Self::Scalar>>(self) -> Self::Output;
}

impl Isa {
    /// Runs a routine with the instructions of this set.
    ///
    /// # Safety
    /// What the routine demands; that the CPU has the instructions, `self` shows.
    pub(crate) unsafe fn run<R: Routine>(self, routine: R) -> R::Output {
        // SAFETY: the caller's promise.
        unsafe {
            match self.0 {
                Kind::Portable => enter::<R, <R::Scalar as LaneScalar>::Portable>(routine),
                _ => self.run_for_groups(routine),
            }
        }
    }

    /// Runs a routine that works on groups of matrices. It is not compiled for portable vectors.
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    ///
    /// # Panics
    /// If the set [has no groups](Isa::has_groups).
    pub(super) unsafe fn run_for_groups<R: Routine>(self, routine: R) -> R::Output {
        // SAFETY: the caller's promise.
        unsafe {
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => enter::<R, <R::Scalar as LaneScalar>::Avx512>(routine),
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 => enter::<R, <R::Scalar as LaneScalar>::Avx2>(routine),
                #[cfg(target_arch = "aarch64")]
                Kind::Neon => enter::<R, <R::Scalar as LaneScalar>::Neon>(routine),
                Kind::Portable => unreachable!("without vectors, matrices are worked on one by one"),
            }
        }
    }
}

/// Runs a routine with numbers of a type, as a function that all who call it share.
///
/// # Safety
/// What the routine demands, and the CPU has the instructions.
pub(crate) unsafe fn enter<R: Routine, N: Number<Scalar = R::Scalar>>(routine: R) -> R::Output {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(With::<R, N> { routine, number: PhantomData }) }
}

/// A routine with the numbers that it shall use.
struct With<R, N> {
    routine: R,
    number: PhantomData<N>,
}

impl<R: Routine, N: Number<Scalar = R::Scalar>> Stage for With<R, N> {
    type Output = R::Output;

    #[inline(always)]
    unsafe fn run(self) -> R::Output {
        // SAFETY: the caller's promise.
        unsafe { self.routine.run::<N>() }
    }
}
