//! This block's cluster: blocks that run at the same time, wait for each other, and reach each other's shared memory.
//!
//! A launch says how many blocks make a cluster; without, each block is a cluster by itself, of rank 0. Hardware has
//! clusters from compute capability 9.0 on: for older targets there are only [`rank`] and [`size`].
//!
//! Shared memory of another block is reached by [`Shared::of`](crate::shared::Shared::of), and ends with its block. So
//! a kernel ends with [`sync`], unless what it waited for last tells it that nobody needs its memory any more.
//!
//! ```
//! use simt::cpu::{Launch, Memory, run};
//! use simt::{cluster, shared, thread};
//!
//! let launch = Launch { kernel: "ring", grid: 4, cluster: 4, block: 32, shared_bytes: 128, seed: 1 };
//! run(&Memory::new(), &launch, || {
//!     // SAFETY: a word a thread; the cluster waits between accesses of different threads.
//!     let words = unsafe { shared::array::<u32>(0) };
//!     let next = (cluster::rank() + 1) % cluster::size();
//!     cluster::sync(); // every block has begun
//!     words.of(next).store(thread::index(), cluster::rank());
//!     cluster::sync();
//!     assert_eq!(words.load(thread::index()), (cluster::rank() + 3) % 4);
//! })?;
//! # Ok::<(), simt::cpu::Fault>(())
//! ```

use crate::machine::cluster as machine;

/// Rank of this block in its cluster, `%cluster_ctarank`.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn rank() -> u32 {
    machine::rank()
}

/// Blocks of the cluster, `%cluster_nctarank`.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn size() -> u32 {
    machine::size()
}

/// Waits for all threads of the cluster, `cluster.sync()`: what any of them wrote before is seen by all of them after.
///
/// Every thread of the cluster must call it, all lanes of a warp at the same place.
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn sync() {
    machine::sync();
}

/// The first half of [`sync`], `barrier.cluster.arrive.release`: this thread is there, and goes on with what it needs
/// no other for.
///
/// What it wrote before is seen by those who have waited. Every thread must [`wait`] before it arrives again.
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn arrive() {
    machine::arrive();
}

/// The second half of [`sync`], `barrier.cluster.wait.acquire`: waits until all threads of the cluster have arrived.
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn wait() {
    machine::wait();
}
