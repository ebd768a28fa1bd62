//! The sizes of a batch.

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
