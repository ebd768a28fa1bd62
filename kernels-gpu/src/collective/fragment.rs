//! Which elements of a matrix instruction's operands a lane holds.
//!
//! Of a tile of 16 x 8, lane 4 i + j holds elements (i, 2 j), (i, 2 j + 1), (i + 8, 2 j) and (i + 8, 2 j + 1). A tile
//! can also be the left factor of the next product: column 2 j then serves as column j, and 2 j + 1 as j + 4. Any order
//! of columns will do, as long as the rows of the right factor are in the same order.

use simt::warp;

/// Rows of a tile.
pub const ROWS: u32 = 16;
/// Columns of a tile and of a panel: as many as one instruction multiplies.
pub const COLUMNS: usize = 8;

/// This lane's first row in a tile; its other one is 8 further down.
#[inline(always)]
#[must_use]
pub fn row() -> u32 {
    warp::lane() / 4
}

/// This lane's first column in a tile; its other one is the next.
#[inline(always)]
#[must_use]
pub fn column() -> u32 {
    warp::lane() % 4 * 2
}
