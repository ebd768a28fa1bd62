//! What the routes of operations have in common: the room that they work in, factors in it, matrices of 16-bit types, and
//! large matrices, which many blocks work on.

mod by_blocks;
mod own;
mod space;
mod wide;

pub(crate) use by_blocks::ByBlocks;
pub(crate) use own::{OwnCholesky, OwnFactors, as_lower, lower_factors};
pub use space::{Array, Space};
pub(crate) use space::{Room, RoomMemory};
pub(crate) use wide::Wide;

use numbers::problem::Problem;

use crate::error::Result;
use crate::layout::check_order;

/// The size that a route is chosen for: an order, and a number of right-hand sides. What it enqueues has a batch of its
/// own.
pub(crate) fn problem(n: usize, rhs: usize) -> Result<Problem> {
    check_order(n, "rows and columns")?;
    check_order(rhs, "right-hand sides")?;
    Ok(Problem { n: n as u32, batch: 1, rhs: rhs as u32 })
}
