//! Launch shapes: how many blocks of how many threads with how much shared memory.

/// What a launch works on.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// Order of the matrices.
    pub n: u32,
    /// Matrices in the batch.
    pub batch: u64,
    /// Right-hand sides of each (1 where there are none).
    pub rhs: u32,
}

/// Grid, block and dynamic shared memory of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks in the grid.
    pub blocks: u64,
    /// Threads in each block.
    pub threads: u32,
    /// Bytes of dynamic shared memory of each block; `u32::MAX` where the kernel does not take the problem at all.
    pub shared_bytes: u32,
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
