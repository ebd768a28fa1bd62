//! Panels that were factored, and put away, applied to the ones that the block holds now.

use core::ops::Range;

use simt::{block, sync_threads, warp};

use crate::matrix::{GlobalMatrix, View};
use crate::tile::board::Board;
use crate::tile::eliminate::apply;
use crate::tile::incoming::Incoming;
use crate::tile::tiles::Tiles;
use crate::wide::Wide;

/// Applies `panels` of a matrix of order `n` to the panels that are `held`: panels before them to all, others to those before.
/// Rows are where they were in the beginning.
///
/// Panels of LU are multipliers, step by step. Those of Gauss-Jordan elimination (`JORDAN`) are M, the product of its steps, in the
/// columns of its pivot rows: I - M times the pivot rows, as they are, is taken from all rows.
#[inline(always)]
pub fn replay<T: Wide, const R: usize, const NB: usize, const Q: usize, const JORDAN: bool>(
    tiles: &mut Tiles<T, R, NB, Q>,
    board: &Board<T, R, NB, Q>,
    matrix: &GlobalMatrix<T>,
    n: u32,
    held: Range<u32>,
    panels: Range<u32>,
) {
    let steps = board.steps(held.start + 1); // as the last panel before left them
    // Rows that were pivot rows by then are not multiplied in LU.
    let wanted = |row, k| row < n && if JORDAN { k < n } else { steps.load(row) > k };
    let mut incoming = Incoming::<T, R, NB, JORDAN>::new(matrix);
    if panels.start < panels.end {
        incoming.request(panels.start, wanted);
    }
    let mut p = panels.start;
    while p < panels.end {
        incoming.publish(board, p, wanted);
        if !JORDAN && warp::index() + 1 == block::dim() / warp::SIZE {
            publish_block(board, matrix, p);
        }
        sync_threads();
        if p + 1 < panels.end {
            incoming.request(p + 1, wanted);
        }
        apply(tiles, board, p, 0..Q, JORDAN, |q| q < held.end && (p < held.start || p > q));
        p += 1;
    }
}

/// The diagonal block of panel `p`: its part below the diagonal, and zeros.
#[inline(always)]
fn publish_block<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    board: &Board<T, R, NB, Q>,
    lu: &GlobalMatrix<T>,
    p: u32,
) {
    let first = p * NB as u32;
    let mut e = warp::lane();
    while e < (NB * NB) as u32 {
        let (k, c) = (e / NB as u32, e % NB as u32);
        let l = if c < k { lu.load(board.pivot_rows().load(first + k), first + c) } else { T::ZERO };
        board.block(p).store(k * Board::<T, R, NB, Q>::BLOCK_ROW + c, l);
        e += warp::SIZE;
    }
}
