//! Arithmetic that differs between the machines.

/// Real numbers with a fused multiply-add: `core` has none, and LLVM forms none by itself.
pub trait Fused: Copy {
    /// `self * a + b`, rounded once.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The square root, correctly rounded.
    #[must_use]
    fn sqrt(self) -> Self;
}

macro_rules! fused {
    ($t:ident, $fma:ident, $sqrt:ident) => {
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
        }
    };
}
fused!(f32, fmaf32, sqrtf32);
fused!(f64, fmaf64, sqrtf64);
