//! Vectors of 256 bits: AVX2 and FMA.

use std::arch::x86_64::*;

use super::vector::{MAX_LANES, Stage, Vector};
use super::x86::x86_vector;

mod doubles;
mod pieces;

x86_vector!(
    F64x4(__m256d), f64 x 4, mask __m256d, doubles F64x4, registers 16, call call,
    _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_mul_pd _mm256_div_pd _mm256_fmadd_pd
    _mm256_fnmadd_pd _mm256_max_pd _mm256_sqrt_pd,
    {
        #[inline(always)]
        unsafe fn load_first(from: *const f64, count: usize) -> Self {
            // SAFETY: the caller's promise; lanes that the mask excludes are not accessed.
            unsafe { Self(_mm256_maskload_pd(from, first(&FIRST_64, 4 - count))) }
        }
        #[inline(always)]
        unsafe fn store_first(self, to: *mut f64, count: usize) {
            // SAFETY: the caller's promise; lanes that the mask excludes are not accessed.
            unsafe { _mm256_maskstore_pd(to, first(&FIRST_64, 4 - count), self.0) }
        }
        #[inline(always)]
        unsafe fn gather(from: *const f64, at: &[u32; MAX_LANES]) -> Self {
            // SAFETY: the caller's promise. Scalar loads are faster than the gather instruction.
            unsafe {
                Self(_mm256_setr_pd(
                    *from.add(at[0] as usize),
                    *from.add(at[1] as usize),
                    *from.add(at[2] as usize),
                    *from.add(at[3] as usize),
                ))
            }
        }
        #[inline(always)]
        unsafe fn load_pieces<const Q: usize>(first: *const f64, step: isize) -> Self {
            // SAFETY: the caller's promise.
            unsafe { Self(pieces::load(Q * 8, |i| first.wrapping_offset(i as isize * step).cast())) }
        }
        #[inline(always)]
        unsafe fn store_pieces<const Q: usize>(self, first: *mut f64, step: isize) {
            // SAFETY: the caller's promise.
            unsafe { pieces::store(self.0, Q * 8, |i| first.wrapping_offset(i as isize * step).cast()) }
        }
        #[inline(always)]
        unsafe fn load_doubles(from: *const f64) -> Self {
            // SAFETY: the caller's promise.
            unsafe { Self::load(from) }
        }
        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: vectors exist only where the CPU has their instructions.
            unsafe { Self(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)) }
        }
        #[inline(always)]
        fn swap_pairs(self) -> Self {
            // SAFETY: as above.
            unsafe { Self(_mm256_permute_pd::<0b0101>(self.0)) }
        }
        #[inline(always)]
        fn equal(self, b: Self) -> __m256d {
            // SAFETY: as above.
            unsafe { _mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, b.0) }
        }
        #[inline(always)]
        fn less(self, b: Self) -> __m256d {
            // SAFETY: as above.
            unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, b.0) }
        }
        #[inline(always)]
        fn select(mask: __m256d, yes: Self, no: Self) -> Self {
            // SAFETY: as above.
            unsafe { Self(_mm256_blendv_pd(no.0, yes.0, mask)) }
        }
        #[inline(always)]
        fn both(a: __m256d, b: __m256d) -> __m256d {
            // SAFETY: as above.
            unsafe { _mm256_and_pd(a, b) }
        }
        #[inline(always)]
        fn bits(mask: __m256d) -> u32 {
            // SAFETY: as above.
            unsafe { _mm256_movemask_pd(mask) as u32 }
        }
        #[inline(always)]
        fn transpose(rows: &mut [Self; MAX_LANES]) {
            // SAFETY: as above.
            unsafe {
                let (low0, low2) = (_mm256_unpacklo_pd(rows[0].0, rows[1].0), _mm256_unpacklo_pd(rows[2].0, rows[3].0));
                let (high0, high2) =
                    (_mm256_unpackhi_pd(rows[0].0, rows[1].0), _mm256_unpackhi_pd(rows[2].0, rows[3].0));
                rows[0].0 = _mm256_permute2f128_pd::<0x20>(low0, low2);
                rows[1].0 = _mm256_permute2f128_pd::<0x20>(high0, high2);
                rows[2].0 = _mm256_permute2f128_pd::<0x31>(low0, low2);
                rows[3].0 = _mm256_permute2f128_pd::<0x31>(high0, high2);
            }
        }
        #[inline(always)]
        fn transpose_squares<const Q: usize>(rows: &mut [Self; MAX_LANES]) {
            match Q {
                1 => {}
                2 => {
                    let (a, b) = (rows[0].0, rows[1].0);
                    // SAFETY: as above.
                    unsafe { (rows[0].0, rows[1].0) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)) }
                }
                _ => Self::transpose(rows),
            }
        }
        #[inline(always)]
        fn to_integers(self) -> [i32; MAX_LANES] {
            let mut integers = [0; MAX_LANES];
            // SAFETY: as above, and four of them fit.
            unsafe { _mm_storeu_si128(integers.as_mut_ptr().cast(), _mm256_cvttpd_epi32(self.0)) };
            integers
        }
    }
);

