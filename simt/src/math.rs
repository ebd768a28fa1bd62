//! Arithmetic that differs between the machines.

/// Real numbers with a fused multiply-add: `core` has none, and LLVM forms none by itself.
pub trait Fused: Copy {
    /// `self * a + b`, rounded once.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The square root, correctly rounded.
    #[must_use]
    fn sqrt(self) -> Self;
    /// `1 / self` to within two units in the last place, for numbers far from overflow and underflow.
    #[must_use]
    fn reciprocal(self) -> Self;
    /// `1 / sqrt(self)` as exactly, likewise for positive numbers.
    #[must_use]
    fn reciprocal_sqrt(self) -> Self;
}

macro_rules! fused {
    ($t:ident, $fma:ident, $sqrt:ident, $reciprocal:expr, $reciprocal_sqrt:expr) => {
        impl Fused for $t {
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                #[cfg(target_arch = "nvptx64")]
                return core::intrinsics::$fma(self, a, b);
                #[cfg(not(target_arch = "nvptx64"))]
                return $t::mul_add(self, a, b);
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                #[cfg(target_arch = "nvptx64")]
                return core::intrinsics::$sqrt(self);
                #[cfg(not(target_arch = "nvptx64"))]
                return $t::sqrt(self);
            }

            #[inline(always)]
            fn reciprocal(self) -> Self {
                #[cfg(target_arch = "nvptx64")]
                return $reciprocal(self);
                #[cfg(not(target_arch = "nvptx64"))]
                return 1.0 / self;
            }

            #[inline(always)]
            fn reciprocal_sqrt(self) -> Self {
                #[cfg(target_arch = "nvptx64")]
                return $reciprocal_sqrt(self);
                #[cfg(not(target_arch = "nvptx64"))]
                return 1.0 / $t::sqrt(self);
            }
        }
    };
}
fused!(f32, fmaf32, sqrtf32, crate::gpu::reciprocal_f32, crate::gpu::reciprocal_sqrt_f32);
fused!(f64, fmaf64, sqrtf64, crate::gpu::reciprocal_f64, crate::gpu::reciprocal_sqrt_f64);
