//! Solution of op(A) X = B from LU factors (LAPACK `xGETRS`). op(A) is A, its transpose, its conjugate, or both.

pub mod block;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
pub mod cluster_per_rhs;
pub mod warp;
pub mod warp_per_rhs;
