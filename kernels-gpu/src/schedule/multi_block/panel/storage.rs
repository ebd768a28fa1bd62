//! What a block keeps in shared memory while it factors a panel.

use simt::layout::Layout;
use simt::shared::Shared;

use crate::collective::mma::Mma;
use crate::schedule::multi_block::panel::catch_up::BLOCK_COLUMNS;
use crate::schedule::multi_block::panel::exchange::ExchangeStorage;
use crate::schedule::multi_block::panel::{MAX_BLOCKS, THREADS};
use crate::schedule::multi_block::product::Rows;

/// The arrays.
#[derive(Clone, Copy)]
pub struct SharedStorage<T, const NB: usize, const LANE_ROWS: usize> {
    /// The block's part of the panel: shape (THREADS LANE_ROWS, [`row_length`]). A thread writes to its own rows only.
    panel: Shared<T>,
    /// Which rows of the workspace these are: shape (THREADS LANE_ROWS).
    pub row_numbers: Shared<u32>,
    /// Which rows were the pivot rows of earlier panels of the block: shape (BEFORE).
    pub pivot_numbers: Shared<u32>,
    /// These rows, and then U of them, negated: shape (BEFORE, [`row_length`]).
    upper: Shared<T>,
    /// The triangles of L of these panels: shape (BEFORE / NB, NB, NB), column after column.
    triangles: Shared<T>,
    /// Those of the exchange.
    pub exchange: ExchangeStorage<T>,
}

/// From a row of the panel to the next: an odd number of vectors.
#[must_use]
pub const fn row_length<T: Mma, const NB: usize>() -> u32 {
    (NB + T::VECTOR) as u32
}

/// Columns of a block of panels before its last one: BEFORE.
const fn before<const NB: usize>() -> u32 {
    BLOCK_COLUMNS - NB as u32
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
        pivot_numbers: layout.array(before::<NB>()),
        upper: layout.array(before::<NB>() * row_length::<T, NB>()),
        triangles: layout.array(before::<NB>() * NB as u32),
        exchange: ExchangeStorage::new::<NB, false>(layout, MAX_BLOCKS),
    }
}

impl<T: Mma, const NB: usize, const LANE_ROWS: usize> SharedStorage<T, NB, LANE_ROWS> {
    /// The rows of the block's part.
    #[inline(always)]
    pub fn rows(&self) -> Rows<T> {
        Rows { first: self.panel, length: row_length::<T, NB>() }
    }

    /// Row `i` of these: shape (NB).
    #[inline(always)]
    pub fn row(&self, i: u32) -> Shared<T> {
        self.rows().part(i, 0).first
    }

    /// Row `i` of the earlier panels' pivot rows: shape (NB).
    #[inline(always)]
    pub fn upper(&self, i: u32) -> Shared<T> {
        self.upper.offset(i * row_length::<T, NB>())
    }

    /// The triangle of earlier panel `s`: shape (NB, NB).
    #[inline(always)]
    pub fn triangle(&self, s: u32) -> Shared<T> {
        self.triangles.offset(s * (NB * NB) as u32)
    }
}
