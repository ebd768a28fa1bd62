//! Hints for the compiler.

/// `x`, which the compiler takes for a number that it knows nothing of.
///
/// What is computed from it inside a loop stays there. LLVM otherwise moves all addresses of an unrolled loop body that do
/// not change ahead of the loop, into more registers than there are.
#[inline(always)]
#[must_use]
pub fn opaque(x: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let mut x = x;
        // SAFETY: no instruction.
        unsafe { core::arch::asm!("/* {x} */", x = inout(reg32) x, options(nomem, nostack, preserves_flags)) };
        x
    }
    #[cfg(not(target_arch = "nvptx64"))]
    x
}
