//! What the warps of a block tell each other, in shared memory.

use simt::shared::{self, Shared, Vector};
use simt::{block, warp};

use crate::ahead::{NB, OPEN, updater, updaters};
use crate::product::Product;
use crate::scalar::Scalar;
use crate::shape::round_up;

/// The board of matrices of up to `16 * B` rows, with `Q` panels to an updating warp. Panels are there part by part.
#[derive(Clone, Copy)]
pub struct Board<T: Product, const B: usize, const Q: usize> {
    /// The step of each row, at `p % 2` if it is a pivot row of panel p: shape (2, 8, STEPS), row 8 i + j at (j, i).
    steps: Shared<u32>,
    /// The pivot row of each step: shape (16 B).
    pub pivot_rows: Shared<u32>,
    /// Votes: shape (32).
    pub flags: Shared<u32>,
    /// The first zero pivot, counted from 1, or 0: shape (1).
    pub zero: Shared<u32>,
    /// What the pivot row of each step is divided by in the end: it is multiplied with a power of two, and with minus a reciprocal:
    /// shape (16 B).
    pub scales: Shared<T::Real>,
    /// That minus a reciprocal: shape (16 B).
    pub reciprocals: Shared<T>,
    /// The pivot row of step k in its panel, at `k % 2`: shape (2, PARTS, NB).
    candidates: Shared<T::Real>,
    /// Panel p as it was factored, at `p % 2`: shape (2, PARTS, NB, COLUMN).
    factored: Shared<T::Real>,
    /// The panel that is handed over to be factored: shape (PARTS, 16 B, ROW).
    handed: Shared<T::Real>,
    /// The pivot rows of a panel in each warp's columns: shape (updaters, PARTS, NB, PIVOT_ROW).
    pivots_here: Shared<T::Real>,
    /// Room to bring columns of this warp to order: shape (STAGED, LEADING_DIMENSION).
    stage: Shared<T>,
}

impl<T: Product, const B: usize, const Q: usize> Board<T, B, Q> {
    /// Rows.
    pub const ROWS: u32 = 16 * B as u32;
    /// Bytes of a part of a number.
    const PART: u32 = size_of::<T::Real>() as u32;
    /// From a column of a panel to the next: 32 bytes more, so that four begin in different banks.
    const COLUMN: u32 = Self::ROWS + 32 / Self::PART;
    /// From a row of a panel to the next: 16 bytes more, so that rows begin in different banks.
    const ROW: u32 = NB as u32 + 16 / Self::PART;
    /// From a pivot row to the next, so that four begin in different banks.
    pub const PIVOT_ROW: u32 = match Self::PART {
        4 => NB as u32 * (Q as u32 | 1),
        _ => NB as u32 * Q as u32 + 4,
    };
    /// Those of one warp.
    const PIVOTS_HERE: u32 = T::PARTS as u32 * NB as u32 * Self::PIVOT_ROW;
    /// Columns of a panel that are brought to order at once.
    pub const STAGED: u32 = if B < 8 { NB as u32 } else { NB as u32 / 2 };
    /// From a column that is brought to order to the next.
    pub const LEADING_DIMENSION: u32 = Self::ROWS + 1;
    /// From the steps of rows 8 i + j to those of rows 8 i + j + 1.
    const STEPS: u32 = round_up(2 * B as u32, 4) + 4;
    /// Words before the numbers.
    const WORDS: u32 = round_up(2 * 8 * Self::STEPS + Self::ROWS + 32 + 1, 4);

