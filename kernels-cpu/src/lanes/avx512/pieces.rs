//! Vectors that are put together from pieces of 4, 8, 16, 32 or 64 bytes.

use std::arch::x86_64::*;

/// Loads pieces of `bytes`, piece i from `at(i)`.
///
/// # Safety
/// The CPU has AVX-512F, and the pieces may be read.
#[inline(always)]
pub(super) unsafe fn load(bytes: usize, at: impl Fn(usize) -> *const u8) -> __m512d {
    // SAFETY: the caller's promise.
    unsafe {
        let double = |i: usize| at(i).cast::<f64>().read_unaligned();
        let single = |i: usize| at(i).cast::<f32>().read_unaligned();
        let halves = |i: usize| {
            let lower = _mm256_castpd128_pd256(_mm_loadu_pd(at(i).cast()));
            _mm256_insertf128_pd::<1>(lower, _mm_loadu_pd(at(i + 1).cast()))
        };
        let join = |lower, upper| _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(lower), upper);
        match bytes {
            64 => _mm512_loadu_pd(at(0).cast()),
            32 => join(_mm256_loadu_pd(at(0).cast()), _mm256_loadu_pd(at(1).cast())),
            16 => join(halves(0), halves(2)),
            8 => _mm512_setr_pd(double(0), double(1), double(2), double(3), double(4), double(5), double(6), double(7)),
            _ => _mm512_castps_pd(_mm512_setr_ps(
                single(0),
                single(1),
                single(2),
                single(3),
                single(4),
                single(5),
                single(6),
                single(7),
                single(8),
                single(9),
                single(10),
                single(11),
                single(12),
                single(13),
                single(14),
                single(15),
            )),
        }
    }
}

/// Stores pieces of `bytes`, piece i to `at(i)`.
///
/// # Safety
/// The pieces may be written.
#[inline(always)]
pub(super) unsafe fn store(x: __m512d, bytes: usize, at: impl Fn(usize) -> *mut u8) {
    // SAFETY: the caller's promise; such a vector exists only where the CPU has AVX-512F.
    unsafe {
        let (lower, upper) = (_mm512_castpd512_pd256(x), _mm512_extractf64x4_pd::<1>(x));
        let quarters = [
            _mm256_castpd256_pd128(lower),
            _mm256_extractf128_pd::<1>(lower),
            _mm256_castpd256_pd128(upper),
            _mm256_extractf128_pd::<1>(upper),
        ];
        match bytes {
            64 => _mm512_storeu_pd(at(0).cast(), x),
            32 => {
                _mm256_storeu_pd(at(0).cast(), lower);
                _mm256_storeu_pd(at(1).cast(), upper);
            }
            16 => {
                for i in 0..4 {
                    _mm_storeu_pd(at(i).cast(), quarters[i]);
                }
            }
            8 => {
                for i in 0..4 {
                    _mm_storel_pd(at(2 * i).cast(), quarters[i]);
                    _mm_storeh_pd(at(2 * i + 1).cast(), quarters[i]);
                }
            }
            _ => {
                // Through memory: what takes single numbers out of registers is slower.
                let mut numbers = [0_f32; 16];
                _mm512_storeu_pd(numbers.as_mut_ptr().cast(), x);
                for (i, &number) in numbers.iter().enumerate() {
                    at(i).cast::<f32>().write_unaligned(number);
                }
            }
        }
    }
}
