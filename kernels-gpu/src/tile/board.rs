//! What the warps of a block tell each other, in shared memory.

use simt::shared::{self, Shared};
use simt::warp;

use crate::scalar::Scalar;
use crate::shape::round_up;

/// The step of a row that is not a pivot row yet.
pub const OPEN: u32 = u32::MAX;

/// The board of matrices of up to `32 * R` rows, in panels of `NB` columns, with `Q` of them to a warp.
#[derive(Clone, Copy)]
pub struct Board<T, const R: usize, const NB: usize, const Q: usize> {
    /// Panel p's multipliers are at `p % PANELS`: shape (PANELS, NB, 32 R).
    multipliers: Shared<T>,
    /// The pivot rows of a panel, in each warp's panels: shape (warps, NB, ROW).
    rows: Shared<T>,
    /// The panel that is being factored, as it was: shape (NB, 32 R).
    saved: Shared<T>,
    /// Panel p's pivot rows within the panel, each with the reciprocal of its pivot, at `p % 2`: shape (2, NB, BLOCK_ROW).
    block: Shared<T>,
    /// The pivots: shape (panels NB).
    pivots: Shared<T>,
    /// The step at which each row became a pivot row, after panel p at `p % 2`: shape (2, 32 R).
    steps: Shared<u32>,
    /// The pivot row of each step: shape (panels NB).
    pivot_rows: Shared<u32>,
    /// Votes: shape (32).
    flags: Shared<u32>,
}

impl<T: Scalar, const R: usize, const NB: usize, const Q: usize> Board<T, R, NB, Q> {
    /// Rows.
    const ROWS: u32 = 32 * R as u32;
    /// From a pivot row to the next: the columns of a warp's panels, and 16 bytes so that they begin in different banks.
    pub const ROW: u32 = (Q * NB) as u32 + 16 / size_of::<T>() as u32;

    /// From a row of a diagonal block to the next: the row, the reciprocal of its pivot, and room up to 16 bytes.
    pub const BLOCK_ROW: u32 = NB as u32 + 4;

    /// Panels whose multipliers are there: panel p + 1 is published while p is applied, and p - 1, too, by an owner that has
    /// more than one panel.
    const PANELS: u32 = if Q > 1 { 3 } else { 2 };

    const fn saved_at() -> u32 {
        Self::PANELS * NB as u32 * Self::ROWS * size_of::<T>() as u32
    }
    const fn block_at() -> u32 {
        Self::saved_at() + NB as u32 * Self::ROWS * size_of::<T>() as u32
    }
    const fn rows_at() -> u32 {
        Self::block_at() + 2 * NB as u32 * Self::BLOCK_ROW * size_of::<T>() as u32
    }
    const fn pivots_at(warps: u32) -> u32 {
        Self::rows_at() + warps * NB as u32 * Self::ROW * size_of::<T>() as u32
    }
    const fn steps_at(warps: u32, panels: u32) -> u32 {
        Self::pivots_at(warps) + panels * (NB * size_of::<T>()) as u32
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(warps: u32, panels: u32) -> u32 {
        round_up(Self::steps_at(warps, panels) + 4 * (2 * Self::ROWS + panels * NB as u32 + 32), 16)
    }

    /// The board that begins at the start of shared memory.
    ///
    /// # Safety
    /// As for [`shared::array`].
    #[inline(always)]
    pub unsafe fn new(warps: u32, panels: u32) -> Self {
        let steps = Self::steps_at(warps, panels);
        let pivot_rows = steps + 8 * Self::ROWS;
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                multipliers: shared::array(0),
                saved: shared::array(Self::saved_at()),
                block: shared::array(Self::block_at()),
                rows: shared::array(Self::rows_at()),
                pivots: shared::array(Self::pivots_at(warps)),
                steps: shared::array(steps),
                pivot_rows: shared::array(pivot_rows),
                flags: shared::array(pivot_rows + 4 * panels * NB as u32),
            }
        }
    }

    /// No row was a pivot row yet. By the first warp.
    #[inline(always)]
    pub fn clear(&self) {
        for r in 0..R {
            let row = warp::lane() + 32 * r as u32;
            self.steps(1).store(row, OPEN);
        }
        warp::sync(warp::ALL);
    }

    /// Room for the panel that is being factored, as it was: shape (NB, 32 R).
    #[inline(always)]
    pub fn saved(&self) -> Shared<T> {
        self.saved
    }

    /// The pivot rows of panel `p` within the panel: shape (NB, BLOCK_ROW).
    #[inline(always)]
    pub fn block(&self, p: u32) -> Shared<T> {
        self.block.offset(p % 2 * NB as u32 * Self::BLOCK_ROW)
    }

    /// Multipliers of panel `p`: shape (NB, 32 R).
    #[inline(always)]
    pub fn multipliers(&self, p: u32) -> Shared<T> {
        self.multipliers.offset(p % Self::PANELS * NB as u32 * Self::ROWS)
    }

    /// The pivot rows in the panels of warp `warp`: shape (NB, ROW).
    #[inline(always)]
    pub fn rows(&self, warp: u32) -> Shared<T> {
        self.rows.offset(warp * NB as u32 * Self::ROW)
    }

    /// The pivots: shape (panels NB).
    #[inline(always)]
    pub fn pivots(&self) -> Shared<T> {
        self.pivots
    }

    /// The step at which each row became a pivot row, after panel `p`: shape (32 R).
    #[inline(always)]
    pub fn steps(&self, p: u32) -> Shared<u32> {
        self.steps.offset(p % 2 * Self::ROWS)
    }

    /// The pivot row of each step: shape (panels NB).
    #[inline(always)]
    pub fn pivot_rows(&self) -> Shared<u32> {
        self.pivot_rows
    }

    /// Room for a vote.
    #[inline(always)]
    pub fn flags(&self) -> Shared<u32> {
        self.flags
    }
}
