//! Memory for the work on a group, made once and used for many.

use std::cell::Cell;
use std::collections::TryReserveError;

use super::exchange::Exchange;
use super::isa::Isa;
use super::vector::MAX_LANES;
use crate::element::Element;

/// Memory for groups of matrices up to some order, with up to some right-hand sides.
#[derive(Debug, Default)]
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

/// Bytes that a thread keeps from one call to the next: what small matrices take, for which to allocate takes as long as
/// to work on them.
const KEPT_BYTES: usize = 32 << 10;

thread_local! {
    static KEPT: Cell<Workspace> = Cell::default();
}

impl Workspace {
    /// Works in what this thread has kept, or in memory as [`Self::new`] makes.
    ///
    /// # Errors
    /// There is too little memory.
    pub(crate) fn with_kept<E: Element>(
        (isa, n, rhs, count): (Isa, usize, usize, usize),
        work: impl FnOnce(&mut Self),
    ) -> Result<(), TryReserveError> {
        let mut workspace = KEPT.take();
        workspace.grow::<E>(isa, n, rhs, count)?;
        work(&mut workspace);
        if size_of_val(&*workspace.block) + size_of_val(&*workspace.copies) <= KEPT_BYTES {
            KEPT.set(workspace);
        }
        Ok(())
    }
}

/// What is aligned as vectors like it.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct CacheLine(pub(super) [u8; 64]);
