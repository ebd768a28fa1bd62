//! Vectors of 128 bits: NEON.

use std::arch::aarch64::*;

use super::vector::{MAX_LANES, Stage, Vector};

mod doubles;

/// Implements [`Vector`]; the rest, which differs in form, is given.
macro_rules! neon_vector {
    (
        $vector:ident($register:ident), $real:ident x $lanes:literal, mask $mask:ident,
        $dup:ident $load:ident $store:ident $add:ident $mul:ident $div:ident $fma:ident $fms:ident $abs:ident
        $select:ident $equal:ident $less:ident $and:ident $sqrt:ident,
        { $($rest:tt)* }
    ) => {
        #[doc = concat!(stringify!($lanes), " numbers of type ", stringify!($real), ".")]
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $vector($register);

        impl Vector for $vector {
            type Real = $real;
            type Mask = $mask;
            type Doubles = F64x2;
            const LANES: usize = $lanes;
            const REGISTERS: usize = 32;
            const HAS_FMA: bool = true;

            #[inline(always)]
            unsafe fn splat(x: $real) -> Self {
                // SAFETY: the caller's promise.
                unsafe { Self($dup(x)) }
            }
            #[inline(always)]
            unsafe fn call<S: Stage>(stage: S) -> S::Output {
                // SAFETY: the caller's promise.
                unsafe { call(stage) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $real) -> Self {
                // SAFETY: the caller's promise.
                unsafe { Self($load(from)) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $real) {
                // SAFETY: the caller's promise.
                unsafe { $store(to, self.0) }
            }
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                // SAFETY: vectors exist only where the CPU has their instructions.
                unsafe { Self($add(self.0, b.0)) }
            }
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($mul(self.0, b.0)) }
            }
            #[inline(always)]
            fn div(self, b: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($div(self.0, b.0)) }
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($fma(b.0, self.0, a.0)) }
            }
            #[inline(always)]
            fn sub_mul(self, a: Self, b: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($fms(self.0, a.0, b.0)) }
            }
            #[inline(always)]
            fn abs(self) -> Self {
                // SAFETY: as above.
                unsafe { Self($abs(self.0)) }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: as above.
                unsafe { Self($sqrt(self.0)) }
            }
            #[inline(always)]
            fn equal(self, b: Self) -> $mask {
                // SAFETY: as above.
                unsafe { $equal(self.0, b.0) }
            }
            #[inline(always)]
            fn less(self, b: Self) -> $mask {
                // SAFETY: as above.
                unsafe { $less(self.0, b.0) }
            }
            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($select(mask, yes.0, no.0)) }
            }
            #[inline(always)]
            fn both(a: $mask, b: $mask) -> $mask {
                // SAFETY: as above.
                unsafe { $and(a, b) }
            }
            $($rest)*
        }
    };
}

neon_vector!(
    F64x2(float64x2_t), f64 x 2, mask uint64x2_t,
    vdupq_n_f64 vld1q_f64 vst1q_f64 vaddq_f64 vmulq_f64 vdivq_f64 vfmaq_f64 vfmsq_f64 vabsq_f64 vbslq_f64
    vceqq_f64 vcltq_f64 vandq_u64 vsqrtq_f64,
    {
        #[inline(always)]
        unsafe fn load_pieces<const Q: usize>(first: *const f64, step: isize) -> Self {
            // SAFETY: the caller's promise.
            unsafe {
                let at = |i: isize| first.wrapping_offset(i * step);
                Self(match Q {
                    1 => vcombine_f64(vld1_f64(at(0)), vld1_f64(at(1))),
                    _ => vld1q_f64(at(0)),
                })
            }
        }
        #[inline(always)]
        unsafe fn store_pieces<const Q: usize>(self, first: *mut f64, step: isize) {
            // SAFETY: the caller's promise.
            unsafe {
                let at = |i: isize| first.wrapping_offset(i * step);
                if Q == 1 {
                    vst1_f64(at(0), vget_low_f64(self.0));
                    vst1_f64(at(1), vget_high_f64(self.0));
                } else {
                    vst1q_f64(at(0), self.0);
                }
            }
        }
        #[inline(always)]
        unsafe fn load_doubles(from: *const f64) -> Self {
            // SAFETY: the caller's promise.
            unsafe { Self::load(from) }
        }
        #[inline(always)]
        fn swap_pairs(self) -> Self {
            // SAFETY: as above.
            unsafe { Self(vextq_f64::<1>(self.0, self.0)) }
        }
        #[inline(always)]
        fn bits(mask: uint64x2_t) -> u32 {
            // SAFETY: as above.
            unsafe { (vgetq_lane_u64::<0>(mask) & 1 | vgetq_lane_u64::<1>(mask) & 2) as u32 }
        }
        #[inline(always)]
        fn transpose(rows: &mut [Self; MAX_LANES]) {
            let (a, b) = (rows[0].0, rows[1].0);
            // SAFETY: as above.
            unsafe { (rows[0].0, rows[1].0) = (vzip1q_f64(a, b), vzip2q_f64(a, b)) }
        }
        #[inline(always)]
        fn transpose_squares<const Q: usize>(rows: &mut [Self; MAX_LANES]) {
            if Q == 2 {
                Self::transpose(rows);
            }
        }
        #[inline(always)]
        fn to_integers(self) -> [i32; MAX_LANES] {
            let mut integers = [0; MAX_LANES];
            // SAFETY: as above, and two of them fit.
            unsafe { vst1_s32(integers.as_mut_ptr(), vmovn_s64(vcvtq_s64_f64(self.0))) };
            integers
        }
    }
);

