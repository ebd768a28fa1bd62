//! What logarithms need, in vectors of 256 bits.

use std::arch::x86_64::*;

use super::super::doubles::{BIAS, LIFT, NORMAL};
use super::super::vector::Doubles;
use super::F64x4;

/// 2^52: added to a smaller whole number, it has the number's bits at its end.
const WHOLE: f64 = (1_u64 << 52) as f64;

impl Doubles for F64x4 {
    #[inline(always)]
    fn exponent(self) -> Self {
        // SAFETY: vectors exist only where the CPU has their instructions.
        unsafe {
            let subnormal = _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, _mm256_set1_pd(NORMAL));
            let lifted = _mm256_blendv_pd(self.0, _mm256_mul_pd(self.0, _mm256_set1_pd(LIFT.0)), subnormal);
            let biased = _mm256_srli_epi64::<52>(_mm256_castpd_si256(lifted));
            let biased = _mm256_or_pd(_mm256_castsi256_pd(biased), _mm256_set1_pd(WHOLE));
            let lift = _mm256_and_pd(subnormal, _mm256_set1_pd(LIFT.1));
            Self(_mm256_sub_pd(_mm256_sub_pd(biased, _mm256_set1_pd(WHOLE + BIAS)), lift))
        }
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        // SAFETY: as above.
        unsafe {
            let biased = _mm256_add_pd(self.0, _mm256_set1_pd(WHOLE + BIAS));
            Self(_mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_castpd_si256(biased))))
        }
    }
}
