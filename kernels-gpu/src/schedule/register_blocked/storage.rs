//! What the warps of a block exchange in shared memory, and the launch shape.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::warp;

use crate::memory::transpose_buffer::TransposeBuffer;
use crate::shape::{Problem, Shape};
use numbers::scalar::Scalar;

/// The pivot step of a row that may still become a pivot row.
pub const CANDIDATE: u32 = u32::MAX;

/// The shared memory of a block. What is live for two or three panels at once has as many buffers.
#[derive(Clone, Copy)]
pub struct SharedStorage<T, const LANE_ROWS: usize, const NB: usize, const PANELS: usize> {
    multipliers: Shared<T>, // of panel p in buffer `p % MULTIPLIER_BUFFERS`: shape (MULTIPLIER_BUFFERS, NB, ROWS)
    saved_panel: Shared<T>, // the current panel before its factorization: shape (NB, ROWS)
    diagonal_block: Shared<T>, // of panel p in buffer `p % 2`: shape (2, NB, BLOCK_ROW)
    pivot_rows: Shared<T>,  // in each warp's panels: shape (warps, NB, PIVOT_ROW)
    pivots: Shared<T>,      // shape (panels NB)
    pivot_steps: Shared<u32>, // of each row, after panel p in buffer `p % 2`: shape (2, ROWS)
    pivot_order: Shared<u32>, // the pivot row of each step: shape (panels NB)
    flags: Shared<u32>,     // shape (32)
}

impl<T: Scalar, const LANE_ROWS: usize, const NB: usize, const PANELS: usize> SharedStorage<T, LANE_ROWS, NB, PANELS> {
    /// Rows of the largest matrix.
    const ROWS: u32 = 32 * LANE_ROWS as u32;
    /// Leading dimension of the pivot rows, padded by 16 bytes so that they begin in different banks.
    pub const PIVOT_ROW: u32 = (PANELS * NB) as u32 + 16 / size_of::<T>() as u32;
    /// Leading dimension of a diagonal block: the row, the reciprocal of its pivot, and padding.
    pub const BLOCK_ROW: u32 = NB as u32 + 4;
    /// Panel p + 1 is published while p is applied; and a warp with several panels may still apply p - 1.
    const MULTIPLIER_BUFFERS: u32 = if PANELS > 1 { 3 } else { 2 };

    /// The arrays of `warps` warps and a matrix of `panels` panels.
    #[inline(always)]
    fn new(layout: &mut Layout, warps: u32, panels: u32) -> Self {
        let multipliers = layout.array(Self::MULTIPLIER_BUFFERS * NB as u32 * Self::ROWS);
        let saved_panel = layout.array(NB as u32 * Self::ROWS);
        let diagonal_block = layout.array(2 * NB as u32 * Self::BLOCK_ROW);
        let pivot_rows = layout.array(warps * NB as u32 * Self::PIVOT_ROW);
        let pivots = layout.array(panels * NB as u32);
        // One register has the address of all three: what is before them has no constant length.
        let [pivot_steps, flags, pivot_order] = layout.arrays([2 * Self::ROWS, 32, panels * NB as u32]);
        Self { multipliers, saved_panel, diagonal_block, pivot_rows, pivots, pivot_steps, pivot_order, flags }
    }

    /// No row has been a pivot row yet. By the first warp.
    #[inline(always)]
    pub fn initialize(&self) {
        for r in 0..LANE_ROWS {
            let row = warp::lane() + 32 * r as u32;
            self.pivot_steps(1).store(row, CANDIDATE);
        }
        warp::sync(warp::ALL);
    }

    /// The panel that is being factored, as it was before; shape (NB, ROWS).
    #[inline(always)]
    pub fn saved_panel(&self) -> Shared<T> {
        self.saved_panel
    }

    /// The pivot rows of panel `p`, each followed by the reciprocal of its pivot; shape (NB, BLOCK_ROW).
    #[inline(always)]
    pub fn diagonal_block(&self, p: u32) -> Shared<T> {
        self.diagonal_block.offset(p % 2 * NB as u32 * Self::BLOCK_ROW)
    }

    /// The multipliers of panel `p`, 0 for rows that it does not change; shape (NB, ROWS).
    #[inline(always)]
    pub fn multipliers(&self, p: u32) -> Shared<T> {
        self.multipliers.offset(p % Self::MULTIPLIER_BUFFERS * NB as u32 * Self::ROWS)
    }

    /// The pivot rows of the panel that is being applied, in the panels of this warp; shape (NB, PIVOT_ROW).
    #[inline(always)]
    pub fn pivot_rows(&self) -> Shared<T> {
        self.pivot_rows.offset(warp::index() * NB as u32 * Self::PIVOT_ROW)
    }

    /// The pivots; shape (panels NB).
    #[inline(always)]
    pub fn pivots(&self) -> Shared<T> {
        self.pivots
    }

    /// The pivot step of each row, or [`CANDIDATE`], after panel `p`; shape (ROWS).
    #[inline(always)]
    pub fn pivot_steps(&self, p: u32) -> Shared<u32> {
        self.pivot_steps.offset(p % 2 * Self::ROWS)
    }

    /// The pivot row of each step; shape (panels NB).
    #[inline(always)]
    pub fn pivot_order(&self) -> Shared<u32> {
        self.pivot_order
    }

    /// For votes; shape (32).
    #[inline(always)]
    pub fn flags(&self) -> Shared<u32> {
        self.flags
    }

    /// The index of the first zero pivot counted from 1, or 0. By a warp.
    #[inline(always)]
    pub fn first_zero_pivot(&self, n: u32) -> i32 {
        let mut k = warp::lane();
        let mut first = 0;
        while first < n {
            let zeros = warp::ballot(warp::ALL, k < n && self.pivots.load(if k < n { k } else { 0 }) == T::ZERO);
            if zeros != 0 {
                return (first + zeros.trailing_zeros() + 1) as i32;
            }
            k += warp::SIZE;
            first += warp::SIZE;
        }
        0
    }
}

/// The storage, and in the same place the warps' buffers for loading and storing panels.
#[inline(always)]
#[allow(clippy::type_complexity)]
pub fn shared_storage<T: Scalar, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(
    layout: &mut Layout,
    warps: u32,
    panels: u32,
) -> (SharedStorage<T, LANE_ROWS, NB, PANELS>, Shared<T>) {
    layout.either(
        |layout| SharedStorage::new(layout, warps, panels),
        |layout| TransposeBuffer::<T, LANE_ROWS, NB>::array(layout, warps),
    )
}

/// The number of panels of a matrix of order `n`.
#[inline(always)]
pub const fn panels<const NB: usize>(n: u32) -> u32 {
    n.div_ceil(NB as u32)
}

/// The launch shape for blocks of `warps` warps, of which `max_warps` are allowed.
pub fn shape<T: Scalar, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(
    problem: &Problem,
    warps: u32,
    max_warps: u32,
) -> Shape {
    if problem.n > 32 * LANE_ROWS as u32 || warps > max_warps {
        return Shape { blocks: problem.batch, cluster: 1, threads: 32 * max_warps, shared_bytes: u32::MAX };
    }
    let panels = panels::<NB>(problem.n);
    let shared_bytes = Layout::bytes(|layout| shared_storage::<T, LANE_ROWS, NB, PANELS>(layout, warps, panels));
    Shape { blocks: problem.batch, cluster: 1, threads: 32 * warps, shared_bytes }
}
