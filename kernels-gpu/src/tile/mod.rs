//! Inverse and solve of n > 32 by a block a matrix, all of it in registers.
//!
//! Columns are cut into panels of `NB`. Each warp owns every W-th panel, all rows of it: row i is held by lane i % 32. So a
//! warp factors its panel by itself, and applies a panel that another warp has factored without asking anyone:
//!
//! for each panel: its owner factors it and publishes the multipliers and the pivot rows' numbers; one barrier; all warps
//! apply it to their panels.
//!
//! The owner of the next panel goes on to factor it while others still update: look-ahead comes by itself. Rows never move;
//! each has a position, where LAPACK's interchanges would have brought it, and goes there when it is stored.

pub mod backward;
pub mod board;
pub mod careful;
pub mod eliminate;
pub mod factor;
pub mod invert;
pub mod positions;
pub mod shape;
pub mod solve;
pub mod staging;
pub mod tiles;
pub mod update;

pub use invert::invert_tile;
pub use shape::shape;
pub use solve::{factor_solve_tile, shape as solve_shape};
