//! Memory for the work on a group, made once and used for many.

use super::exchange::Exchange;
use super::vector::MAX_LANES;

/// Memory for groups of matrices up to some order, with up to some right-hand sides.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The interleaved matrices: shape (columns, leading dimension, parts, lanes).
    pub(super) block: Vec<CacheLine>,
    /// Copies in the type of the arithmetic, of matrices and then of right-hand sides: shape (lanes, columns, rows)
    /// each.
    pub(super) copies: Vec<CacheLine>,
    /// Shape (rows).
    pub(super) exchanges: Vec<Exchange>,
    /// A permutation of columns: shape (columns, lanes).
    pub(super) order: Vec<[u32; MAX_LANES]>,
}

/// What is aligned as vectors like it.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct CacheLine(pub(super) [u8; 64]);