x86_vector!(
    F32x8(__m256), f32 x 8, mask __m256, doubles F64x4, registers 16, call call,
    _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_mul_ps _mm256_div_ps _mm256_fmadd_ps
    _mm256_fnmadd_ps _mm256_max_ps _mm256_sqrt_ps,
    {
        #[inline(always)]
        unsafe fn load_first(from: *const f32, count: usize) -> Self {
            // SAFETY: the caller's promise; lanes that the mask excludes are not accessed.
            unsafe { Self(_mm256_maskload_ps(from, first(&FIRST_32, 8 - count))) }
        }
        #[inline(always)]
        unsafe fn store_first(self, to: *mut f32, count: usize) {
            // SAFETY: the caller's promise; lanes that the mask excludes are not accessed. Half a vector has an
            // instruction.
            unsafe {
                if count == 4 {
                    _mm_storeu_ps(to, _mm256_castps256_ps128(self.0));
                } else {
                    _mm256_maskstore_ps(to, first(&FIRST_32, 8 - count), self.0);
                }
            }
        }
        #[inline(always)]
        unsafe fn gather(from: *const f32, at: &[u32; MAX_LANES]) -> Self {
            // SAFETY: the caller's promise. Scalar loads are faster than the gather instruction.
            unsafe {
                Self(_mm256_setr_ps(
                    *from.add(at[0] as usize),
                    *from.add(at[1] as usize),
                    *from.add(at[2] as usize),
                    *from.add(at[3] as usize),
                    *from.add(at[4] as usize),
                    *from.add(at[5] as usize),
                    *from.add(at[6] as usize),
                    *from.add(at[7] as usize),
                ))
            }
        }
        #[inline(always)]
        unsafe fn load_pieces<const Q: usize>(first: *const f32, step: isize) -> Self {
            // SAFETY: the caller's promise.
            unsafe { Self(_mm256_castpd_ps(pieces::load(Q * 4, |i| first.wrapping_offset(i as isize * step).cast()))) }
        }
        #[inline(always)]
        unsafe fn store_pieces<const Q: usize>(self, first: *mut f32, step: isize) {
            // SAFETY: the caller's promise.
            unsafe { pieces::store(_mm256_castps_pd(self.0), Q * 4, |i| first.wrapping_offset(i as isize * step).cast()) }
        }
        #[inline(always)]
        unsafe fn load_doubles(from: *const f32) -> F64x4 {
            // SAFETY: the caller's promise.
            unsafe { F64x4(_mm256_cvtps_pd(_mm_loadu_ps(from))) }
        }
        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: vectors exist only where the CPU has their instructions.
            unsafe { Self(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)) }
        }
        #[inline(always)]
        fn swap_pairs(self) -> Self {
            // SAFETY: as above.
            unsafe { Self(_mm256_permute_ps::<0b10_11_00_01>(self.0)) }
        }
        #[inline(always)]
        fn equal(self, b: Self) -> __m256 {
            // SAFETY: as above.
            unsafe { _mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, b.0) }
        }
        #[inline(always)]
        fn less(self, b: Self) -> __m256 {
            // SAFETY: as above.
            unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, b.0) }
        }
        #[inline(always)]
        fn select(mask: __m256, yes: Self, no: Self) -> Self {
            // SAFETY: as above.
            unsafe { Self(_mm256_blendv_ps(no.0, yes.0, mask)) }
        }
        #[inline(always)]
        fn both(a: __m256, b: __m256) -> __m256 {
            // SAFETY: as above.
            unsafe { _mm256_and_ps(a, b) }
        }
        #[inline(always)]
        fn bits(mask: __m256) -> u32 {
            // SAFETY: as above.
            unsafe { _mm256_movemask_ps(mask) as u32 }
        }
        #[inline(always)]
        fn transpose(rows: &mut [Self; MAX_LANES]) {
            // SAFETY: as above.
            unsafe {
                let upper = quads(rows[0].0, rows[1].0, rows[2].0, rows[3].0);
                let lower = quads(rows[4].0, rows[5].0, rows[6].0, rows[7].0);
                for i in 0..4 {
                    rows[i].0 = _mm256_permute2f128_ps::<0x20>(upper[i], lower[i]);
                    rows[i + 4].0 = _mm256_permute2f128_ps::<0x31>(upper[i], lower[i]);
                }
            }
        }
        #[inline(always)]
        fn transpose_squares<const Q: usize>(rows: &mut [Self; MAX_LANES]) {
            // SAFETY: as above.
            unsafe {
                match Q {
                    1 => {}
                    2 => {
                        let (a, b) = (rows[0].0, rows[1].0);
                        rows[0].0 = _mm256_blend_ps::<0xaa>(a, _mm256_moveldup_ps(b));
                        rows[1].0 = _mm256_blend_ps::<0x55>(b, _mm256_movehdup_ps(a));
                    }
                    4 => {
                        let quad = quads(rows[0].0, rows[1].0, rows[2].0, rows[3].0);
                        for i in 0..4 {
                            rows[i].0 = quad[i];
                        }
                    }
                    _ => Self::transpose(rows),
                }
            }
        }
        #[inline(always)]
        fn to_integers(self) -> [i32; MAX_LANES] {
            let mut integers = [0; MAX_LANES];
            // SAFETY: as above, and eight of them fit.
            unsafe { _mm256_storeu_si256(integers.as_mut_ptr().cast(), _mm256_cvttps_epi32(self.0)) };
            integers
        }
    }
);

/// Masks of the first lanes begin in the midst of these.
static FIRST_64: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];
static FIRST_32: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// The mask that begins `without` lanes later.
///
/// # Safety
/// The CPU has AVX2, and `without` is at most half of the table.
#[inline(always)]
unsafe fn first<T>(table: &[T], without: usize) -> __m256i {
    // SAFETY: a mask is as long as half of the table.
    unsafe { _mm256_loadu_si256(table.as_ptr().add(without).cast()) }
}

/// Transposes the 4 x 4 squares in both halves.
///
/// # Safety
/// The CPU has AVX.
#[inline(always)]
unsafe fn quads(a: __m256, b: __m256, c: __m256, d: __m256) -> [__m256; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm256_shuffle_ps::<0xee>(ab_low, cd_low),
            _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm256_shuffle_ps::<0xee>(ab_high, cd_high),
        ]
    }
}

/// [`Vector::call`].
///
/// # Safety
/// As there.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn call<S: Stage>(stage: S) -> S::Output {
    // SAFETY: the caller's promise.
    unsafe { stage.run() }
}
