//! Schedules: who does what when, from the first load to the last store.
//!
//! Those with matrix instructions are there from compute capability 8.0 on.

#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub mod blocked;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub mod cholesky;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub mod from_factors;
pub mod in_registers;
pub mod in_thread;
pub mod lane_per_rhs;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub mod left_looking;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub mod look_ahead;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub mod multi_block;
pub mod register_blocked;
