//! The kernels of the published algorithms, as their papers describe them: there to be compared with.

#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
pub mod block_bordering;
pub mod bordering;
pub mod copy_batch;
pub mod element_wise;
pub mod elimination;
pub mod grid;
pub mod inverse;
pub mod lu;
pub mod pivot;
pub mod substitution;
pub mod sum;
pub mod table;
