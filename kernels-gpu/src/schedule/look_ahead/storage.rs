//! What the warps of a block share.

use simt::layout::Layout;
use simt::shared::{Shared, Vector};
use simt::{block, thread};

use crate::collective::mma::Mma;
use crate::schedule::look_ahead::{CANDIDATE, NB, TILE_ROWS, updater, updaters};
use crate::shape::round_up;
use numbers::scalar::Scalar;

/// The arrays of a block. Panels are stored part by part: real parts, then imaginary parts, if any.
#[derive(Clone, Copy)]
pub struct SharedStorage<T: Mma, const TILES: usize, const PANELS: usize> {
    /// The step at which row 8 i + j became a pivot row, at (p % 2, j, i) if in panel p: shape (2, 8, STEPS).
    pivot_steps: Shared<u32>,
    /// The pivot row of each step: shape (ROWS).
    pub pivot_rows: Shared<u32>,
    /// For votes of the block: shape (32).
    pub flags: Shared<u32>,
    /// The first step with a zero pivot, counted from 1, or 0: shape (1).
    pub zero_pivot: Shared<u32>,
    /// The power of two that scales the pivot row of each step before the division: shape (ROWS).
    pub scales: Shared<T::Real>,
    /// -1 over the scaled pivot of each step: shape (ROWS).
    pub negated_reciprocals: Shared<T>,
    /// The pivot row of step k within its panel, at `k % 2`: shape (2, PARTS, NB).
    panel_pivot_rows: Shared<T::Real>,
    /// Panel p once it is factored, at `p % 2`: shape (2, PARTS, NB, COLUMN_STRIDE).
    factored: Shared<T::Real>,
    /// The panel that is factored next: shape (PARTS, ROWS, ROW_STRIDE).
    next_panel: Shared<T::Real>,
    /// The pivot rows of a panel in the columns of each updating warp: shape (updaters, PARTS, NB, PIVOT_STRIDE).
    pivot_blocks: Shared<T::Real>,
    /// Columns to be stored; overlaps the three arrays above: shape (updaters, BUFFER_COLUMNS, BUFFER_STRIDE).
    column_buffers: Shared<T>,
}

impl<T: Mma, const TILES: usize, const PANELS: usize> SharedStorage<T, TILES, PANELS> {
    /// Rows of the matrix, with padding.
    pub const ROWS: u32 = TILE_ROWS * TILES as u32;
    /// Bytes of a part of a number.
    const PART: u32 = size_of::<T::Real>() as u32;
    /// From one column of a factored panel to the next: 32 bytes of padding let four columns begin in different banks.
    const COLUMN_STRIDE: u32 = Self::ROWS + 32 / Self::PART;
    /// From one row of the next panel to the next: 16 bytes of padding let rows begin in different banks.
    const ROW_STRIDE: u32 = NB as u32 + 16 / Self::PART;
    /// From one row of a pivot block to the next, so that four rows begin in different banks.
    pub const PIVOT_STRIDE: u32 = match Self::PART {
        4 => NB as u32 * (PANELS as u32 | 1),
        _ => NB as u32 * PANELS as u32 + 4,
    };
    /// Numbers of a warp's pivot block.
    const PIVOT_BLOCK: u32 = T::PARTS as u32 * NB as u32 * Self::PIVOT_STRIDE;
    /// Columns that a warp's column buffer takes.
    pub const BUFFER_COLUMNS: u32 = if TILES < 8 { NB as u32 } else { NB as u32 / 2 };
    /// From one column of a column buffer to the next.
    pub const BUFFER_STRIDE: u32 = Self::ROWS + 1;
    /// From the steps of rows 8 i + j to those of rows 8 i + j + 1.
    const STEPS: u32 = round_up(2 * TILES as u32, 4) + 4;

    /// The arrays in a block's shared memory.
    #[inline(always)]
    pub fn new(layout: &mut Layout) -> Self {
        let (parts, nb, updaters) = (T::PARTS as u32, NB as u32, updaters(TILES, PANELS));
        let pivot_steps = layout.array(2 * 8 * Self::STEPS);
        let pivot_rows = layout.array(Self::ROWS);
        let flags = layout.array(32);
        let zero_pivot = layout.array(1);
        let scales = layout.array(Self::ROWS);
        let negated_reciprocals = layout.array(Self::ROWS);
        let panel_pivot_rows = layout.array(2 * parts * nb);
        let ((factored, next_panel, pivot_blocks), column_buffers) = layout.either(
            |layout| {
                let factored = layout.array(2 * parts * nb * Self::COLUMN_STRIDE);
                let next_panel = layout.array(parts * Self::ROWS * Self::ROW_STRIDE);
                (factored, next_panel, layout.array(updaters * Self::PIVOT_BLOCK))
            },
            |layout| layout.array(updaters * Self::BUFFER_COLUMNS * Self::BUFFER_STRIDE),
        );
        Self {
            pivot_steps,
            pivot_rows,
            flags,
            zero_pivot,
            scales,
            negated_reciprocals,
            panel_pivot_rows,
            factored,
            next_panel,
            pivot_blocks,
            column_buffers,
        }
    }

