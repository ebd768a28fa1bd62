//! Copies from device to shared memory that a thread does not wait for, as CUDA's `__pipeline_memcpy_async`.
//!
//! A thread begins copies, and commits them in groups; what was copied is there for that thread once it has waited. Hardware
//! does it from compute capability 8.0 on; before, a copy is made at once.

use crate::global::Global;
use crate::shared::Shared;
use crate::{Pod, machine};

/// Begins to copy element 0 of `from` to element `i` of `to`: of 4, 8 or 16 bytes. Where it is not wanted, zeros go there, and
/// nothing is read.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn copy<T: Pod>(to: Shared<T>, i: u32, from: Global<T>, is_wanted: bool) {
    const { assert!(matches!(size_of::<T>(), 4 | 8 | 16), "copies move 4, 8 or 16 bytes") };
    // SAFETY: promised when the arrays were made.
    unsafe { machine::begin_copy(to.base(), i, from.pointer(), is_wanted) };
}

/// Makes a group of the copies begun since the last group.
#[inline(always)]
pub fn commit() {
    machine::commit_copies();
}

/// Waits until no more than the last `PENDING` groups are under way.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn wait_prior<const PENDING: u32>() {
    machine::wait_for_copies::<PENDING>();
}
