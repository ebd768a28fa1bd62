//! Hints for the compiler.

/// `x`, which the compiler takes for a number that it knows nothing of.
///
/// What is computed from it inside a loop stays there. LLVM otherwise moves all addresses of an unrolled loop body that do
/// not change ahead of the loop, into more registers than there are.
#[inline(always)]
#[must_use]
pub fn opaque<N: Number>(x: N) -> N {
    x.opaque()
}

/// A number that [`opaque`] takes.
pub trait Number {
    /// See [`opaque`].
    #[must_use]
    fn opaque(self) -> Self;
}

macro_rules! number {
    ($t:ident, $register:ident) => {
        impl Number for $t {
            #[inline(always)]
            fn opaque(self) -> Self {
                #[cfg(target_arch = "nvptx64")]
                {
                    let mut x = self;
                    // SAFETY: no instruction.
                    unsafe {
                        core::arch::asm!("/* {x} */", x = inout($register) x, options(nomem, nostack, preserves_flags))
                    };
                    x
                }
                #[cfg(not(target_arch = "nvptx64"))]
                self
            }
        }
    };
}
number!(u32, reg32);
number!(i64, reg64);
