//! Inversion of a Hermitian matrix by bordering, a block of columns at a time, with matrix instructions: from the
//! inverse X of the leading k x k block A11 to that of the leading block which has the columns B and the corner C
//! besides.
//!
//! With W = X B, the Schur complement S = C - B^H W and V = -W S^-1, X becomes `[X - V W^H, V; V^H, S^-1]`. That is
//! [`bordering`](super::bordering) with blocks for numbers; S is inverted with partial pivoting. Each line is a launch:
//!
//! ```text
//! pack       A -> workspace             its upper triangle, in blocks of 32 columns
//! product    slices of W = X B          2 k^2 b flops; a slice is a part of the sum, so that there are enough blocks
//! schur      W, and parts of B^H W      the slices are added up; a block of threads has 64 rows of W
//! sum        S = C - B^H W              the parts are added up
//! (inverse)  S^-1                       by a kernel of the library's own, one block of threads
//! scale      V = -W S^-1                where B was, and S^-1 where C was
//! update     X - V W^H                  k^2 b flops
//! unpack     workspace -> A^-1          and its lower triangle, from the upper one
//! ```
//!
//! Of X only tiles of 128 x 128 on and above the diagonal are kept, as of all that is Hermitian: `product` takes each of
//! the others twice, as it is and transposed. So n^3 flops are all there is to do, but for the blocks themselves.

pub mod args;
pub mod copy;
pub mod product;
pub mod scale;
pub mod schur;
pub mod tile;
pub mod update;

pub use args::{BlockArgs, Division, Kernel};

/// Rows, and columns, of the tiles of which X is kept.
pub const SQUARE: u32 = 128;
