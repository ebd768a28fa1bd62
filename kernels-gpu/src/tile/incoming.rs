//! Panels that were put away, on their way back to be applied.

use simt::{block, warp};

use crate::matrix::{GlobalMatrix, View};
use crate::scalar::Scalar;
use crate::tile::board::Board;

/// Columns that a warp has on their way, at most.
const AHEAD: usize = 2;

/// A warp's share of a panel of a matrix: its columns where columns are dense, else as many pieces of rows.
pub struct Incoming<'a, T: Scalar, const R: usize, const NB: usize> {
    matrix: &'a GlobalMatrix<T>,
    /// Of the first ones: shape (AHEAD, R).
    ahead: [[T; R]; AHEAD],
}

impl<'a, T: Scalar, const R: usize, const NB: usize> Incoming<'a, T, R, NB> {
    /// Nothing yet.
    #[inline(always)]
    pub fn new(matrix: &'a GlobalMatrix<T>) -> Self {
        Self { matrix, ahead: [[T::ZERO; R]; AHEAD] }
    }

    /// Sends for panel `p`. Elements that are not `wanted`, by row and column, are 0.
    #[inline(always)]
    pub fn request(&mut self, p: u32, wanted: impl Fn(u32, u32) -> bool) {
        for t in 0..AHEAD {
            let c = warp::index() + t as u32 * (block::dim() / warp::SIZE);
            if c < NB as u32 {
                self.ahead[t] = self.fetch(p, c, &wanted);
            }
        }
    }

    /// Publishes panel `p`, for which was sent, as multipliers.
    #[inline(always)]
    pub fn publish<const Q: usize>(&self, board: &Board<T, R, NB, Q>, p: u32, wanted: impl Fn(u32, u32) -> bool) {
        let warps = block::dim() / warp::SIZE;
        let mut c = warp::index();
        for t in 0..AHEAD {
            if c < NB as u32 {
                self.store(board, p, c, &self.ahead[t]);
            }
            c += warps;
        }
        while c < NB as u32 {
            self.store(board, p, c, &self.fetch(p, c, &wanted));
            c += warps;
        }
    }

    /// Row and column, in a panel, of element `r` of this lane's part of column `c`, or of as many pieces of rows.
    #[inline(always)]
    fn place(&self, c: u32, r: usize) -> (u32, u32) {
        let lane = warp::lane();
        if self.matrix.column_is_dense() {
            return (lane + 32 * r as u32, c);
        }
        let piece = c * R as u32 + r as u32;
        (lane / NB as u32 + piece * (32 / NB) as u32, lane % NB as u32)
    }

    #[inline(always)]
    fn fetch(&self, p: u32, c: u32, wanted: impl Fn(u32, u32) -> bool) -> [T; R] {
        let mut x = [T::ZERO; R];
        for r in 0..R {
            let (row, column) = self.place(c, r);
            if wanted(row, p * NB as u32 + column) {
                x[r] = self.matrix.load(row, p * NB as u32 + column);
            }
        }
        x
    }

    #[inline(always)]
    fn store<const Q: usize>(&self, board: &Board<T, R, NB, Q>, p: u32, c: u32, x: &[T; R]) {
        for r in 0..R {
            let (row, column) = self.place(c, r);
            board.multipliers(p).store(column * 32 * R as u32 + row, x[r]);
        }
    }
}
