//! What a block keeps in shared memory while it factors a slab.

use simt::layout::Layout;
use simt::shared::Shared;

use crate::collective::mma::Mma;
use crate::schedule::multi_block::panel::exchange::ExchangeStorage;
use crate::schedule::multi_block::product::Rows;
use crate::schedule::multi_block::slab::{MAX_LANES, MAX_SENDERS};

/// Columns of U that are applied at a time.
#[must_use]
pub const fn chunk<T>() -> u32 {
    if size_of::<T>() == 4 { 256 } else { 128 }
}

/// The arrays.
#[derive(Clone, Copy)]
pub struct SharedStorage<T, const NB: usize> {
    /// Those of the exchange.
    pub exchange: ExchangeStorage<T>,
    /// Which rows of the workspace the block's rows are: shape (rows).
    pub row_numbers: Shared<u32>,
    /// Where interchanges have moved them: shape (rows).
    pub positions: Shared<u32>,
    /// The [`Place`](crate::schedule::multi_block::panel::candidates::Place) of each pivot row of a panel: shape (NB).
    pub places: Shared<u32>,
    /// Which row of the workspace it is: shape (NB).
    pub pivot_numbers: Shared<u32>,
    /// The triangle of L in these rows, column after column: shape (NB, NB).
    pub triangle: Shared<T>,
    /// Some columns of U in them, negated: shape (NB, [`upper_length`]).
    upper: Shared<T>,
    /// The block's rows of the slab: shape (rows, [`row_length`]).
    rows: Shared<T>,
}

/// From a row of the slab to the next: lanes of a fragment are in different banks.
#[must_use]
pub const fn row_length<T: Mma>(columns: u32) -> u32 {
    columns + T::VECTOR as u32
}

/// From a row of [`SharedStorage::upper`] to the next, likewise.
const fn upper_length<T>() -> u32 {
    chunk::<T>() + 16 / size_of::<T>() as u32
}

/// The shared memory of a block that has so many rows of so many columns.
#[inline(always)]
pub fn shared_storage<T: Mma, const NB: usize>(
    layout: &mut Layout,
    (rows, columns): (u32, u32),
    lane_rows: u32,
) -> SharedStorage<T, NB> {
    SharedStorage {
        exchange: ExchangeStorage::new::<NB, true>(layout, MAX_SENDERS),
        row_numbers: layout.array(lane_rows * MAX_LANES),
        positions: layout.array(lane_rows * MAX_LANES),
        places: layout.array(NB as u32),
        pivot_numbers: layout.array(NB as u32),
        triangle: layout.array((NB * NB) as u32),
        upper: layout.array(NB as u32 * upper_length::<T>()),
        rows: layout.array(rows * row_length::<T>(columns)),
    }
}

impl<T: Mma, const NB: usize> SharedStorage<T, NB> {
    /// The block's rows of a slab of so many columns.
    #[inline(always)]
    pub fn rows(&self, columns: u32) -> Rows<T> {
        Rows { first: self.rows, length: row_length::<T>(columns) }
    }

    /// Some columns of U, negated.
    #[inline(always)]
    pub fn upper(&self) -> Rows<T> {
        Rows { first: self.upper, length: upper_length::<T>() }
    }
}
