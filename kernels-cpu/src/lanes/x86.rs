//! What the vectors of x86-64 have in common.

/// Implements [`Vector`](super::vector::Vector) with intrinsics that are called alike in all widths; the rest is given.
macro_rules! x86_vector {
    (
        $vector:ident($register:ident), $real:ident x $lanes:literal, mask $mask:ty, doubles $doubles:ty,
        registers $registers:literal,
        call $call:ident,
        $set1:ident $load:ident $store:ident $add:ident $mul:ident $div:ident $fmadd:ident $fnmadd:ident $max:ident
        $sqrt:ident,
        { $($rest:tt)* }
    ) => {
        #[doc = concat!(stringify!($lanes), " numbers of type ", stringify!($real), ".")]
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $vector($register);

        impl Vector for $vector {
            type Real = $real;
            type Mask = $mask;
            type Doubles = $doubles;
            const LANES: usize = $lanes;
            const REGISTERS: usize = $registers;
            const HAS_FMA: bool = true;

            #[inline(always)]
            unsafe fn splat(x: $real) -> Self {
                // SAFETY: the caller's promise.
                unsafe { Self($set1(x)) }
            }
            #[inline(always)]
            unsafe fn call<S: Stage>(stage: S) -> S::Output {
                // SAFETY: the caller's promise.
                unsafe { $call(stage) }
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
            fn prefetch(at: *const $real) {
                // SAFETY: every x86-64 has the instruction, and it faults nowhere.
                unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at.cast()) }
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
                unsafe { Self($fmadd(self.0, a.0, b.0)) }
            }
            #[inline(always)]
            fn sub_mul(self, a: Self, b: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($fnmadd(a.0, b.0, self.0)) }
            }
            #[inline(always)]
            fn max(self, b: Self) -> Self {
                // SAFETY: as above. The instruction gives its second operand unless the first is greater.
                unsafe { Self($max(self.0, b.0)) }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: as above.
                unsafe { Self($sqrt(self.0)) }
            }
            $($rest)*
        }
    };
}
pub(super) use x86_vector;
