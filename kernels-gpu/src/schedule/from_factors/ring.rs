//! The row panels of both triangles, in the order of their use, on their way through shared memory.

use simt::hint::opaque;
use simt::shared::Shared;
use simt::{block, pipeline, sync_threads, warp};

use crate::schedule::from_factors::storage::{SharedStorage, stages};
use crate::schedule::from_factors::{NB, min, panels};
use numbers::matrix::GlobalMatrix;
use numbers::scalar::Scalar;

/// The ring, and the step whose row panel it fetches next.
///
/// Steps go over the chunks of columns from left to right, and in each over the row panels from the first to the last
/// of the chunk; then over the chunks from right to left, and in each over the row panels from the last to the chunk's
/// first.
pub(super) struct Ring<T: Scalar, const PANELS: usize, const IS_TRIANGLE: bool> {
    matrix: GlobalMatrix<T>,
    stages: Shared<T>, // shape (stages, PANELS, NB, NB)
    n: u32,
    /// The first row panel that is of use.
    first: u32,
    /// Of the step to fetch for: the first panel of its chunk, and its row panel.
    chunk: u32,
    k: u32,
    is_backward: bool,
    is_done: bool,
    /// The stages to fetch to and to use next.
    to: u32,
    from: u32,
}

impl<T: Scalar, const PANELS: usize, const IS_TRIANGLE: bool> Ring<T, PANELS, IS_TRIANGLE> {
    /// Begins to fetch; row panels before `first` are left out. Of a triangle alone, which may be the lower one, there is
    /// no other. By all warps of a block, which must have left the stages.
    #[inline(always)]
    pub(super) fn new(matrix: GlobalMatrix<T>, stages_at: Shared<T>, first: u32, is_lower: bool, n: u32) -> Self {
        let is_backward = IS_TRIANGLE && is_lower;
        let k = if is_backward { panels(n) - 1 } else { first };
        let chunk = k / PANELS as u32 * PANELS as u32;
        let mut ring =
            Self { matrix, stages: stages_at, n, first, chunk, k, is_backward, is_done: false, to: 0, from: 0 };
        for _ in 0..stages::<T>() - 1 {
            ring.fetch();
        }
        ring
    }

    /// The first row panel that is of use.
    #[inline(always)]
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// A stage for those who need none.
    #[inline(always)]
    pub(super) fn any_stage(&self) -> Shared<T> {
        self.stages
    }

    /// The row panel of the next step, block after block of its chunk: shape (PANELS, NB, NB). One barrier.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> Shared<T> {
        match stages::<T>() {
            2 => pipeline::wait_prior::<0>(),
            _ => pipeline::wait_prior::<1>(),
        }
        sync_threads(); // all copies are there, and all warps have left the stage to fetch to
        self.fetch();
        let stage = self.stages.offset(self.from * SharedStorage::<T, PANELS>::STAGE);
        self.from = Self::after(self.from);
        stage
    }

    /// The stage after another.
    #[inline(always)]
    const fn after(stage: u32) -> u32 {
        if stage + 1 == stages::<T>() { 0 } else { stage + 1 }
    }

    /// Begins to fetch a row panel, if there is one more: its blocks in the chunk, on the triangle's side of the
    /// diagonal.
    #[inline(always)]
    fn fetch(&mut self) {
        if !self.is_done {
            let end = min(self.chunk + PANELS as u32, panels(self.n));
            let (first, end) = match (self.is_backward, self.k < self.chunk) {
                (false, true) => (self.chunk, end),
                (false, false) => (self.k, end),
                (true, _) => (self.chunk, min(self.k + 1, end)),
            };
            let mut p = first + warp::index();
            while p < end {
                self.fetch_block(p);
                p += block::dim() / warp::SIZE;
            }
            self.step(end);
        }
        pipeline::commit();
        self.to = Self::after(self.to);
    }

    /// Begins to fetch block `p` of the row panel, by a warp; zeros beyond the matrix.
    #[inline(always)]
    fn fetch_block(&self, p: u32) {
        let (low, high) = (opaque(warp::lane()) % NB, warp::lane() / NB);
        let is_dense = self.matrix.rows_are_close();
        let (i, j) = if is_dense { (low, high) } else { (high, low) };
        let (row, column) = (self.k * NB + i, p * NB + j);
        let from = self.matrix.at(row, column);
        let to = self.stages.offset(self.to * SharedStorage::<T, PANELS>::STAGE + (p - self.chunk) * NB * NB);
        let (to, step) = (to.offset(j * NB + i), NB / 2);
        if is_dense {
            pipeline::copy(to, 0, from, row < self.n && column < self.n);
            let from = from.offset(step as i64 * self.matrix.col_stride());
            pipeline::copy(to, step * NB, from, row < self.n && column + step < self.n);
        } else {
            pipeline::copy(to, 0, from, row < self.n && column < self.n);
            let from = from.offset(step as i64 * self.matrix.row_stride());
            pipeline::copy(to, step, from, row + step < self.n && column < self.n);
        }
    }

    /// On to the next step, from one that ends before panel `end`.
    #[inline(always)]
    fn step(&mut self, end: u32) {
        let all = panels(self.n);
        match self.is_backward {
            false if self.k + 1 < min(self.chunk + PANELS as u32, all) => self.k += 1,
            false if end < all => {
                self.chunk = end;
                self.k = self.first;
            }
            false if IS_TRIANGLE => self.is_done = true,
            false => {
                self.is_backward = true;
                self.k = all - 1;
            }
            true if self.k > self.chunk => self.k -= 1,
            true if self.chunk > 0 => {
                self.chunk -= PANELS as u32;
                self.k = all - 1;
            }
            true => self.is_done = true,
        }
    }
}
