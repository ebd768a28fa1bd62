//! LU and solves by one warp a matrix, or several, with panels of 8 columns that stream through registers.
//!
//! The matrix is eliminated from the left. A panel came in from device memory while the one before was factored; its rows go where
//! interchanges have brought them, and the panels before are applied to it, 16 rows at a time as tiles of the matrix instruction. Then it
//! is factored, each lane with whole rows of it. One warp does one thing after the other, for as many matrices as a multiprocessor has room
//! for. Where these are too few, there are several warps: the first one factors, each other one prepares panels of its own meanwhile,
//! and all apply the panel that is factored to the next one.
//!
//! U is stored as it comes up. L stays in shared memory until all is done, as all panels after need it, and is packed: a panel
//! has no rows above its diagonal. Rows are interchanged with each panel, L's too, so that the pivot rows of a panel are the first
//! that it has, and what is done becomes shorter from panel to panel.
//!
//! A solve takes its right-hand side along, as one more column of each panel. In the end L is not needed any more: U comes back to its place,
//! and a warp substitutes.

pub mod advance;
pub mod apply;
pub mod board;
pub mod choose;
pub mod lu;
pub mod order;
pub mod panel;
pub mod ring;
pub mod slots;
pub mod solve;
pub mod strip;
pub mod upper;

pub use lu::{lu_stream, shape};
pub use solve::{factor_solve_stream, solve_shape};

use simt::hint::opaque;
use simt::warp;

/// Columns of a panel: what the matrix instruction multiplies with at once.
const NB: usize = 8;

/// Where a lane's elements of a tile are: rows `i` and `i + 8`, columns `j` and `j + 1`.
#[derive(Clone, Copy)]
struct Place {
    /// Its first row.
    i: u32,
    /// Its first column.
    j: u32,
}

impl Place {
    /// This lane's.
    #[inline(always)]
    fn own() -> Self {
        let lane = opaque(warp::lane()); // else all that follows from it is kept in registers
        Self { i: lane / 4, j: lane % 4 * 2 }
    }
}
