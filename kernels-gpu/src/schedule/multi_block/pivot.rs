//! The pivot of a column, and what it does to the other candidates.

use numbers::scalar::Real;

use crate::collective::mma::Mma;

/// Set in the first word of candidates that there are: magnitudes have no sign, so that the bit is free.
const PRESENT: u32 = 1 << 31;

/// What candidates of this value are compared by: the upper bits of its magnitude, with another that is set, and the
/// lower ones.
#[inline(always)]
#[must_use]
pub fn words<T: Mma>(value: T) -> (u32, u32) {
    let (upper, lower) = value.abs1().to_words();
    (upper | PRESENT, lower)
}

/// A pivot.
#[derive(Clone, Copy)]
pub struct Pivot<T> {
    /// Where LAPACK's interchanges had moved its row.
    pub position: u32,
    /// Itself.
    pub value: T,
    /// Its reciprocal, where its magnitude is moderate.
    pub reciprocal: T,
}

impl<T: Mma> Pivot<T> {
    /// Numbers of its column divided by it: elements of L, all zero where it is zero.
    #[inline(always)]
    #[must_use]
    pub fn divide<const N: usize>(&self, mut x: [T; N]) -> [T; N] {
        if self.value.is_moderate() {
            for i in 0..N {
                x[i] = x[i] * self.reciprocal;
            }
        } else {
            let (scale, reciprocal) = self.value.scaled_reciprocal();
            for i in 0..N {
                let is_zero = self.value == T::ZERO;
                x[i] = if is_zero { T::ZERO } else { x[i].scale(scale) * reciprocal };
            }
        }
        x
    }

    /// Where the row at position `at` is once that of the pivot and the one at position `first` are interchanged.
    #[inline(always)]
    #[must_use]
    pub fn interchange(&self, at: u32, first: u32) -> u32 {
        // Each by itself: LLVM else branches.
        let other = if at == first { self.position } else { at };
        if at == self.position { first } else { other }
    }
}
