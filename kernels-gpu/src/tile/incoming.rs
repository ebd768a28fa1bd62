//! Panels that were put away, on their way back to be applied.

use simt::hint::opaque;
use simt::{block, warp};

use crate::matrix::GlobalMatrix;
use crate::scalar::Scalar;
use crate::tile::board::Board;

/// A warp's share of a panel of a matrix: its columns where columns are dense, else as many pieces of rows.
pub struct Incoming<'a, T: Scalar, const R: usize, const NB: usize, const JORDAN: bool> {
    matrix: &'a GlobalMatrix<T>,
    /// Columns that are on their way: shape (2, R), of which `AHEAD` are in use.
    ahead: [[T; R]; 2],
}

impl<'a, T: Scalar, const R: usize, const NB: usize, const JORDAN: bool> Incoming<'a, T, R, NB, JORDAN> {
    /// As many as four warps have of a panel, and registers allow.
    const AHEAD: usize = if NB > 4 && R <= 8 { 2 } else { 1 };

    /// Nothing yet.
    #[inline(always)]
    pub fn new(matrix: &'a GlobalMatrix<T>) -> Self {
        Self { matrix, ahead: [[T::ZERO; R]; 2] }
    }

    /// Sends for panel `p`. Elements that are not `wanted`, by row and column, are 0.
    #[inline(always)]
    pub fn request(&mut self, p: u32, wanted: impl Fn(u32, u32) -> bool) {
        for t in 0..Self::AHEAD {
            let c = warp::index() + t as u32 * (block::dim() / warp::SIZE);
            if c < NB as u32 {
                self.ahead[t] = self.fetch(p, c, &wanted);
            }
        }
    }

    /// Publishes panel `p`, for which was sent, as multipliers; where `JORDAN`, what it lacks of I.
    #[inline(always)]
    pub fn publish<const Q: usize>(&self, board: &Board<T, R, NB, Q>, p: u32, wanted: impl Fn(u32, u32) -> bool) {
        let warps = block::dim() / warp::SIZE;
        let mut c = warp::index();
        for t in 0..Self::AHEAD {
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

    /// Row and column, in a panel, of this lane's first element of column `c`, or of as many pieces of rows, and from each
    /// element's row to the next.
    #[inline(always)]
    fn place(&self, c: u32) -> (u32, u32, u32) {
        let lane = opaque(warp::lane()); // else the addresses of all elements are kept
        if self.matrix.column_is_dense() {
            return (lane, c, warp::SIZE);
        }
        let pieces = warp::SIZE / NB as u32;
        (lane / NB as u32 + c * R as u32 * pieces, lane % NB as u32, pieces)
    }

    #[inline(always)]
    fn fetch(&self, p: u32, c: u32, wanted: impl Fn(u32, u32) -> bool) -> [T; R] {
        let (mut row, column, rows) = self.place(c);
        let column = p * NB as u32 + column;
        let mut from = self.matrix.at(row, column);
        let step = self.matrix.row_stride() * rows as i64;
        let mut x = [T::ZERO; R];
        for r in 0..R {
            if wanted(row, column) {
                x[r] = from.load(0);
            }
            from = from.offset(step);
            row += rows;
        }
        x
    }

    #[inline(always)]
    fn store<const Q: usize>(&self, board: &Board<T, R, NB, Q>, p: u32, c: u32, x: &[T; R]) {
        let (mut row, column, rows) = self.place(c);
        let mut to = board.multipliers(p).offset(column * 32 * R as u32 + row);
        let pivot_row = if JORDAN { board.pivot_rows().load(p * NB as u32 + column) } else { 0 };
        for r in 0..R {
            let unit = if row == pivot_row { T::ONE } else { T::ZERO };
            to.store(0, if JORDAN { unit - x[r] } else { x[r] });
            to = to.offset(rows);
            row += rows;
        }
    }
}
