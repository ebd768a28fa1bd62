//! LU by many blocks a matrix: for matrices that do not fit on a multiprocessor, and for few large ones.
//!
//! Right-looking, panel by panel, each step a launch:
//!
//! ```text
//! pack      a -> workspace                       columns in blocks of 32, each row's 32 together
//!           for each panel k:
//! panel       a cluster of blocks a matrix       pivots, L and the diagonal block of U of panel k
//! update      a block a tile of 128 x 64         U12 = L11^-1 A12, to the output; A22 -= L21 U12
//! unpack    workspace -> lu                      L, each row where its pivot is
//! ```
//!
//! `update` is launched twice for a panel: for the columns of the next one, which then is factored while the other columns are
//! updated (look-ahead of one panel).
//!
//! Rows never move in the workspace. Instead each panel leaves a list of the rows that are still candidates, in the order in which
//! LAPACK's interchanges (`xLASWP`) would have them, and `update` works on the rows of this list. Two lists alternate, because the
//! next panel writes its list while an update still reads the one before.

pub mod args;
pub mod pack;
pub mod panel;
pub mod pivot_rows;
#[cfg(not(target_arch = "nvptx64"))]
pub mod steps;
pub mod unpack;
pub mod update;

pub use args::{StepArgs, Workspace};

/// Columns of a block of the workspace.
pub const COLUMNS: u32 = 32;