    /// Where its parts begin: scales, reciprocals, candidates, panels, pivot rows, and the end.
    const fn parts() -> [u32; 6] {
        let size = size_of::<T>() as u32;
        let scales = 4 * Self::WORDS;
        let reciprocals = scales + Self::PART * Self::ROWS;
        let candidates = reciprocals + size * Self::ROWS;
        let panels = candidates + size * 2 * NB as u32;
        let pivots_here = panels + size * (2 * NB as u32 * Self::COLUMN + Self::ROWS * Self::ROW);
        let end = pivots_here + Self::PART * updaters(B, Q) * Self::PIVOTS_HERE;
        [scales, reciprocals, candidates, panels, pivots_here, end]
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes() -> u32 {
        let [_, _, _, panels, _, end] = Self::parts();
        let columns = updaters(B, Q) * Self::STAGED * Self::LEADING_DIMENSION;
        let storing = panels + columns * size_of::<T>() as u32;
        round_up(if end > storing { end } else { storing }, 16)
    }

    /// The block's board.
    ///
    /// # Safety
    /// As for [`shared::array`].
    #[inline(always)]
    pub unsafe fn new() -> Self {
        let [scales, reciprocals, candidates, panels, pivots_here, _] = Self::parts();
        // SAFETY: the caller's promise.
        unsafe {
            let steps = shared::array::<u32>(0);
            let pivot_rows = steps.offset(2 * 8 * Self::STEPS);
            let flags = pivot_rows.offset(Self::ROWS);
            let factored = shared::array::<T::Real>(panels);
            Self {
                steps,
                pivot_rows,
                flags,
                zero: flags.offset(32),
                scales: shared::array(scales),
                reciprocals: shared::array(reciprocals),
                candidates: shared::array(candidates),
                factored,
                handed: factored.offset(2 * T::PARTS as u32 * NB as u32 * Self::COLUMN),
                pivots_here: shared::array(pivots_here),
                stage: shared::array::<T>(panels).offset(updater(B, Q) * Self::STAGED * Self::LEADING_DIMENSION),
            }
        }
    }

    /// Makes it ready: no row was a pivot row yet. Clears the pivot rows of panels, too, as the last may have fewer. By all threads; a
    /// barrier must follow.
    #[inline(always)]
    pub fn clear(&self) {
        let thread = warp::index() * warp::SIZE + warp::lane();
        let mut e = thread;
        while e < Self::WORDS {
            self.steps.store(e, if e < 2 * 8 * Self::STEPS { OPEN } else { 0 });
            e += block::dim();
        }
        let mut e = thread;
        while e < Self::ROWS {
            self.scales.store(e, T::Real::ONE);
            e += block::dim();
        }
        let mut e = thread;
        while e < updaters(B, Q) * Self::PIVOTS_HERE {
            self.pivots_here.store(e, T::Real::ZERO);
            e += block::dim();
        }
    }

    /// Column `c` of a part of panel `p` as it was factored. Rows i and i + 8 of 16 are neighbours, as they go into registers
    /// together: shape (ROWS).
    #[inline(always)]
    pub fn factored(&self, p: u32, part: usize, c: u32) -> Shared<T::Real> {
        self.factored.offset(((p % 2 * T::PARTS as u32 + part as u32) * NB as u32 + c) * Self::COLUMN)
    }

    /// Where row `row` is in a column of a panel as it was factored.
    #[inline(always)]
    pub fn place(row: u32) -> u32 {
        (row & !15) | (row & 7) << 1 | (row >> 3 & 1)
    }

    /// A part of row `row` of the panel that is handed over: shape (NB). Rows whose numbers differ by 1 begin half of the banks apart,
    /// as lanes read two elements each of two such rows together.
    #[inline(always)]
    pub fn handed(&self, part: usize, row: u32) -> Shared<T::Real> {
        let place = (row & !7) | (row & 1) << 2 | (row & 6) >> 1;
        self.handed.offset((part as u32 * Self::ROWS + place) * Self::ROW)
    }

    /// Notes the step of row `row`.
    #[inline(always)]
    pub fn set_step(&self, row: u32, step: u32) {
        self.steps.store((step / NB as u32 % 2 * 8 + row % 8) * Self::STEPS + row / 8, step);
    }

    /// The steps of rows `8 i + j` for all i, if these are pivot rows of panel `p`, or of one an even number before; or `OPEN`.
    #[inline(always)]
    pub fn steps(&self, p: u32, j: u32) -> [[u32; 2]; B] {
        let from = self.steps.offset((p % 2 * 8 + j) * Self::STEPS).vectors::<4>();
        let mut steps = [[0; 2]; B];
        for v in 0..B.div_ceil(2) {
            let Vector(four) = from.load(v as u32);
            for i in 0..4 {
                if 2 * v + i / 2 < B {
                    steps[2 * v + i / 2][i % 2] = four[i];
                }
            }
        }
        steps
    }

    /// A part of the pivot row of step `k` in its panel: shape (NB).
    #[inline(always)]
    pub fn candidate(&self, k: u32, part: usize) -> Shared<T::Real> {
        self.candidates.offset((k % 2 * T::PARTS as u32 + part as u32) * NB as u32)
    }

    /// A part of the pivot rows of a panel in this warp's columns: shape (NB, PIVOT_ROW).
    #[inline(always)]
    pub fn pivots_here(&self, part: usize) -> Shared<T::Real> {
        self.pivots_here.offset(updater(B, Q) * Self::PIVOTS_HERE + part as u32 * NB as u32 * Self::PIVOT_ROW)
    }

    /// Room to bring columns of this warp to order: shape (STAGED, LEADING_DIMENSION).
    #[inline(always)]
    pub fn stage(&self) -> Shared<T> {
        self.stage
    }
}
