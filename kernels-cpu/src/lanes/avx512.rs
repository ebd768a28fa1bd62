//! Vectors of 512 bits: AVX-512F.

use std::arch::x86_64::*;

use super::vector::{MAX_LANES, Stage, Vector};
use super::x86::x86_vector;

mod doubles;
mod pieces;
mod squares;

use squares::{block_pairs, blocks, pairs, quads};

x86_vector!(
    F64x8(__m512d), f64 x 8, mask __mmask8, doubles F64x8, registers 32, call call,
    _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_mul_pd _mm512_div_pd _mm512_fmadd_pd
    _mm512_fnmadd_pd _mm512_max_pd _mm512_sqrt_pd,
    {
        #[inline(always)]
        unsafe fn load_first(from: *const f64, count: usize) -> Self {
            // SAFETY: the caller's promise; lanes that the mask excludes are not accessed.
            unsafe { Self(_mm512_maskz_loadu_pd(((1_u32 << count) - 1) as __mmask8, from)) }
        }
        #[inline(always)]
        unsafe fn store_first(self, to: *mut f64, count: usize) {
            // SAFETY: the caller's promise; lanes that the mask excludes are not accessed.
            unsafe { _mm512_mask_storeu_pd(to, ((1_u32 << count) - 1) as __mmask8, self.0) }
        }
        #[inline(always)]
        unsafe fn gather(from: *const f64, at: &[u32; MAX_LANES]) -> Self {
            // SAFETY: the caller's promise. Scalar loads are faster than the gather instruction.
            unsafe {
                Self(_mm512_setr_pd(
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
            unsafe { Self(_mm512_abs_pd(self.0)) }
        }
        #[inline(always)]
        fn swap_pairs(self) -> Self {
            // SAFETY: as above.
            unsafe { Self(_mm512_permute_pd::<0b0101_0101>(self.0)) }
        }
        #[inline(always)]
        fn equal(self, b: Self) -> __mmask8 {
            // SAFETY: as above.
            unsafe { _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(self.0, b.0) }
        }
        #[inline(always)]
        fn less(self, b: Self) -> __mmask8 {
            // SAFETY: as above.
            unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, b.0) }
        }
        #[inline(always)]
        fn select(mask: __mmask8, yes: Self, no: Self) -> Self {
            // SAFETY: as above.
            unsafe { Self(_mm512_mask_blend_pd(mask, no.0, yes.0)) }
        }
        #[inline(always)]
        fn both(a: __mmask8, b: __mmask8) -> __mmask8 {
            a & b
        }
        #[inline(always)]
        fn bits(mask: __mmask8) -> u32 {
            u32::from(mask)
        }
        #[inline(always)]
        fn transpose(rows: &mut [Self; MAX_LANES]) {
            // SAFETY: as above.
            unsafe {
                let (mut even, mut odd) = ([rows[0].0; 4], [rows[0].0; 4]);
                for pair in 0..4 {
                    [even[pair], odd[pair]] = pairs(rows[2 * pair].0, rows[2 * pair + 1].0);
                }
                let (even, odd) = (blocks(even), blocks(odd));
                for pair in 0..4 {
                    rows[2 * pair].0 = even[pair];
                    rows[2 * pair + 1].0 = odd[pair];
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
                        let [a, b] = pairs(rows[0].0, rows[1].0);
                        (rows[0].0, rows[1].0) = (a, b);
                    }
                    4 => {
                        let (upper, lower) = (pairs(rows[0].0, rows[1].0), pairs(rows[2].0, rows[3].0));
                        for i in 0..2 {
                            [rows[i].0, rows[i + 2].0] = block_pairs(upper[i], lower[i]);
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
            unsafe { _mm256_storeu_si256(integers.as_mut_ptr().cast(), _mm512_cvttpd_epi32(self.0)) };
            integers
        }
    }
);

x86_vector!(
    F32x16(__m512), f32 x 16, mask __mmask16, doubles F64x8, registers 32, call call,
    _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_mul_ps _mm512_div_ps _mm512_fmadd_ps
    _mm512_fnmadd_ps _mm512_max_ps _mm512_sqrt_ps,
    {
        #[inline(always)]
        unsafe fn load_first(from: *const f32, count: usize) -> Self {
            // SAFETY: the caller's promise; lanes that the mask excludes are not accessed.
            unsafe { Self(_mm512_maskz_loadu_ps(((1_u32 << count) - 1) as __mmask16, from)) }
        }
        #[inline(always)]
        unsafe fn store_first(self, to: *mut f32, count: usize) {
            // SAFETY: the caller's promise; lanes that the mask excludes are not accessed.
            unsafe { _mm512_mask_storeu_ps(to, ((1_u32 << count) - 1) as __mmask16, self.0) }
        }
        #[inline(always)]
        unsafe fn gather(from: *const f32, at: &[u32; MAX_LANES]) -> Self {
            // SAFETY: the caller's promise. Scalar loads are faster than the gather instruction.
            unsafe {
                Self(_mm512_setr_ps(
                    *from.add(at[0] as usize),
                    *from.add(at[1] as usize),
                    *from.add(at[2] as usize),
                    *from.add(at[3] as usize),
                    *from.add(at[4] as usize),
                    *from.add(at[5] as usize),
                    *from.add(at[6] as usize),
                    *from.add(at[7] as usize),
                    *from.add(at[8] as usize),
                    *from.add(at[9] as usize),
                    *from.add(at[10] as usize),
                    *from.add(at[11] as usize),
                    *from.add(at[12] as usize),
                    *from.add(at[13] as usize),
                    *from.add(at[14] as usize),
                    *from.add(at[15] as usize),
                ))
            }
        }
        #[inline(always)]
        unsafe fn load_pieces<const Q: usize>(first: *const f32, step: isize) -> Self {
            // SAFETY: the caller's promise.
            unsafe { Self(_mm512_castpd_ps(pieces::load(Q * 4, |i| first.wrapping_offset(i as isize * step).cast()))) }
        }
        #[inline(always)]
        unsafe fn store_pieces<const Q: usize>(self, first: *mut f32, step: isize) {
            // SAFETY: the caller's promise.
            unsafe { pieces::store(_mm512_castps_pd(self.0), Q * 4, |i| first.wrapping_offset(i as isize * step).cast()) }
        }
        #[inline(always)]
        unsafe fn load_doubles(from: *const f32) -> F64x8 {
            // SAFETY: the caller's promise.
            unsafe { F64x8(_mm512_cvtps_pd(_mm256_loadu_ps(from))) }
        }
        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: vectors exist only where the CPU has their instructions.
            unsafe { Self(_mm512_abs_ps(self.0)) }
        }
        #[inline(always)]
        fn swap_pairs(self) -> Self {
            // SAFETY: as above.
            unsafe { Self(_mm512_permute_ps::<0b10_11_00_01>(self.0)) }
        }
        #[inline(always)]
        fn equal(self, b: Self) -> __mmask16 {
            // SAFETY: as above.
            unsafe { _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(self.0, b.0) }
        }
        #[inline(always)]
        fn less(self, b: Self) -> __mmask16 {
            // SAFETY: as above.
            unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, b.0) }
        }
        #[inline(always)]
        fn select(mask: __mmask16, yes: Self, no: Self) -> Self {
            // SAFETY: as above.
            unsafe { Self(_mm512_mask_blend_ps(mask, no.0, yes.0)) }
        }
        #[inline(always)]
        fn both(a: __mmask16, b: __mmask16) -> __mmask16 {
            a & b
        }
        #[inline(always)]
        fn bits(mask: __mmask16) -> u32 {
            u32::from(mask)
        }
        #[inline(always)]
        fn transpose(rows: &mut [Self; MAX_LANES]) {
            // SAFETY: as above.
            unsafe {
                // columns[i][g]: numbers i, i + 4, i + 8 and i + 12 of the rows of group g
                let mut columns = [[_mm512_castps_pd(rows[0].0); 4]; 4];
                for group in 0..4 {
                    let k = 4 * group;
                    let quad = quads(rows[k].0, rows[k + 1].0, rows[k + 2].0, rows[k + 3].0);
                    for i in 0..4 {
                        columns[i][group] = _mm512_castps_pd(quad[i]);
                    }
                }
                for i in 0..4 {
                    let column = blocks(columns[i]);
                    for group in 0..4 {
                        rows[4 * group + i].0 = _mm512_castpd_ps(column[group]);
                    }
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
                        rows[0].0 = _mm512_mask_moveldup_ps(a, 0xaaaa, b);
                        rows[1].0 = _mm512_mask_movehdup_ps(b, 0x5555, a);
                    }
                    4 => {
                        let quad = quads(rows[0].0, rows[1].0, rows[2].0, rows[3].0);
                        for i in 0..4 {
                            rows[i].0 = quad[i];
                        }
                    }
                    8 => {
                        let upper = quads(rows[0].0, rows[1].0, rows[2].0, rows[3].0);
                        let lower = quads(rows[4].0, rows[5].0, rows[6].0, rows[7].0);
                        for i in 0..4 {
                            let [a, b] = block_pairs(_mm512_castps_pd(upper[i]), _mm512_castps_pd(lower[i]));
                            (rows[i].0, rows[i + 4].0) = (_mm512_castpd_ps(a), _mm512_castpd_ps(b));
                        }
                    }
                    _ => Self::transpose(rows),
                }
            }
        }
        #[inline(always)]
        fn to_integers(self) -> [i32; MAX_LANES] {
            let mut integers = [0; MAX_LANES];
            // SAFETY: as above, and sixteen of them fit.
            unsafe { _mm512_storeu_si512(integers.as_mut_ptr().cast(), _mm512_cvttps_epi32(self.0)) };
            integers
        }
    }
);

/// [`Vector::call`].
///
/// # Safety
/// As there.
#[inline(never)]
#[target_feature(enable = "avx512f,avx2,fma")]
unsafe fn call<S: Stage>(stage: S) -> S::Output {
    // SAFETY: the caller's promise.
    unsafe { stage.run() }
}
