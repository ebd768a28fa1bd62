//! Vectors that are put together from pieces of 4, 8, 16 or 32 bytes.

use std::arch::x86_64::*;

/// Loads pieces of `bytes`, piece i from `at(i)`.
///
/// # Safety
/// The CPU has AVX, and the pieces may be read.
#[inline(always)]
pub(super) unsafe fn load(bytes: usize, at: impl Fn(usize) -> *const u8) -> __m256d {
    // SAFETY: the caller's promise.
    unsafe {
        let double = |i: usize| at(i).cast::<f64>().read_unaligned();
        let single = |i: usize| at(i).cast::<f32>().read_unaligned();
        match bytes {
            32 => _mm256_loadu_pd(at(0).cast()),
            16 => _mm256_loadu2_m128d(at(1).cast(), at(0).cast()),
            8 => _mm256_setr_pd(double(0), double(1), double(2), double(3)),
            _ => _mm256_castps_pd(_mm256_setr_ps(
                single(0),
                single(1),
                single(2),
                single(3),
                single(4),
                single(5),
                single(6),
                single(7),
            )),
        }
    }
}

/// Stores pieces of `bytes`, piece i to `at(i)`.
///
/// # Safety
/// The pieces may be written.
#[inline(always)]
pub(super) unsafe fn store(x: __m256d, bytes: usize, at: impl Fn(usize) -> *mut u8) {
    // SAFETY: the caller's promise; such a vector exists only where the CPU has AVX.
    unsafe {
        let halves = [_mm256_castpd256_pd128(x), _mm256_extractf128_pd::<1>(x)];
        match bytes {
            32 => _mm256_storeu_pd(at(0).cast(), x),
            16 => _mm256_storeu2_m128d(at(1).cast(), at(0).cast(), x),
            8 => {
                for i in 0..2 {
                    _mm_storel_pd(at(2 * i).cast(), halves[i]);
                    _mm_storeh_pd(at(2 * i + 1).cast(), halves[i]);
                }
            }
            _ => {
                // Through memory: what takes single numbers out of registers is slower.
                let mut numbers = [0_f32; 8];
                _mm256_storeu_pd(numbers.as_mut_ptr().cast(), x);
                for (i, &number) in numbers.iter().enumerate() {
                    at(i).cast::<f32>().write_unaligned(number);
                }
            }
        }
    }
}
