//! Transpositions of small squares in vectors of 512 bits.

use std::arch::x86_64::*;

/// Transposes the 2 x 2 squares in two vectors.
///
/// # Safety
/// The CPU has AVX-512F.
#[inline(always)]
pub(super) unsafe fn pairs(a: __m512d, b: __m512d) -> [__m512d; 2] {
    // SAFETY: the caller's promise.
    unsafe { [_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)] }
}

/// Transposes the 2 x 2 squares of blocks of 128 bits in two vectors.
///
/// # Safety
/// The CPU has AVX-512F.
#[inline(always)]
pub(super) unsafe fn block_pairs(a: __m512d, b: __m512d) -> [__m512d; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        let even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        [_mm512_permutex2var_pd(a, even, b), _mm512_permutex2var_pd(a, odd, b)]
    }
}

/// Transposes four vectors of four blocks of 128 bits.
///
/// # Safety
/// The CPU has AVX-512F.
#[inline(always)]
pub(super) unsafe fn blocks(x: [__m512d; 4]) -> [__m512d; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let (a, b) = (_mm512_shuffle_f64x2::<0x44>(x[0], x[1]), _mm512_shuffle_f64x2::<0x44>(x[2], x[3]));
        let (c, d) = (_mm512_shuffle_f64x2::<0xee>(x[0], x[1]), _mm512_shuffle_f64x2::<0xee>(x[2], x[3]));
        [
            _mm512_shuffle_f64x2::<0x88>(a, b),
            _mm512_shuffle_f64x2::<0xdd>(a, b),
            _mm512_shuffle_f64x2::<0x88>(c, d),
            _mm512_shuffle_f64x2::<0xdd>(c, d),
        ]
    }
}

/// Transposes the 4 x 4 squares in the four blocks.
///
/// # Safety
/// The CPU has AVX-512F.
#[inline(always)]
pub(super) unsafe fn quads(a: __m512, b: __m512, c: __m512, d: __m512) -> [__m512; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let (ab_low, ab_high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
        [
            _mm512_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm512_shuffle_ps::<0xee>(ab_low, cd_low),
            _mm512_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm512_shuffle_ps::<0xee>(ab_high, cd_high),
        ]
    }
}
