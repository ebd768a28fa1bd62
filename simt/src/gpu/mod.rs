//! The machine on nvptx64. Warp and barrier operations are NVVM intrinsics, which LLVM knows to be convergent.

pub(crate) mod cluster;

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

#[cfg(target_feature = "sm_80")]
unsafe extern "unadjusted" {
    #[link_name = "llvm.nvvm.mma.m16n8k8.row.col.tf32"]
    fn mma_m16n8k8_tf32(
        a0: u32,
        a1: u32,
        a2: u32,
        a3: u32,
        b0: u32,
        b1: u32,
        c0: f32,
        c1: f32,
        c2: f32,
        c3: f32,
    ) -> (f32, f32, f32, f32);
}

#[cfg(all(target_feature = "sm_80", not(target_feature = "sm_90")))]
unsafe extern "unadjusted" {
    #[link_name = "llvm.nvvm.mma.m8n8k4.row.col.f64"]
    fn mma_m8n8k4_f64(a: f64, b: f64, c0: f64, c1: f64) -> (f64, f64);
}

#[cfg(target_feature = "sm_90")]
unsafe extern "unadjusted" {
    #[link_name = "llvm.nvvm.mma.m16n8k8.row.col.f64"]
    fn mma_m16n8k8_f64(
        a0: f64,
        a1: f64,
        a2: f64,
        a3: f64,
        b0: f64,
        b1: f64,
        c0: f64,
        c1: f64,
        c2: f64,
        c3: f64,
    ) -> (f64, f64, f64, f64);
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
    if mask == u32::MAX {
        let (mut largest, mut distance) = (value, 16);
        while distance > 0 {
            let other = shuffle_xor(mask, largest, distance);
            largest = if other > largest { other } else { largest };
            distance /= 2;
        }
        largest
    } else {
        largest_bit_by_bit(mask, value)
    }
}

/// The largest value of a part of a warp: the lanes that have a bit stay candidates, if any has it.
#[cfg(not(target_feature = "sm_80"))]
#[inline(always)]
fn largest_bit_by_bit(mask: u32, value: u32) -> u32 {
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

#[cfg(target_feature = "sm_90")]
#[inline(always)]
pub(crate) fn multiply(c: [f64; 4], a: [f64; 4], b: [f64; 2]) -> [f64; 4] {
    // SAFETY: the kernel reaches it with all lanes.
    let (c0, c1, c2, c3) = unsafe { mma_m16n8k8_f64(a[0], a[1], a[2], a[3], b[0], b[1], c[0], c[1], c[2], c[3]) };
    [c0, c1, c2, c3]
}

/// Each quarter of the factors is what a lane has for the smaller instruction.
#[cfg(all(target_feature = "sm_80", not(target_feature = "sm_90")))]
#[inline(always)]
pub(crate) fn multiply(mut c: [f64; 4], a: [f64; 4], b: [f64; 2]) -> [f64; 4] {
    for k in 0..2 {
        for half in 0..2 {
            // SAFETY: the kernel reaches it with all lanes.
            let (c0, c1) = unsafe { mma_m8n8k4_f64(a[2 * k + half], b[k], c[2 * half], c[2 * half + 1]) };
            (c[2 * half], c[2 * half + 1]) = (c0, c1);
        }
    }
    c
}

#[cfg(target_feature = "sm_80")]
#[inline(always)]
pub(crate) fn multiply_tf32(c: [f32; 4], a: [f32; 4], b: &[f32; 2]) -> [f32; 4] {
    let (a, b) = (a.map(f32::to_bits), b.map(f32::to_bits));
    // SAFETY: the kernel reaches it with all lanes.
    let (c0, c1, c2, c3) = unsafe { mma_m16n8k8_tf32(a[0], a[1], a[2], a[3], b[0], b[1], c[0], c[1], c[2], c[3]) };
    [c0, c1, c2, c3]
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

/// The hardware's approximation and a Newton step.
#[inline(always)]
pub(crate) fn reciprocal_sqrt_f32(x: f32) -> f32 {
    let bits: u32;
    // SAFETY: arithmetic on registers.
    unsafe {
        core::arch::asm!(
            "{{ .reg .f32 t; mov.b32 t, {x}; rsqrt.approx.ftz.f32 t, t; mov.b32 {y}, t; }}",
            x = in(reg32) x.to_bits(), y = out(reg32) bits, options(nomem, nostack)
        );
    }
    let y = f32::from_bits(bits);
    let rest = core::intrinsics::fmaf32(-(x * y), y, 1.0);
    core::intrinsics::fmaf32(rest * y, 0.5, y)
}

/// The hardware's approximation and a step of third order.
#[inline(always)]
pub(crate) fn reciprocal_sqrt_f64(x: f64) -> f64 {
    let bits: u64;
    // SAFETY: arithmetic on registers.
    unsafe {
        core::arch::asm!(
            "{{ .reg .f64 t; mov.b64 t, {x}; rsqrt.approx.ftz.f64 t, t; mov.b64 {y}, t; }}",
            x = in(reg64) x.to_bits(), y = out(reg64) bits, options(nomem, nostack)
        );
    }
    let y = f64::from_bits(bits);
    let rest = core::intrinsics::fmaf64(-(x * y), y, 1.0);
    core::intrinsics::fmaf64(rest * y, core::intrinsics::fmaf64(rest, 0.375, 0.5), y)
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
pub(crate) unsafe fn begin_copy<T: Pod>(base: SharedBase, i: u32, address: *const T, is_wanted: bool) {
    #[cfg(target_feature = "sm_80")]
    {
        let to = base.cast::<T>().wrapping_add(i as usize);
        let bytes = if is_wanted { size_of::<T>() as u32 } else { 0 };
        // SAFETY: promised by the arrays' makers; of a copy of no bytes nothing is read.
        unsafe {
            core::arch::asm!(
                "{{ .reg .u64 s, g; .reg .u32 d; cvta.to.shared.u64 s, {to}; cvt.u32.u64 d, s; cvta.to.global.u64 g, {from};",
                "cp.async.ca.shared.global [d], [g], {size}, {bytes}; }}",
                to = in(reg64) to, from = in(reg64) address, bytes = in(reg32) bytes, size = const size_of::<T>(),
                options(nostack)
            );
        }
    }
    #[cfg(not(target_feature = "sm_80"))]
    {
        let zeros = [0_u32; 4];
        // SAFETY: promised by the arrays' makers; zeros are plain data of at most 16 bytes.
        unsafe {
            let value = if is_wanted { load_global(address) } else { (&raw const zeros).cast::<T>().read_unaligned() };
            store_shared(base, i, value);
        }
    }
}

#[inline(always)]
pub(crate) fn commit_copies() {
    #[cfg(target_feature = "sm_80")]
    // SAFETY: no memory of the compiler's.
    unsafe {
        core::arch::asm!("cp.async.commit_group;", options(nostack));
    }
}

#[inline(always)]
pub(crate) fn wait_for_copies<const PENDING: u32>() {
    #[cfg(target_feature = "sm_80")]
    // SAFETY: as above.
    unsafe {
        core::arch::asm!("cp.async.wait_group {pending};", pending = const PENDING, options(nostack));
    }
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
