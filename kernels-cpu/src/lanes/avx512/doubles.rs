//! What logarithms need, in vectors of 512 bits.

use std::arch::x86_64::*;

use super::super::vector::Doubles;
use super::F64x8;

impl Doubles for F64x8 {
    #[inline(always)]
    fn exponent(self) -> Self {
        // SAFETY: vectors exist only where the CPU has their instructions.
        unsafe { Self(_mm512_getexp_pd(self.0)) }
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm512_scalef_pd(_mm512_set1_pd(1.0), self.0)) }
    }
}
