//! LU, solutions and inverses by many blocks a matrix: for matrices that do not fit on a multiprocessor, and for few
//! large ones.
//!
//! A launch is a step, and all steps work in one workspace, the matrix and its right-hand sides side by side:
//!
//! ```text
//! pack       matrices -> workspace            columns in blocks of 32, each row's 32 together
//! slab       a cluster of blocks a matrix     pivots, L and U of as many columns as their shared memory keeps
//! panel      a cluster of blocks a matrix     where there are too many rows for that: pivots, L, and U on the diagonal
//!                                             of up to 32 columns, left-looking within a block of panels
//! column     a block some rows                where there are no clusters, or too many rows for them, too: one column
//!                                             of a panel of 32
//! triangle   a block 32 columns               U12 = L11^-1 A12, or U11^-1 B
//! update     a block a tile of 128 x 64       A22 -= L21 U12
//! unpack     workspace -> matrices            each row where its pivot is
//! ```
//!
//! Positive definite matrices have steps of their own: [`definite`].
//!
//! From compute capability 8.0 on; clusters are there from 9.0 on. [`steps`] says in which order. While blocks of the
//! grid update the matrix by a block of panels, the next block of panels is factored beside them (look-ahead).
//!
//! Rows never move in the workspace. Instead each panel leaves a list of the rows that are still candidates, in the
//! order in which LAPACK's interchanges (`xLASWP`) would have them, and `update` works on the rows of a list. So
//! right-hand sides need no interchanges: the row of a pivot has them at its side.

pub mod args;
pub mod column;
pub mod definite;
pub mod from_factors;
pub mod outcome;
pub mod pack;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
pub mod panel;
pub mod pivot;
pub mod product;
pub mod share;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
pub mod slab;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
pub mod solve_upper;
#[cfg(not(target_arch = "nvptx64"))]
pub mod steps;
pub mod triangle;
pub mod unpack;
pub mod update;

pub use args::{ColumnBlocks, StepArgs, Workspace};

/// Columns of a block of the workspace.
pub const COLUMNS: u32 = 32;
