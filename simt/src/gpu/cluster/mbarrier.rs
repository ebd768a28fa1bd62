//! Mbarriers.

use core::arch::asm;

use super::remote::{LocalBase, RemoteBase};

/// With the fence by which other blocks see it after the cluster's barrier.
#[inline(always)]
pub(crate) unsafe fn init_mbarrier(base: LocalBase, count: u32) {
    // SAFETY: promised by the array's maker.
    unsafe {
        asm!(
            "mbarrier.init.shared::cta.b64 [{at}], {count};",
            "fence.mbarrier_init.release.cluster;",
            at = in(reg32) base, count = in(reg32) count, options(nostack)
        );
    }
}

#[inline(always)]
pub(crate) unsafe fn invalidate_mbarrier(base: LocalBase) {
    // SAFETY: promised by the array's maker.
    unsafe { asm!("mbarrier.inval.shared::cta.b64 [{at}];", at = in(reg32) base, options(nostack)) };
}

/// Those who wait are of this block: a release to the cluster would wait for all that the thread has written.
#[inline(always)]
pub(crate) unsafe fn arrive_at_mbarrier(base: LocalBase) {
    // SAFETY: promised by the array's maker.
    unsafe {
        asm!(
            "{{ .reg .b64 s; mbarrier.arrive.release.cta.shared::cta.b64 s, [{at}]; }}",
            at = in(reg32) base, options(nostack)
        );
    }
}

#[inline(always)]
pub(crate) unsafe fn arrive_expect(base: LocalBase, bytes: u32) {
    // SAFETY: promised by the array's maker.
    unsafe {
        asm!(
            "{{ .reg .b64 s; mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 s, [{at}], {bytes}; }}",
            at = in(reg32) base, bytes = in(reg32) bytes, options(nostack)
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
macro_rules! wait {
    ($name:ident, $acquire:literal) => {
        #[inline(always)]
        pub(crate) unsafe fn $name(base: LocalBase, parity: u32) {
            loop {
                let done: u32;
                // SAFETY: promised by the array's maker.
                unsafe {
                    asm!(
                        concat!(
                            "{{ .reg .pred p; mbarrier.try_wait.parity", $acquire,
                            ".shared::cta.b64 p, [{at}], {parity}; selp.u32 {done}, 1, 0, p; }}"
                        ),
                        at = in(reg32) base, parity = in(reg32) parity, done = out(reg32) done, options(nostack)
                    );
                }
                if done != 0 {
                    break;
                }
            }
        }
    };
}

wait!(wait_for_mbarrier, ".acquire.cluster");
// The acquire of a cluster would empty the first cache, which shared memory does not pass through.
wait!(wait_for_stores, ".acquire.cta");
