//! Cholesky factors, A = U^H U, of large matrices: steps of their own where [`multi_block`](super)'s other ones do not do.
//!
//! ```text
//! pack       matrices -> workspace            the upper triangle, and what of the lower one tiles of `update` have
//! diagonal   a block 32 columns               A11 = L11 L11^H, U12 = L11^-1 A12
//! triangle   a block 32 columns               U12, where `diagonal` would factor A11 too often
//! update     a block a tile of 128 x 64       A22 -= U12^H U12, where a tile reaches above the diagonal
//! unpack     workspace -> matrices            L = U^H
//! ```
//!
//! Rows are interchanged nowhere. The factors of blocks on the diagonal are lower triangles, for `triangle`; all others
//! are above the diagonal. `steps` says in which order.

pub mod diagonal;
#[cfg(not(target_arch = "nvptx64"))]
mod steps;
pub mod unpack;
pub mod update;
