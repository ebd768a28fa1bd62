//! Panels that were factored, and put away, before the ones that the block holds now.

use core::ops::Range;

use simt::{block, sync_threads, warp};

use crate::matrix::{GlobalMatrix, View};
use crate::tile::board::Board;
use crate::tile::eliminate::apply;
use crate::tile::incoming::Incoming;
use crate::tile::tiles::Tiles;
use crate::wide::Wide;

/// Applies panels `0..held.start` of `lu`, whose rows are where they were in the beginning, to panels `held`.
#[inline(always)]
pub fn replay<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    tiles: &mut Tiles<T, R, NB, Q>,
    board: &Board<T, R, NB, Q>,
    lu: &GlobalMatrix<T>,
    n: u32,
    held: Range<u32>,
) {
    let steps = board.steps(held.start + 1); // as the last panel before left them
    // Rows that were pivot rows by then are not multiplied.
    let wanted = |row, k| row < n && steps.load(row) > k;
    let mut incoming = Incoming::<T, R, NB>::new(lu);
    if held.start > 0 {
        incoming.request(0, wanted);
    }
    let mut p = 0;
    while p < held.start {
        incoming.publish(board, p, wanted);
        if warp::index() + 1 == block::dim() / warp::SIZE {
            publish_block(board, lu, p);
        }
        sync_threads();
        if p + 1 < held.start {
            incoming.request(p + 1, wanted);
        }
        apply::<T, R, NB, Q, 0, false>(tiles, board, p + 1, held.end, 0..Q);
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
