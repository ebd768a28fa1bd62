//! What a block keeps in shared memory while it factors a panel.

use simt::layout::Layout;
use simt::shared::Shared;

use crate::numbers::mma::Mma;
use crate::schedule::multi_block::panel::{MAX_BLOCKS, THREADS, WARPS};

/// The arrays.
#[derive(Clone, Copy)]
pub struct SharedStorage<T, const NB: usize, const LANE_ROWS: usize> {
    /// The block's part of the panel: shape (THREADS LANE_ROWS, [`row_length`]). A thread writes to its own rows only.
    panel: Shared<T>,
    /// Which rows of the workspace these are: shape (THREADS LANE_ROWS).
    pub row_numbers: Shared<u32>,
    /// L11 of the panel before: shape (NB, NB), column after column.
    pub triangle: Shared<T>,
    /// U12 of the panel before: shape (NB, NB).
    pub u: Shared<T>,
    /// The candidates of the warps, for columns of even and odd number: shape (2, WARPS, [`candidate_words`]).
    pub of_warps: Shared<u32>,
    /// The candidates of the blocks, which these store: shape (2, MAX_BLOCKS, [`candidate_words`]).
    pub of_blocks: Shared<u32>,
    /// The mbarriers of these: shape (2).
    pub arrived: Shared<u64>,
}

/// From a row of the panel to the next: an odd number of vectors.
const fn row_length<T: Mma, const NB: usize>() -> u32 {
    (NB + T::VECTOR) as u32
}

/// Words of a candidate: its key and position, its reciprocal, and its row.
#[must_use]
pub const fn candidate_words<T, const NB: usize>() -> u32 {
    8 + (NB * size_of::<T>() / 4) as u32
}

/// The block's shared memory.
#[inline(always)]
pub fn shared_storage<T: Mma, const NB: usize, const LANE_ROWS: usize>(
    layout: &mut Layout,
) -> SharedStorage<T, NB, LANE_ROWS> {
    let rows = LANE_ROWS as u32 * THREADS;
    SharedStorage {
        panel: layout.array(rows * row_length::<T, NB>()),
        row_numbers: layout.array(rows),
        triangle: layout.array((NB * NB) as u32),
        u: layout.array((NB * NB) as u32),
        of_warps: layout.array(2 * WARPS * candidate_words::<T, NB>()),
        of_blocks: layout.array(2 * MAX_BLOCKS * candidate_words::<T, NB>()),
        arrived: layout.array(2),
    }
}

impl<T: Mma, const NB: usize, const LANE_ROWS: usize> SharedStorage<T, NB, LANE_ROWS> {
    /// Row `i` of the block's part: shape (NB).
    #[inline(always)]
    pub fn row(&self, i: u32) -> Shared<T> {
        self.panel.offset(i * row_length::<T, NB>())
    }
}
