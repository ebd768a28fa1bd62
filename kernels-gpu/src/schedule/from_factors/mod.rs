//! Inverse and solution from LU factors, n <= 512: rows of right-hand sides times the inverses of two triangles.
//!
//! X = B M1^-1 M2^-1 (two `xTRSM` from the right), where M1 is the upper and M2 the lower triangle of a matrix M. For
//! the inverse M is LU and B is I (`xGETRI`, whose left residual is as small). For solutions B has a right-hand side a
//! row, and M is LU for A^T and A^H, its transpose for A (`xGETRS`).
//!
//! ```text
//!            n                   row panel k of M
//!     +---+---+---+---+      k   . . . [D M M M]     warp w:  16 rows of X, all in registers
//! w=0 | X | k | x   x |          of the ring in shared memory
//! w=1 | X | k | x   x |
//!     +---+---+---+---+
//! ```
//!
//! Rows do not depend on each other: each warp has its own, 16 `TILES` of them, as tiles of the matrix instructions.
//! For the upper triangle, from left to right: panel k of X is solved with the block D on the diagonal, by
//! substitution, and is then the left factor of an update of all panels right of it; for the lower triangle, from right
//! to left. The panels rotate through the registers, so that the one to solve with is always the first, or the last.
//! Of the factors the block has a few row panels in shared memory, each read once for all warps.
//!
//! A warp holds a chunk of `PANELS` panels. Wider matrices are done chunk by chunk: the panels of other chunks, which
//! have been stored, come back as left factors, before the steps inside the chunk.
//!
//! - `PANELS`: panels of 8 columns in registers
//! - `TILES`: tiles of 16 rows of a warp
//! - `WARPS`: warps of a block at most

pub mod getri;
pub mod getrs;
pub mod trtrs {
    //! Solution with a triangle alone.
    pub use super::getrs::{shape, trtrs};
}
mod ring;
mod rows;
mod solve;
mod steps;
mod storage;
mod substitute;

/// Columns of a panel.
const NB: u32 = crate::collective::fragment::COLUMNS as u32;

/// The largest order; beyond, many blocks a matrix do better.
pub const MAX_ORDER: u32 = 512;

/// The panels of a matrix of order `n`.
const fn panels(n: u32) -> u32 {
    n.div_ceil(NB)
}

/// The smaller one.
const fn min(a: u32, b: u32) -> u32 {
    if a < b { a } else { b }
}
