//! Clusters. Their barrier is an NVVM intrinsic, as others are; what a thread does alone is assembly.

#[cfg(target_feature = "sm_90")]
mod mbarrier;
#[cfg(target_feature = "sm_90")]
mod remote;

#[cfg(target_feature = "sm_90")]
pub(crate) use mbarrier::*;
#[cfg(target_feature = "sm_90")]
pub(crate) use remote::*;

#[cfg(target_feature = "sm_90")]
unsafe extern "C" {
    #[link_name = "llvm.nvvm.barrier.cluster.arrive.aligned"]
    fn barrier_cluster_arrive();
    #[link_name = "llvm.nvvm.barrier.cluster.wait.aligned"]
    fn barrier_cluster_wait();
}

#[inline(always)]
pub(crate) fn rank() -> u32 {
    #[cfg(target_feature = "sm_90")]
    {
        let rank: u32;
        // SAFETY: reads a register.
        unsafe {
            core::arch::asm!("mov.u32 {x}, %cluster_ctarank;", x = out(reg32) rank, options(pure, nomem, nostack))
        };
        rank
    }
    #[cfg(not(target_feature = "sm_90"))]
    0
}

#[inline(always)]
pub(crate) fn size() -> u32 {
    #[cfg(target_feature = "sm_90")]
    {
        let size: u32;
        // SAFETY: reads a register.
        unsafe {
            core::arch::asm!("mov.u32 {x}, %cluster_nctarank;", x = out(reg32) size, options(pure, nomem, nostack))
        };
        size
    }
    #[cfg(not(target_feature = "sm_90"))]
    1
}

#[cfg(target_feature = "sm_90")]
#[inline(always)]
pub(crate) fn arrive() {
    // SAFETY: the kernel reaches it with all threads of the cluster.
    unsafe { barrier_cluster_arrive() }
}

#[cfg(target_feature = "sm_90")]
#[inline(always)]
pub(crate) fn wait() {
    // SAFETY: as above.
    unsafe { barrier_cluster_wait() }
}

#[cfg(target_feature = "sm_90")]
#[inline(always)]
pub(crate) fn sync() {
    arrive();
    wait();
}
