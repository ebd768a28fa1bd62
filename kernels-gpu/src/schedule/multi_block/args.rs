//! The arguments of all steps, and the workspace that they share.

use simt::Pod;
use simt::block;
use simt::global::Global;

use crate::memory::matrix::Matrices;
use crate::schedule::multi_block::COLUMNS;
use crate::shape::{quotient, round_up};

/// Arguments of the steps of LU by many blocks a matrix.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct StepArgs<T: Pod> {
    /// The matrices, n x n.
    pub a: Matrices<T>,
    /// Their factors, n x n: U, and L below the diagonal. May be `a`.
    pub lu: Matrices<T>,
    /// Sequential row interchanges, zero-based: shape (batch, n).
    pub pivots: Global<u32>,
    /// As in [`GetrfArgs`](crate::operation::GetrfArgs): shape (batch).
    pub status: Global<i32>,
    /// The matrices in blocks of columns, aligned to 16 bytes: shape (batch, [`work_numbers`]).
    pub work: Global<T>,
    /// Two lists of the rows at each position, and the list of pivot rows: shape (batch, 3, n).
    pub rows: Global<u32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// First column of the panel.
    pub column: u32,
    /// First column to update.
    pub begin: u32,
    /// One past the last column to update.
    pub columns_end: u32,
}

/// Numbers of the workspace of a matrix of order `n`: its columns, rounded up to whole blocks.
#[must_use]
pub const fn work_numbers(n: u32) -> u64 {
    n as u64 * round_up(n, COLUMNS) as u64
}

/// The workspace of one matrix.
#[derive(Clone, Copy, Debug)]
pub struct Workspace<T> {
    /// Shape (column blocks, n, COLUMNS).
    elements: Global<T>,
    /// Shape (3, n).
    rows: Global<u32>,
    n: u32,
}

impl<T: Pod> Workspace<T> {
    /// Where element (row, column) is; the others of the row in the same block of columns follow.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, row: u32, column: u32) -> Global<T> {
        let segment = column / COLUMNS * self.n + row;
        self.elements.offset(segment as i64 * COLUMNS as i64 + (column % COLUMNS) as i64)
    }

    /// The row at each position after `panels` panels; those of pivot rows are left out: shape (n).
    #[inline(always)]
    #[must_use]
    pub fn candidates(&self, panels: u32) -> Global<u32> {
        self.rows.offset((panels % 2 * self.n) as i64)
    }

    /// The pivot row of each column: shape (n).
    #[inline(always)]
    #[must_use]
    pub fn pivot_rows(&self) -> Global<u32> {
        self.rows.offset(2 * self.n as i64)
    }
}

impl<T: Pod> StepArgs<T> {
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
            elements: self.work.offset((b * work_numbers(n)) as i64),
            rows: self.rows.offset((b * 3 * n as u64) as i64),
            n,
        }
    }
}
