//! What the lanes of a warp, or the threads of a block, do together.

pub mod divisors;
pub mod fragment;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub mod mma;
pub mod permutation;
pub mod pivot;
pub mod thread_group;
pub mod vote;
