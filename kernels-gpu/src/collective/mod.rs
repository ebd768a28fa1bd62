//! What the lanes of a warp, or the threads of a block, do together.

pub mod divisors;
pub mod fragment;
pub mod permutation;
pub mod pivot;
pub mod thread_group;
pub mod vote;
