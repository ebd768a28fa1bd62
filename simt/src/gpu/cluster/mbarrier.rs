//! Mbarriers.

use core::arch::asm;

use super::remote::{RemoteBase, local};
use crate::gpu::SharedBase;

/// With the fence by which other blocks see it after the cluster's barrier.
#[inline(always)]
pub(crate) unsafe fn init_mbarrier(base: SharedBase, count: u32) {
    // SAFETY: promised by the array's maker.
    unsafe {
        asm!(
            "mbarrier.init.shared::cta.b64 [{at}], {count};",
            "fence.mbarrier_init.release.cluster;",
            at = in(reg32) local(base), count = in(reg32) count, options(nostack)
        );
    }
}

#[inline(always)]
pub(crate) unsafe fn invalidate_mbarrier(base: SharedBase) {
    // SAFETY: promised by the array's maker.
    unsafe { asm!("mbarrier.inval.shared::cta.b64 [{at}];", at = in(reg32) local(base), options(nostack)) };
}

#[inline(always)]
pub(crate) unsafe fn arrive_at_mbarrier(base: SharedBase) {
    // SAFETY: promised by the array's maker.
    unsafe {
        asm!(
            "{{ .reg .b64 s; mbarrier.arrive.release.cluster.shared::cta.b64 s, [{at}]; }}",
            at = in(reg32) local(base), options(nostack)
        );
    }
}

#[inline(always)]
pub(crate) unsafe fn arrive_expect(base: SharedBase, bytes: u32) {
    // SAFETY: promised by the array's maker.
    unsafe {
        asm!(
            "{{ .reg .b64 s; mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 s, [{at}], {bytes}; }}",
            at = in(reg32) local(base), bytes = in(reg32) bytes, options(nostack)
        );
    }
}

#[inline(always)]
pub(crate) unsafe fn arrive_at_remote(base: RemoteBase) {
    // SAFETY: promised by the array's maker.
    unsafe {
        asm!("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{at}];", at = in(reg32) base, options(nostack));
    }
}

/// Each try waits for a while before it says no. The loop is LLVM's, which so knows the branches.
#[inline(always)]
pub(crate) unsafe fn wait_for_mbarrier(base: SharedBase, parity: u32) {
    let at = local(base);
    loop {
        let done: u32;
        // SAFETY: promised by the array's maker.
        unsafe {
            asm!(
                "{{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [{at}], {parity};",
                "selp.u32 {done}, 1, 0, p; }}",
                at = in(reg32) at, parity = in(reg32) parity, done = out(reg32) done, options(nostack)
            );
        }
        if done != 0 {
            break;
        }
    }
}
