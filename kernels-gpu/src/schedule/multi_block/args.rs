//! The arguments of all steps, and the workspace that they share.

use simt::Pod;
use simt::block;
use simt::global::Global;
use simt::shared::Vector;

use crate::schedule::multi_block::column::offer::WORDS;
use crate::schedule::multi_block::{COLUMNS, column};
use crate::shape::{quotient, round_up};
use numbers::matrix::Matrices;

/// Lists of rows that a workspace has: two for the panels of a block in turn, two for the blocks in turn,
/// [`PIVOT_ROWS`], and [`POSITIONS`].
pub const LISTS: u32 = 6;
/// The list of the pivot row of each column.
pub const PIVOT_ROWS: u32 = 4;
/// Where LAPACK's interchanges have moved each row of a list while its panel is factored [column by column](mod@column).
pub const POSITIONS: u32 = 5;

/// Rows are packed, or unpacked, by the list of pivot rows: row i of the matrix is the pivot row of column i.
pub const ROWS_BY_PIVOT: u32 = 1;
/// Column j is unpacked to where the pivot row of column j was.
pub const COLUMNS_BY_PIVOT: u32 = 2;
/// Numbers are packed as their conjugates.
pub const CONJUGATED: u32 = 4;
/// The unit matrix is packed.
pub const UNIT_MATRIX: u32 = 8;
/// Matrices whose status is not 0 are unpacked as NaN.
pub const NAN_WHERE_FAILED: u32 = 16;
/// The triangle is the upper one.
pub const UPPER: u32 = 32;
/// Its diagonal is all ones, whatever the workspace has there.
pub const UNIT_DIAGONAL: u32 = 64;
/// Hermitian matrices are packed, from the conjugates of their upper triangles: numbers above the diagonal, and below it
/// those that a tile of an [update](mod@crate::schedule::multi_block::update) may have.
pub const HERMITIAN: u32 = 128;

/// Each column is the solution for a right-hand side: where it is not finite, it alone is unpacked as NaN.
pub const SIDES: u32 = 256;

/// Arguments of the steps of operations by many blocks a matrix. Which of them a step looks at, it says itself.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct StepArgs<T: Pod> {
    /// What is packed or unpacked, n x (end_column - begin).
    pub matrices: Matrices<T>,
    /// Sequential row interchanges, zero-based: shape (batch, n). Null where factors have none.
    pub pivots: Global<u32>,
    /// As in [`GetrfArgs`](crate::operation::GetrfArgs): shape (batch).
    pub status: Global<i32>,
    /// Of the results, after the last step: shape (batch). May be `status`.
    pub final_status: Global<i32>,
    /// The matrices, and right-hand sides, in blocks of columns, aligned to 16 bytes: shape (batch, n `work_columns`).
    pub work: Global<T>,
    /// Lists of rows, and offers, aligned to 16 bytes: shape (batch, [`row_words`]).
    pub rows: Global<u32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// Columns of the workspace of a matrix, a multiple of [`COLUMNS`].
    pub work_columns: u32,
    /// First column of the panel, of the triangle, or of the multipliers.
    pub column: u32,
    /// Columns of the triangle, or of the multipliers.
    pub width: u32,
    /// First column to work on.
    pub begin: u32,
    /// One past the last.
    pub end_column: u32,
    /// First position in the list to work on.
    pub begin_row: u32,
    /// One past the last.
    pub end_row: u32,
    /// The list that is read.
    pub list: u32,
    /// The list that is written.
    pub next_list: u32,
    /// Of the constants above, those that hold.
    pub flags: u32,
}

/// Columns of the workspace for matrices of order `n`, with `rhs` right-hand sides: each of the two in whole blocks.
#[must_use]
pub const fn work_columns(n: u32, rhs: u32) -> u32 {
    round_up(n, COLUMNS) + round_up(rhs, COLUMNS)
}

/// Words of the workspace of a matrix beside its numbers: lists of rows, and two columns' offers.
#[must_use]
pub const fn row_words<T>(n: u32) -> u32 {
    list_words(n) + 2 * WORDS * column::blocks::<T>(n)
}

/// Those of the lists, rounded up so that offers are aligned to 16 bytes.
const fn list_words(n: u32) -> u32 {
    round_up(LISTS * n, WORDS)
}

