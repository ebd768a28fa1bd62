//! Inverse by a block a matrix, all of it on chip, updated by tensor cores; a warp of its own factors panels ahead.
//!
//! Columns are cut into panels of 8. Each updating warp has up to `Q` of them, every so-manieth, all `16 * B` rows, as tiles of the
//! matrix instruction: in registers, and in shared memory what these cannot hold. One warp factors a panel, each lane `R` whole
//! rows of it, while the others apply the panel before and hand over the one after. To that, all of them apply the panel once it is
//! factored, 16 rows each, and the next round begins. So the long chain of pivots waits for no more than 16 rows' product a
//! panel. A warp that has all panels does everything, one thing after the other.
//!
//! Rows never move: each keeps to its lane, and has the step at which it became a pivot row. It is divided by its pivot when all is
//! done. Then it is the row of the inverse that is named after that step, and column k belongs to the pivot row of step k.

pub mod board;
pub mod choose;
pub mod columns;
pub mod finish;
pub mod invert;
pub mod panel;

pub use invert::{invert_ahead, shape};

use simt::{block, sync_threads, warp};

/// Columns of a panel: what the matrix instruction multiplies with at once.
const NB: usize = 8;
/// Rows at most: their numbers are part of keys.
const ROWS: usize = 256;
/// The step of a row that is not a pivot row yet.
const OPEN: u32 = u32::MAX;

/// Warps that update, each with up to `q` of the panels of `16 * b` columns.
const fn updaters(b: usize, q: usize) -> u32 {
    (2 * b).div_ceil(q) as u32
}

/// Threads of a block: the warps that update, and one. A warp that updates all does everything.
#[must_use]
pub const fn threads(b: usize, q: usize) -> u32 {
    match updaters(b, q) {
        1 => 32,
        updaters => 32 * updaters + 32,
    }
}

/// Rows that a lane of the panel warp has.
#[must_use]
pub const fn rows(b: usize) -> usize {
    b.div_ceil(2)
}

/// Times 16 rows of a panel that an updating warp prepares.
#[must_use]
pub const fn shares(b: usize, q: usize) -> usize {
    b.div_ceil(updaters(b, q) as usize)
}

/// The warp that factors panels. Every fourth warp shares its part of a multiprocessor: among more than four it is the one that has a
/// part to itself, as the others keep its units busy; among four it is another in each block, by chance, so that those of
/// blocks on the same multiprocessor are spread.
#[inline(always)]
fn panel_warp(b: usize, q: usize) -> u32 {
    match updaters(b, q) {
        3 => block::index().wrapping_mul(0x9E37_79B9) >> 30,
        updaters => {
            if updaters < 3 {
                updaters
            } else {
                3
            }
        }
    }
}

/// This warp's number among those that update.
#[inline(always)]
fn updater(b: usize, q: usize) -> u32 {
    let warp = warp::index();
    if updaters(b, q) > 1 && warp > panel_warp(b, q) { warp - 1 } else { warp }
}

/// Waits for all warps of the block, which come here from different places.
#[inline(always)]
fn meet() {
    sync_threads();
}
