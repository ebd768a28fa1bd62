//! LU, solutions and inverses by many blocks a matrix: for matrices that do not fit on a multiprocessor, and for few
//! large ones.
//!
//! A launch is a step, and all steps work in one workspace, the matrix and its right-hand sides side by side:
//!
//! ```text
//! pack       matrices -> workspace            columns in blocks of 32, each row's 32 together
//! panel      a cluster of blocks a matrix     pivots, L, and U on the diagonal: up to 32 columns, left-looking within
//!                                             a block of panels
//! triangle   a block 64 columns               U12 = L11^-1 A12, or U11^-1 B
//! update     a block a tile of 128 x 64       A22 -= L21 U12
//! unpack     workspace -> matrices            each row where its pivot is
//! ```
//!
//! [`steps`] says in which order. While blocks of the grid update the matrix by a block of panels, the next block of
//! panels is factored beside them (look-ahead).
//!
//! Rows never move in the workspace. Instead each panel leaves a list of the rows that are still candidates, in the
//! order in which LAPACK's interchanges (`xLASWP`) would have them, and `update` works on the rows of a list. So
//! right-hand sides need no interchanges: the row of a pivot has them at its side.

pub mod args;
pub mod from_factors;
pub mod pack;
pub mod panel;
pub mod product;
#[cfg(not(target_arch = "nvptx64"))]
pub mod steps;
pub mod triangle;
pub mod unpack;
pub mod update;

pub use args::{StepArgs, Workspace};

/// Columns of a block of the workspace.
pub const COLUMNS: u32 = 32;
