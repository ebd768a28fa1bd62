//! Inverse by in-place Gauss-Jordan elimination with look-ahead. A block inverts one matrix, and keeps all of it on
//! chip.
//!
//! Columns are cut into panels of 8, dealt out cyclically to the *updating warps*. A warp owns all rows of its panels,
//! as 16 x 8 tiles of the matrix instruction. One more warp, the *panel warp*, factors panel p while the updating warps
//! still apply panel p - 1 (warp specialization). A line is a barrier:
//!
//! ```text
//! panel warp      | load p | factor p                      |                          | load p + 1
//! updating warps  |        | apply p - 1; send panel p + 1 | apply p to panel p + 1   |
//! ```
//!
//! The chain of pivots bounds the run time; in each round it waits for the update of one panel only. Where one warp can
//! own all panels, it does both jobs in turn.
//!
//! Pivoting is implicit: rows stay with their lanes, and `pivot_steps` tells when each became a pivot row. At the end a
//! row is divided by its pivot; the pivot row of step k is row k of the inverse, and column k goes to where that row
//! was in A.
//!
//! Const parameters:
//! - `TILES`: tiles of a panel, so matrices have up to `16 * TILES` rows;
//! - `PANELS`: panels of an updating warp;
//! - `HELD`: tiles of each of these panels in registers; the others are spilled to shared memory;
//! - `STRIPS`: tiles of the next panel that an updating warp updates ahead of its own;
//! - `LANE_ROWS`: rows of a lane of the panel warp.
//!
//! Used for inverses of order 33 to 176 (c64: 128). Sources: E. Quintana-Orti et al., "A note on parallel matrix
//! inversion" (2001), for elimination in place; H. Anzt et al., "Batched Gauss-Jordan elimination for block-Jacobi
//! preconditioner generation on GPUs" (2017), for implicit pivoting; look-ahead as in HPL.

pub mod columns;
pub mod epilogue;
pub mod find_pivot;
pub mod inverse;
pub mod panel;
pub mod storage;
pub mod update;

pub use inverse::{inverse, shape};

use simt::{block, sync_threads, warp};

use crate::collective::fragment;

/// Columns of a panel.
const NB: usize = fragment::COLUMNS;
/// Rows of a tile.
const TILE_ROWS: u32 = fragment::ROWS;
/// Rows of a matrix at most: a pivot key has 8 bits for the number of its row.
const MAX_ROWS: usize = 256;
/// The pivot step of a row that is still a candidate.
const CANDIDATE: u32 = u32::MAX;

/// Updating warps, each of which owns up to `panels` panels.
const fn updaters(tiles: usize, panels: usize) -> u32 {
    (2 * tiles).div_ceil(panels) as u32
}

/// Threads of a block: the updating warps and the panel warp, or one warp that does both jobs.
#[must_use]
pub const fn threads(tiles: usize, panels: usize) -> u32 {
    match updaters(tiles, panels) {
        1 => 32,
        updaters => 32 * updaters + 32,
    }
}

/// Rows of a lane of the panel warp.
#[must_use]
pub const fn lane_rows(tiles: usize) -> usize {
    tiles.div_ceil(2)
}

/// Tiles of the next panel that an updating warp updates, at most.
#[must_use]
pub const fn strips(tiles: usize, panels: usize) -> usize {
    tiles.div_ceil(updaters(tiles, panels) as usize)
}

/// The index of the panel warp. Four schedulers share the warps: of five or more, warp 3 has the fewest competitors; of
/// four, a hash of the block's index spreads the panel warps of a multiprocessor's blocks.
#[inline(always)]
fn panel_warp(tiles: usize, panels: usize) -> u32 {
    match updaters(tiles, panels) {
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

/// The index of this warp among the updating warps.
#[inline(always)]
fn updater(tiles: usize, panels: usize) -> u32 {
    let warp = warp::index();
    if updaters(tiles, panels) > 1 && warp > panel_warp(tiles, panels) { warp - 1 } else { warp }
}

/// A barrier that both jobs reach, each from its own code; in the emulator, all threads must wait at the same call.
#[inline(always)]
fn sync_jobs() {
    sync_threads();
}
