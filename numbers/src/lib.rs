//! What warplu's kernels for GPUs and for CPUs share: scalars and what matrices are stored in, matrix descriptors,
//! statuses, and the numbers that decide in iterative refinement. No kernel, no driver.
#![cfg_attr(target_arch = "nvptx64", no_std)]
// Parts of rows are indexed by loops that LLVM unrolls.
#![allow(clippy::needless_range_loop)]

pub mod det_product;
pub mod element;
pub mod factors;
pub mod matrix;
pub mod op;
pub mod pivot;
pub mod problem;
pub mod refine;
pub mod scalar;
pub mod status;
