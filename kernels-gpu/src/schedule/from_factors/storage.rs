//! What the warps of a block share.

use simt::layout::Layout;
use simt::shared::Shared;

use crate::collective::divisors::Divisors;
use crate::schedule::from_factors::{NB, panels};
use numbers::scalar::Scalar;

/// Row panels in the ring: one is in use, copies to the others are under way.
pub(super) const fn stages<T>() -> u32 {
    if size_of::<T>() > 8 { 2 } else { 3 }
}

/// The arrays of a block, for chunks of `PANELS` panels.
#[derive(Clone, Copy)]
pub(super) struct SharedStorage<T: Scalar, const PANELS: usize> {
    /// Row panels of M, by block of 8 x 8 and column: shape (stages, PANELS, NB, NB).
    pub(super) ring: Shared<T>,
    /// Those of U.
    pub(super) divisors: Divisors<T>, // shape (panels, NB)
    /// Row i of PA is row `permutation[i]` of A: shape (n).
    pub(super) permutation: Shared<u32>,
    /// For votes of the block: shape (32).
    pub(super) flags: Shared<u32>,
}

impl<T: Scalar, const PANELS: usize> SharedStorage<T, PANELS> {
    /// Numbers of a stage.
    pub(super) const STAGE: u32 = PANELS as u32 * NB * NB;

    /// For a matrix of order `n`.
    #[inline(always)]
    pub(super) fn layout(layout: &mut Layout, n: u32) -> Self {
        let ring = Self::ring(layout);
        Self::with_ring(ring, layout, n)
    }

    /// The ring.
    #[inline(always)]
    pub(super) fn ring(layout: &mut Layout) -> Shared<T> {
        layout.array(stages::<T>() * Self::STAGE)
    }

    /// The other arrays, beside a ring.
    #[inline(always)]
    pub(super) fn with_ring(ring: Shared<T>, layout: &mut Layout, n: u32) -> Self {
        Self {
            ring,
            divisors: Divisors::array(layout, panels(n) * NB),
            permutation: layout.packed(n),
            flags: layout.packed(32),
        }
    }
}
