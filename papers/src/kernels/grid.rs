//! Several blocks a matrix: which matrix, and which part of it, is this block's.

use simt::{block, thread};

use kernels_gpu::shape::quotient;

/// The matrix of this block, counted from the first of the launch, and which of the matrix's `blocks` blocks this is.
#[inline(always)]
#[must_use]
pub fn split(blocks: u32) -> (u64, u32) {
    let matrix = quotient(block::index(), blocks);
    (matrix as u64, block::index() - matrix * blocks)
}

/// Tiles of `D` that cover `length` elements.
#[inline(always)]
#[must_use]
pub const fn tiles<const D: u32>(length: u32) -> u32 {
    length.div_ceil(D)
}

/// A square tile of a matrix, an element a thread of a block of `D * D`. Lanes run along the index that is close in
/// memory.
#[derive(Clone, Copy, Debug)]
pub struct Tile<const D: u32> {
    /// Its first row.
    pub row: u32,
    /// Its first column.
    pub col: u32,
    /// This thread's row in it.
    pub i: u32,
    /// This thread's column in it.
    pub j: u32,
}

impl<const D: u32> Tile<D> {
    /// Tile `index` of a square of `tiles` x `tiles`, and this thread's element of it.
    #[inline(always)]
    #[must_use]
    pub fn new(index: u32, tiles: u32, rows_first: bool) -> Self {
        let slow = quotient(index, tiles);
        let (fast, slow) = ((index - slow * tiles) * D, slow * D);
        let (f, s) = (thread::index() % D, thread::index() / D);
        if rows_first { Self { row: fast, col: slow, i: f, j: s } } else { Self { row: slow, col: fast, i: s, j: f } }
    }
}
