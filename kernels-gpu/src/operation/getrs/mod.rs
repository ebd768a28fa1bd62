//! Solution of op(A) X = B from LU factors (LAPACK `xGETRS`). op(A) is A, its transpose, its conjugate, or both.

pub mod block;
pub mod warp;
pub mod warp_per_rhs;