neon_vector!(
    F32x4(float32x4_t), f32 x 4, mask uint32x4_t,
    vdupq_n_f32 vld1q_f32 vst1q_f32 vaddq_f32 vmulq_f32 vdivq_f32 vfmaq_f32 vfmsq_f32 vabsq_f32 vbslq_f32
    vceqq_f32 vcltq_f32 vandq_u32 vsqrtq_f32,
    {
        #[inline(always)]
        unsafe fn load_pieces<const Q: usize>(first: *const f32, step: isize) -> Self {
            // SAFETY: the caller's promise.
            unsafe {
                let at = |i: isize| first.wrapping_offset(i * step);
                Self(match Q {
                    1 => {
                        let two = vld1q_lane_f32::<1>(at(1), vld1q_dup_f32(at(0)));
                        vld1q_lane_f32::<3>(at(3), vld1q_lane_f32::<2>(at(2), two))
                    }
                    2 => vcombine_f32(vld1_f32(at(0)), vld1_f32(at(1))),
                    _ => vld1q_f32(at(0)),
                })
            }
        }
        #[inline(always)]
        unsafe fn store_pieces<const Q: usize>(self, first: *mut f32, step: isize) {
            // SAFETY: the caller's promise.
            unsafe {
                let at = |i: isize| first.wrapping_offset(i * step);
                match Q {
                    1 => {
                        vst1q_lane_f32::<0>(at(0), self.0);
                        vst1q_lane_f32::<1>(at(1), self.0);
                        vst1q_lane_f32::<2>(at(2), self.0);
                        vst1q_lane_f32::<3>(at(3), self.0);
                    }
                    2 => {
                        vst1_f32(at(0), vget_low_f32(self.0));
                        vst1_f32(at(1), vget_high_f32(self.0));
                    }
                    _ => vst1q_f32(at(0), self.0),
                }
            }
        }
        #[inline(always)]
        unsafe fn load_doubles(from: *const f32) -> F64x2 {
            // SAFETY: the caller's promise.
            unsafe { F64x2(vcvt_f64_f32(vld1_f32(from))) }
        }
        #[inline(always)]
        fn swap_pairs(self) -> Self {
            // SAFETY: as above.
            unsafe { Self(vrev64q_f32(self.0)) }
        }
        #[inline(always)]
        fn bits(mask: uint32x4_t) -> u32 {
            // SAFETY: as above.
            unsafe { vaddvq_u32(vandq_u32(mask, vld1q_u32([1, 2, 4, 8].as_ptr()))) }
        }
        #[inline(always)]
        fn transpose(rows: &mut [Self; MAX_LANES]) {
            // SAFETY: as above.
            unsafe {
                let (ac_low, ac_high) = (vzip1q_f32(rows[0].0, rows[2].0), vzip2q_f32(rows[0].0, rows[2].0));
                let (bd_low, bd_high) = (vzip1q_f32(rows[1].0, rows[3].0), vzip2q_f32(rows[1].0, rows[3].0));
                rows[0].0 = vzip1q_f32(ac_low, bd_low);
                rows[1].0 = vzip2q_f32(ac_low, bd_low);
                rows[2].0 = vzip1q_f32(ac_high, bd_high);
                rows[3].0 = vzip2q_f32(ac_high, bd_high);
            }
        }
        #[inline(always)]
        fn transpose_squares<const Q: usize>(rows: &mut [Self; MAX_LANES]) {
            match Q {
                1 => {}
                2 => {
                    let (a, b) = (rows[0].0, rows[1].0);
                    // SAFETY: as above.
                    unsafe { (rows[0].0, rows[1].0) = (vtrn1q_f32(a, b), vtrn2q_f32(a, b)) }
                }
                _ => Self::transpose(rows),
            }
        }
        #[inline(always)]
        fn to_integers(self) -> [i32; MAX_LANES] {
            let mut integers = [0; MAX_LANES];
            // SAFETY: as above, and four of them fit.
            unsafe { vst1q_s32(integers.as_mut_ptr(), vcvtq_s32_f32(self.0)) };
            integers
        }
    }
);

/// [`Vector::call`].
///
/// # Safety
/// As there.
#[target_feature(enable = "neon")]
unsafe fn call<S: Stage>(stage: S) -> S::Output {
    // SAFETY: the caller's promise.
    unsafe { stage.run() }
}
