//! LU and inverse of larger matrices: a block works on one matrix, and holds one slab of its columns in registers.
//!
//! Columns are cut into panels of 8, and panels into slabs. LU is left-looking by slabs: a slab is loaded, the panels
//! before it come back from the output and are applied to it, then its own panels are factored and applied to the rest
//! of it.
//!
//! ```text
//! columns:   factored, in the output  |  slab, in registers  |  still in A
//!                      |                        ^
//!                      +--- cp.async, a ring ---+
//! ```
//!
//! Each warp owns `32 * LANE_ROWS` rows: as 16 x 8 tiles of the matrix instruction while panels are applied, as whole
//! rows, `LANE_ROWS` a lane, while a panel is factored. That takes few registers, and blocks that share a
//! multiprocessor hide each other's latency.
//!
//! Pivoting is implicit: rows stay with their lanes, and `pivot_steps` tells when each became a pivot row: left of that
//! column the row holds L, from there on U. At the end rows go to where LAPACK's interchanges (`xLASWP`) would put
//! them.
//!
//! Before a panel is applied to a slab, one warp substitutes for its rows of U, and the others wait.
//!
//! The inverse, with `JORDAN`, is Gauss-Jordan elimination in two sweeps, described in [`inverse`](mod@inverse).
//!
//! Const parameters:
//! - `LANE_ROWS`: rows of a lane;
//! - `PANELS`: panels of a slab;
//! - `WARPS`: warps of a block at most, so matrices have up to `32 * LANE_ROWS * WARPS` rows;
//! - `JORDAN`: whether pivot rows of earlier steps are eliminated, too.
//!
//! Used above the orders of the other schedules, up to 512. Source: the left-looking variant of `xGETRF` (LAPACK's
//! VARIANTS/lu/LL).

pub mod apply;
pub mod find_pivot;
pub mod getrf;
pub mod inverse;
pub mod panel;
pub mod panel_rows;
pub mod slab;
pub mod storage;
pub mod sweep;

pub use getrf::{getrf, shape};
pub use inverse::inverse;

use crate::collective::fragment::COLUMNS;

/// Columns of a panel, for arithmetic on indices; arrays have [`COLUMNS`].
const NB: u32 = COLUMNS as u32;
/// The pivot step of a row that is still a candidate.
const CANDIDATE: u32 = u32::MAX;
/// The pivot step of a row of the padding: it never becomes a pivot row.
const PADDING: u32 = u32::MAX - 1;
