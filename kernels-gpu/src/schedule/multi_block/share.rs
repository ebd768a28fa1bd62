//! Which rows of a panel a block has, and which of them its lanes.

use crate::shape::quotient;

/// Rows that lie together in memory, often enough, and go to one block.
const TOGETHER: u32 = 8;

/// A block's share of the rows: eights of them go to the blocks in turn. Of these, successive ones go to successive
/// lanes.
#[derive(Clone, Copy)]
pub struct Share {
    /// Position of the first row, which is the first candidate.
    pub begin: u32,
    /// One past that of the last.
    pub end: u32,
    /// Blocks that share them, such as those of a cluster.
    pub blocks: u32,
    /// Which of them this is.
    pub rank: u32,
    /// Threads of a block that hold rows, or groups of them that hold a row together.
    pub lanes: u32,
}

impl Share {
    /// The position of row `i` of this block.
    #[inline(always)]
    #[must_use]
    pub fn position(&self, i: u32) -> u32 {
        self.begin + (i / TOGETHER * self.blocks + self.rank) * TOGETHER + i % TOGETHER
    }

    /// Rows of the block that has most.
    #[inline(always)]
    #[must_use]
    pub fn rows(&self) -> u32 {
        rows(self.end - self.begin, self.blocks)
    }
}

/// Rows of the block that has most, of `blocks` that share `rows` of them.
#[inline(always)]
#[must_use]
pub fn rows(rows: u32, blocks: u32) -> u32 {
    quotient(rows.div_ceil(TOGETHER) + blocks - 1, blocks) * TOGETHER
}
