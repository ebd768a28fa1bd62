//! The machine on nvptx64. Warp and barrier operations are NVVM intrinsics, which LLVM knows to be convergent.

use core::arch::nvptx;

use crate::Pod;

unsafe extern "C" {
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shfl_sync_idx(mask: u32, value: u32, source: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    fn shfl_sync_bfly(mask: u32, value: u32, distance: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn bar_warp_sync(mask: u32);
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn vote_ballot_sync(mask: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.vote.any.sync"]
    fn vote_any_sync(mask: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.all"]
    fn barrier_cta_sync(id: u32);
    #[cfg(target_feature = "sm_80")]
    #[link_name = "llvm.nvvm.redux.sync.umax"]
    fn redux_sync_umax(value: u32, mask: u32) -> u32;
}

#[inline(always)]
pub(crate) fn thread_index() -> u32 {
    // SAFETY: reads a register.
    unsafe { nvptx::_thread_idx_x() as u32 }
}

#[inline(always)]
pub(crate) fn block_index() -> u32 {
    // SAFETY: reads a register.
    unsafe { nvptx::_block_idx_x() as u32 }
}

#[inline(always)]
pub(crate) fn block_dim() -> u32 {
    // SAFETY: reads a register.
    unsafe { nvptx::_block_dim_x() as u32 }
}

#[inline(always)]
pub(crate) fn grid_dim() -> u32 {
    // SAFETY: reads a register.
    unsafe { nvptx::_grid_dim_x() as u32 }
}

#[inline(always)]
pub(crate) fn sync_threads() {
    // SAFETY: the kernel reaches it with all threads of the block.
    unsafe { barrier_cta_sync(0) }
}

#[inline(always)]
pub(crate) fn sync_warp(mask: u32) {
    // SAFETY: the kernel reaches it with all lanes of the mask.
    unsafe { bar_warp_sync(mask) }
}

#[inline(always)]
pub(crate) fn ballot(mask: u32, predicate: bool) -> u32 {
    // SAFETY: the kernel reaches it with all lanes of the mask.
    unsafe { vote_ballot_sync(mask, predicate) }
}

#[inline(always)]
pub(crate) fn any(mask: u32, predicate: bool) -> bool {
    // SAFETY: the kernel reaches it with all lanes of the mask.
    unsafe { vote_any_sync(mask, predicate) }
}

#[inline(always)]
pub(crate) fn max_u32(mask: u32, value: u32) -> u32 {
    #[cfg(target_feature = "sm_80")]
    // SAFETY: the kernel reaches it with all lanes of the mask.
    return unsafe { redux_sync_umax(value, mask) };
    #[cfg(not(target_feature = "sm_80"))]
    {
        // Bit by bit from the top: keep the lanes that have the bit, if any has it.
        let lane = thread_index() % 32;
        let mut candidates = mask;
        let mut largest = 0;
        let mut bit = 1_u32 << 31;
        while bit > 0 {
            let holders = candidates & ballot(mask, value & bit != 0 && candidates >> lane & 1 == 1);
            if holders != 0 {
                candidates = holders;
                largest |= bit;
            }
            bit >>= 1;
        }
        largest
    }
}

#[inline(always)]
pub(crate) fn shuffle<T: Pod>(mask: u32, value: T, source: u32) -> T {
    // SAFETY: the kernel reaches it with all lanes of the mask.
    by_words(value, |word| unsafe { shfl_sync_idx(mask, word, source, 31) })
}

#[inline(always)]
pub(crate) fn shuffle_xor<T: Pod>(mask: u32, value: T, distance: u32) -> T {
    // SAFETY: the kernel reaches it with all lanes of the mask.
    by_words(value, |word| unsafe { shfl_sync_bfly(mask, word, distance, 31) })
}

/// The value whose words are `f` of the words of `value`.
#[inline(always)]
fn by_words<T: Pod>(value: T, f: impl Fn(u32) -> u32) -> T {
    let words = size_of::<T>() / 4;
    let mut out = [0_u32; 4];
    let from = (&raw const value).cast::<u32>();
    let mut w = 0;
    while w < words {
        // SAFETY: `T` is 4 * words bytes of plain data.
        out[w] = f(unsafe { from.add(w).read_unaligned() });
        w += 1;
    }
    // SAFETY: the words of a `T`.
    unsafe { (&raw const out).cast::<T>().read_unaligned() }
}

/// The hardware's approximation and a Newton step. The last assembly keeps the result here, ahead of what it overlaps with:
/// LLVM would move all to where it is used.
#[inline(always)]
pub(crate) fn reciprocal_f32(x: f32) -> f32 {
    let bits: u32;
    // SAFETY: arithmetic on registers.
    unsafe {
        core::arch::asm!(
            "{{ .reg .f32 t; mov.b32 t, {x}; rcp.approx.ftz.f32 t, t; mov.b32 {y}, t; }}",
            x = in(reg32) x.to_bits(), y = out(reg32) bits, options(nomem, nostack)
        );
    }
    let y = f32::from_bits(bits);
    let rest = core::intrinsics::fmaf32(-x, y, 1.0);
    let mut bits = core::intrinsics::fmaf32(rest, y, y).to_bits();
    // SAFETY: no instruction.
    unsafe { core::arch::asm!("/* {y} */", y = inout(reg32) bits, options(nomem, nostack)) };
    f32::from_bits(bits)
}

/// As [`reciprocal_f32`], with two steps in one and another.
#[inline(always)]
pub(crate) fn reciprocal_f64(x: f64) -> f64 {
    let bits: u64;
    // SAFETY: arithmetic on registers.
    unsafe {
        core::arch::asm!(
            "{{ .reg .f64 t; mov.b64 t, {x}; rcp.approx.ftz.f64 t, t; mov.b64 {y}, t; }}",
            x = in(reg64) x.to_bits(), y = out(reg64) bits, options(nomem, nostack)
        );
    }
    let y = f64::from_bits(bits);
    let rest = core::intrinsics::fmaf64(-x, y, 1.0);
    let y = core::intrinsics::fmaf64(core::intrinsics::fmaf64(rest, rest, rest), y, y);
    let rest = core::intrinsics::fmaf64(-x, y, 1.0);
    let mut bits = core::intrinsics::fmaf64(rest, y, y).to_bits();
    // SAFETY: no instruction.
    unsafe { core::arch::asm!("/* {y} */", y = inout(reg64) bits, options(nomem, nostack)) };
    f64::from_bits(bits)
}

/// Address of an array in shared memory.
pub(crate) type SharedBase = *mut u8;

#[inline(always)]
pub(crate) unsafe fn shared_base(offset: u32) -> SharedBase {
    // SAFETY: the caller stays within the launch's shared memory.
    unsafe { core::intrinsics::gpu::gpu_launch_sized_workgroup_mem::<u128>().cast::<u8>().add(offset as usize) }
}

#[inline(always)]
pub(crate) fn offset_shared<T>(base: SharedBase, elements: u32) -> SharedBase {
    base.cast::<T>().wrapping_add(elements as usize).cast()
}

#[inline(always)]
pub(crate) unsafe fn load_shared<T: Pod>(base: SharedBase, i: u32) -> T {
    // SAFETY: promised by the array's maker.
    unsafe { base.cast::<T>().add(i as usize).read() }
}

#[inline(always)]
pub(crate) unsafe fn store_shared<T: Pod>(base: SharedBase, i: u32, value: T) {
    // SAFETY: promised by the array's maker.
    unsafe { base.cast::<T>().add(i as usize).write(value) }
}

#[inline(always)]
pub(crate) unsafe fn load_global<T: Pod>(address: *const T) -> T {
    // SAFETY: promised by the array's maker.
    unsafe { address.read() }
}

#[inline(always)]
pub(crate) unsafe fn store_global<T: Pod>(address: *mut T, value: T) {
    // SAFETY: promised by the array's maker.
    unsafe { address.write(value) }
}