    /// Makes all rows candidates, and zeroes what a narrow last panel leaves out. By all threads; a barrier must
    /// follow.
    #[inline(always)]
    pub fn initialize(&self) {
        fill(self.pivot_steps, 2 * 8 * Self::STEPS, CANDIDATE);
        fill(self.pivot_rows, Self::ROWS, 0);
        fill(self.zero_pivot, 1, 0);
        fill(self.scales, Self::ROWS, T::Real::ONE);
        fill(self.pivot_blocks, updaters(TILES, PANELS) * Self::PIVOT_BLOCK, T::Real::ZERO);
    }

    /// A part of column `c` of factored panel `p`, with row i at [`paired`]`(i)`: shape (ROWS).
    #[inline(always)]
    pub fn factored(&self, p: u32, part: usize, c: u32) -> Shared<T::Real> {
        self.factored.offset(((p % 2 * T::PARTS as u32 + part as u32) * NB as u32 + c) * Self::COLUMN_STRIDE)
    }

    /// A part of row `row` of the next panel: shape (NB). Neighbouring rows, read together, begin half the banks apart.
    #[inline(always)]
    pub fn next_panel(&self, part: usize, row: u32) -> Shared<T::Real> {
        let at = (row & !7) | (row & 1) << 2 | (row & 6) >> 1;
        self.next_panel.offset((part as u32 * Self::ROWS + at) * Self::ROW_STRIDE)
    }

    /// Records that row `row` is the pivot row of a step.
    #[inline(always)]
    pub fn set_pivot_step(&self, row: u32, step: u32) {
        self.pivot_steps.store((step / NB as u32 % 2 * 8 + row % 8) * Self::STEPS + row / 8, step);
    }

    /// The pivot steps of rows `8 i + j`, as `[i / 2][i % 2]`: those in panels `p`, `p - 2`, ..; `CANDIDATE` for
    /// others.
    #[inline(always)]
    pub fn pivot_steps(&self, p: u32, j: u32) -> [[u32; 2]; TILES] {
        let from = self.pivot_steps.offset((p % 2 * 8 + j) * Self::STEPS).vectors::<4>();
        let mut steps = [[0; 2]; TILES];
        for v in 0..TILES.div_ceil(2) {
            let Vector(four) = from.load(v as u32);
            for i in 0..4 {
                if 2 * v + i / 2 < TILES {
                    steps[2 * v + i / 2][i % 2] = four[i];
                }
            }
        }
        steps
    }

    /// A part of the pivot row of step `k` within its panel: shape (NB).
    #[inline(always)]
    pub fn panel_pivot_row(&self, k: u32, part: usize) -> Shared<T::Real> {
        self.panel_pivot_rows.offset((k % 2 * T::PARTS as u32 + part as u32) * NB as u32)
    }

    /// A part of the pivot rows of a panel in this warp's columns: shape (NB, PIVOT_STRIDE).
    #[inline(always)]
    pub fn pivot_block(&self, part: usize) -> Shared<T::Real> {
        let own = updater(TILES, PANELS) * Self::PIVOT_BLOCK;
        self.pivot_blocks.offset(own + part as u32 * NB as u32 * Self::PIVOT_STRIDE)
    }

    /// This warp's columns to be stored: shape (BUFFER_COLUMNS, BUFFER_STRIDE).
    #[inline(always)]
    pub fn column_buffer(&self) -> Shared<T> {
        self.column_buffers.offset(updater(TILES, PANELS) * Self::BUFFER_COLUMNS * Self::BUFFER_STRIDE)
    }
}

/// The place of row `row` in a column of a factored panel: rows i and i + 8 of a tile are loaded together.
#[inline(always)]
pub fn paired(row: u32) -> u32 {
    (row & !15) | (row & 7) << 1 | (row >> 3 & 1)
}

/// Fills an array by all threads.
#[inline(always)]
fn fill<T: simt::Pod>(array: Shared<T>, len: u32, value: T) {
    let mut i = thread::index();
    while i < len {
        array.store(i, value);
        i += block::dim();
    }
}
