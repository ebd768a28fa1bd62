//! This block, and the grid it belongs to.

use crate::machine;

/// Index of this block in the grid, `blockIdx.x`.
#[inline(always)]
#[must_use]
pub fn index() -> u32 {
    machine::block_index()
}

/// Threads in each block, `blockDim.x`.
#[inline(always)]
#[must_use]
pub fn dim() -> u32 {
    machine::block_dim()
}

/// Blocks in the grid, `gridDim.x`.
#[inline(always)]
#[must_use]
pub fn grid_dim() -> u32 {
    machine::grid_dim()
}

/// Waits for all threads of the block, `__syncthreads`: what any of them wrote before is seen by all of them after.
///
/// Every thread of the block must call it, at the same place.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn sync_threads() {
    machine::sync_threads();
}
