//! Iterative refinement: the arguments of its steps, and the numbers that decide how far it goes.

mod args;
mod correction;
mod decision;

pub use args::RefineArgs;
pub use correction::{Correction, Scales};
pub use decision::{FIRST_ERROR, OVERFLOW, SINGULAR, STALLED, Threshold, done_after, is_done, steps_of};

use simt::warp;

/// Rows whose residuals are computed together, and whose norm is one number: those of a warp, one per lane.
pub const ROWS: u32 = warp::SIZE;

/// Groups of [`ROWS`] rows of a matrix.
#[inline(always)]
#[must_use]
pub const fn row_groups(n: u32) -> u32 {
    n.div_ceil(ROWS)
}
