//! What logarithms need, in vectors of 128 bits.

use std::arch::aarch64::*;

use super::super::doubles::{BIAS, LIFT, NORMAL};
use super::super::vector::Doubles;
use super::F64x2;

impl Doubles for F64x2 {
    #[inline(always)]
    fn exponent(self) -> Self {
        // SAFETY: vectors exist only where the CPU has their instructions.
        unsafe {
            let subnormal = vcltq_f64(self.0, vdupq_n_f64(NORMAL));
            let lifted = vbslq_f64(subnormal, vmulq_n_f64(self.0, LIFT.0), self.0);
            let biased = vcvtq_f64_u64(vshrq_n_u64::<52>(vreinterpretq_u64_f64(lifted)));
            let more = vbslq_f64(subnormal, vdupq_n_f64(BIAS + LIFT.1), vdupq_n_f64(BIAS));
            Self(vsubq_f64(biased, more))
        }
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        // SAFETY: as above.
        unsafe {
            let biased = vcvtq_s64_f64(vaddq_f64(self.0, vdupq_n_f64(BIAS)));
            Self(vreinterpretq_f64_s64(vshlq_n_s64::<52>(biased)))
        }
    }
}
