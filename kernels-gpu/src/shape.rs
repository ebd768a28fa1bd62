//! Launch shapes: how many blocks, in which clusters, of how many threads with how much shared memory.

pub use numbers::problem::Problem;
use simt::warp;

/// Grid, cluster, block and dynamic shared memory of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks in the grid.
    pub blocks: u64,
    /// Blocks of a cluster, which divides the grid; 1 for kernels that know of none.
    pub cluster: u32,
    /// Threads in each block.
    pub threads: u32,
    /// Bytes of dynamic shared memory of each block; `u32::MAX` where the kernel does not take the problem at all.
    pub shared_bytes: u32,
}

/// The shared memory of a launch that needs so many bytes: `u32::MAX`, which no GPU has, where they are even more.
#[must_use]
pub fn shared_bytes(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Threads for so many rows: a row each, in whole warps, up to `most` threads.
#[must_use]
pub const fn row_threads(rows: u32, most: u32) -> u32 {
    if rows < most { round_up(rows, warp::SIZE) } else { most }
}

/// The least multiple of `step` that is not below `x`.
#[inline(always)]
#[must_use]
pub const fn round_up(x: u32, step: u32) -> u32 {
    x.div_ceil(step) * step
}

/// `a / b`; 0 where `b` is 0, so that no panic path reaches the PTX.
#[inline(always)]
#[must_use]
pub const fn quotient(a: u32, b: u32) -> u32 {
    match a.checked_div(b) {
        Some(q) => q,
        None => 0,
    }
}
