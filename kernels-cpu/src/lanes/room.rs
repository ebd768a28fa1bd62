//! What an operation gets of a workspace.

use std::collections::TryReserveError;

use super::block::leading_dimension;
use super::exchange::Exchange;
use super::isa::Isa;
use super::number::MAX_COLUMNS;
use super::vector::MAX_LANES;
use super::workspace::{CacheLine, Workspace};
use crate::element::Element;

/// Right-hand sides that are solved for together.
pub(super) const SIDES: usize = 16;

/// What an operation on matrices of order n gets of a workspace.
pub(super) struct Room<'a> {
    /// Room for n columns, and as many right-hand sides up to [`SIDES`], but at least [`MAX_COLUMNS`].
    pub(super) block: *mut u8,
    /// Shape (n).
    pub(super) exchanges: &'a mut [Exchange],
    /// Shape (n, lanes).
    pub(super) order: &'a mut [[u32; MAX_LANES]],
}

impl Workspace {
    /// Memory for matrices of order n with `rhs` right-hand sides, stored as `E`, and for at most `count` of them.
    ///
    /// # Errors
    /// There is too little memory.
    #[cfg(test)]
    pub(crate) fn new<E: Element>(isa: Isa, n: usize, rhs: usize, count: usize) -> Result<Self, TryReserveError> {
        let mut workspace = Self::default();
        workspace.grow::<E>(isa, n, rhs, count)?;
        Ok(workspace)
    }

    /// Grows to what such matrices take.
    pub(super) fn grow<E: Element>(
        &mut self,
        isa: Isa,
        n: usize,
        rhs: usize,
        count: usize,
    ) -> Result<(), TryReserveError> {
        let (block, copies) = bytes::<E>(isa, n, rhs, count);
        grow(&mut self.block, CacheLine([0; 64]), block.div_ceil(64))?;
        grow(&mut self.copies, CacheLine([0; 64]), copies.div_ceil(64))?;
        grow(&mut self.exchanges, Exchange::NONE, n)?;
        grow(&mut self.order, [0; MAX_LANES], n)
    }

    /// Room for an operation, and for its copies of matrices.
    ///
    /// # Panics
    /// If the workspace was made for less.
    pub(super) fn room<E: Element>(
        &mut self,
        isa: Isa,
        n: usize,
        rhs: usize,
        count: usize,
    ) -> (Room<'_>, *mut E::Scalar) {
        let (block, copies) = bytes::<E>(isa, n, rhs, count);
        let has = |lines: &[CacheLine], bytes: usize| size_of_val(lines) >= bytes;
        assert!(
            has(&self.block, block) && has(&self.copies, copies) && self.exchanges.len() >= n,
            "the workspace was made for smaller matrices"
        );
        let room = Room {
            block: self.block.as_mut_ptr().cast(),
            exchanges: &mut self.exchanges[..n],
            order: &mut self.order[..n],
        };
        (room, self.copies.as_mut_ptr().cast())
    }
}

/// Bytes of the block, and of the copies of a group, which is no larger than there are matrices. What no memory can hold
/// saturates.
fn bytes<E: Element>(isa: Isa, n: usize, rhs: usize, count: usize) -> (usize, usize) {
    let (size, lanes) = (size_of::<E::Scalar>(), isa.lanes::<E::Scalar>());
    let block = n
        .saturating_add(rhs.clamp(MAX_COLUMNS, SIDES))
        .saturating_mul(leading_dimension(n))
        .saturating_mul(size * lanes);
    let copied = if E::STORAGE.is_converted() { size * lanes.min(count) } else { 0 };
    let copies = n.saturating_add(rhs).saturating_mul(n).saturating_mul(copied);
    (block, copies)
}

/// Makes `len` copies of a value, unless there are as many: in memory of its own, which is filled faster than what may
/// hold something.
fn grow<T: Clone>(data: &mut Vec<T>, value: T, len: usize) -> Result<(), TryReserveError> {
    if data.len() < len {
        let mut fresh = Vec::new();
        fresh.try_reserve_exact(len)?;
        fresh.resize(len, value);
        *data = fresh;
    }
    Ok(())
}