/// A matrix in blocks of columns, each row's numbers of a block together.
#[derive(Clone, Copy, Debug)]
pub struct ColumnBlocks<T> {
    /// Shape (column blocks, rows, COLUMNS).
    pub first: Global<T>,
    /// Rows of the matrix.
    pub rows: u32,
}

impl<T: Pod> ColumnBlocks<T> {
    /// Where element (row, column) is; the others of the row in the same block of columns follow.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, row: u32, column: u32) -> Global<T> {
        let segment = column / COLUMNS * self.rows + row;
        self.first.offset(segment as i64 * COLUMNS as i64 + (column % COLUMNS) as i64)
    }
}

/// The workspace of one matrix.
#[derive(Clone, Copy, Debug)]
pub struct Workspace<T> {
    elements: ColumnBlocks<T>,
    /// Shape (LISTS, n), and then the offers: shape (2, blocks, WORDS).
    rows: Global<u32>,
}

impl<T: Pod> Workspace<T> {
    /// As [`ColumnBlocks::at`].
    #[inline(always)]
    #[must_use]
    pub fn at(&self, row: u32, column: u32) -> Global<T> {
        self.elements.at(row, column)
    }

    /// A list of rows, such as that of the candidates after a panel, in the order in which LAPACK's interchanges
    /// (`xLASWP`) would have them, by position; those of pivot rows are left out: shape (n).
    #[inline(always)]
    #[must_use]
    pub fn list(&self, list: u32) -> Global<u32> {
        self.rows.offset((list * self.elements.rows) as i64)
    }

    /// The pivot row of each column: shape (n).
    #[inline(always)]
    #[must_use]
    pub fn pivot_rows(&self) -> Global<u32> {
        self.list(PIVOT_ROWS)
    }

    /// The diagonal of the factor of a [definite](super::definite) matrix, in place of lists that only interchanges need:
    /// shape (n).
    #[inline(always)]
    #[must_use]
    pub(super) fn roots<R: Pod>(&self) -> Global<R> {
        const { assert!(size_of::<R>() <= PIVOT_ROWS as usize * size_of::<u32>(), "the lists before it are long enough") };
        self.rows.cast()
    }

    /// Leaves a row that is at a position after a panel: in the list of pivot rows, if the position is before `end`, or
    /// in that of candidates.
    #[inline(always)]
    pub(super) fn leave(&self, row: u32, position: u32, end: u32, next_list: u32) {
        let list = if position < end { self.pivot_rows() } else { self.list(next_list) };
        list.store(position as i64, row);
    }

    /// What blocks [offer](mod@column::offer) for a column; columns of even and odd number take turns. Shape
    /// (blocks).
    #[inline(always)]
    pub(super) fn offers(&self, column: u32) -> Global<Vector<u32, { WORDS as usize }>> {
        let (n, first) = (self.elements.rows, column % 2 * column::blocks::<T>(self.elements.rows));
        self.rows.offset(list_words(n) as i64).vectors().offset(first as i64)
    }
}

impl<T: Pod> StepArgs<T> {
    /// Whether one of the flags holds.
    #[inline(always)]
    #[must_use]
    pub(super) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Whether the matrix's own numbers are in the triangle, and multipliers at its right.
    #[inline(always)]
    #[must_use]
    pub(super) fn triangle_is_data(&self) -> bool {
        !self.has(UNIT_DIAGONAL)
    }

    /// The matrix that this block works on, where `blocks` of them share one, and this block's number among these.
    #[inline(always)]
    #[must_use]
    pub(super) fn share(&self, blocks: u32) -> (u64, u32) {
        let matrix = quotient(block::index(), blocks);
        (self.first + matrix as u64, block::index() - matrix * blocks)
    }

    /// The workspace of matrix `b`.
    #[inline(always)]
    #[must_use]
    pub(super) fn workspace(&self, b: u64) -> Workspace<T> {
        let n = self.n;
        Workspace {
            elements: ColumnBlocks {
                first: self.work.offset((b * n as u64 * self.work_columns as u64) as i64),
                rows: n,
            },
            rows: self.rows.offset((b * row_words::<T>(n) as u64) as i64),
        }
    }
}
