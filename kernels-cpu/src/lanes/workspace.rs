//! Memory for the work on a group, made once and used for many.

use std::cell::Cell;
use std::collections::TryReserveError;
use std::mem;
use std::ops::{Deref, DerefMut};

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

/// Bytes that a thread keeps from one call to the next: what matrices up to order 48 or so take, for which to allocate
/// takes a part of the time to work on them.
const KEPT_BYTES: usize = 256 << 10;

thread_local! {
    static KEPT: Cell<Workspace> = Cell::default();
}

/// A workspace that the thread keeps when it is done with it.
pub(crate) struct Kept(Workspace);

impl Kept {
    /// What this thread has kept, or more, for matrices of order n with `rhs` right-hand sides, stored as `E`, and for at
    /// most `count` of them.
    ///
    /// # Errors
    /// There is too little memory.
    pub(crate) fn new<E: Element>(isa: Isa, n: usize, rhs: usize, count: usize) -> Result<Self, TryReserveError> {
        // A thread that ends may have none any more.
        let mut kept = Self(KEPT.try_with(Cell::take).unwrap_or_default());
        kept.grow::<E>(isa, n, rhs, count)?;
        Ok(kept)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if size_of_val(&*self.block) + size_of_val(&*self.copies) <= KEPT_BYTES {
            let _ = KEPT.try_with(|kept| kept.set(mem::take(&mut self.0)));
        }
    }
}

impl Deref for Kept {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        &self.0
    }
}

impl DerefMut for Kept {
    fn deref_mut(&mut self) -> &mut Workspace {
        &mut self.0
    }
}

/// What is aligned as vectors like it.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct CacheLine(pub(super) [u8; 64]);
