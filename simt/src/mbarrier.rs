//! Barriers in shared memory that count arrivals of threads and bytes of asynchronous stores: PTX's mbarrier.
//!
//! An mbarrier goes through phases, numbered from 0. A phase is complete when as many threads have arrived as the
//! mbarrier was initialised for, and all bytes have come that they expect; then the next begins. Threads of its own
//! block wait for the phase of a parity: 0 for phases 0, 2, 4.., 1 for the others. A wait for a phase is one for the
//! current or for the one before it, so a phase must not be completed before all who wait have seen the end of the one
//! before.
//!
//! ```
//! use simt::cpu::{Launch, Memory, run};
//! use simt::layout::Layout;
//! use simt::mbarrier::Mbarrier;
//! use simt::{cluster, thread};
//!
//! let launch = Launch { kernel: "push", grid: 2, cluster: 2, block: 32, shared_bytes: 144, seed: 1 };
//! run(&Memory::new(), &launch, || {
//!     // SAFETY: the launch has as many bytes, and each word one writer.
//!     let (row, word) = unsafe { Layout::place(|layout| (layout.array::<u32>(32), layout.array::<u64>(1))) };
//!     let arrived = Mbarrier::new(word);
//!     if thread::index() == 0 {
//!         arrived.init(1);
//!         arrived.arrive_expect(128);
//!     }
//!     cluster::sync();
//!     let other = 1 - cluster::rank();
//!     row.of(other).store_async(thread::index(), 10 * cluster::rank(), arrived.of(other));
//!     arrived.wait(0);
//!     assert_eq!(row.load(31), 10 * other);
//!     cluster::sync();
//! })?;
//! # Ok::<(), simt::cpu::Fault>(())
//! ```

use crate::machine::cluster as machine;
use crate::shared::Shared;

/// An mbarrier of this block.
#[derive(Clone, Copy, Debug)]
pub struct Mbarrier {
    base: machine::LocalBase,
}

/// An mbarrier of a block of the cluster.
#[derive(Clone, Copy, Debug)]
pub struct RemoteMbarrier {
    base: machine::RemoteBase,
}

impl Mbarrier {
    /// The mbarrier in the first word of an array. While it is in use, nothing else may be done with the word.
    #[inline(always)]
    #[must_use]
    pub fn new(word: Shared<u64>) -> Self {
        Self { base: machine::local(word.base()) }
    }

    /// The mbarrier in the word that is so many further on.
    #[inline(always)]
    #[must_use]
    pub fn offset(self, words: u32) -> Self {
        Self { base: machine::offset_local::<u64>(self.base, words) }
    }

    /// The same mbarrier of the block of `rank`, which may be this one (`mapa`).
    #[inline(always)]
    #[must_use]
    pub fn of(self, rank: u32) -> RemoteMbarrier {
        RemoteMbarrier { base: machine::remote(self.base, rank) }
    }

    /// Begins its use: each phase takes `count` arrivals, 1 to 2^20 - 1. One thread does this, and all others use the
    /// mbarrier after a barrier of the block or the cluster.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn init(self, count: u32) {
        // SAFETY: promised when the array was made.
        unsafe { machine::init_mbarrier(self.base, count) };
    }

    /// Ends its use, by one thread after all others: the word may be used for something else.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn invalidate(self) {
        // SAFETY: as above.
        unsafe { machine::invalidate_mbarrier(self.base) };
    }

    /// Arrives: what this thread did before is seen by those who have waited for the phase.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn arrive(self) {
        // SAFETY: as above.
        unsafe { machine::arrive_at_mbarrier(self.base) };
    }

    /// Lets the phase expect `bytes` bytes more, fewer than 2^20 in all, and arrives.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn arrive_expect(self, bytes: u32) {
        // SAFETY: as above.
        unsafe { machine::arrive_expect(self.base, bytes) };
    }

    /// Waits until the phase of this parity, 0 or 1, is complete.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn wait(self, parity: u32) {
        // SAFETY: as above.
        unsafe { machine::wait_for_mbarrier(self.base, parity) };
    }

    /// As [`Self::wait`], and faster, but of what threads of other blocks did, it sees asynchronous stores only.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn wait_for_stores(self, parity: u32) {
        // SAFETY: as above.
        unsafe { machine::wait_for_stores(self.base, parity) };
    }
}

impl RemoteMbarrier {
    /// Arrives: what this thread did before is seen by those who have waited for the phase.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn arrive(self) {
        // SAFETY: promised when the array was made.
        unsafe { machine::arrive_at_remote(self.base) };
    }

    #[inline(always)]
    pub(crate) fn base(self) -> machine::RemoteBase {
        self.base
    }
}
