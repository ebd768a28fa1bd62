//! Panels that were factored, and put away, before the ones that the block holds now.

use core::ops::Range;

use simt::{block, sync_threads, warp};

use crate::matrix::{GlobalMatrix, View};
use crate::tile::board::Board;
use crate::tile::eliminate::apply;
use crate::tile::tiles::Tiles;
use crate::tile::wide::Wide;

/// Applies panels `0..held.start` of `lu`, whose rows are where they were in the beginning, to panels `held`.
#[inline(always)]
pub fn replay<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    tiles: &mut Tiles<T, R, NB, Q>,
    board: &Board<T, R, NB, Q>,
    lu: &GlobalMatrix<T>,
    n: u32,
    held: Range<u32>,
) {
    let mut p = 0;
    while p < held.start {
        publish(board, lu, n, p, held.start - 1);
        sync_threads();
        apply::<T, R, NB, Q, false>(tiles, board, p + 1, held.end, 0..Q);
        p += 1;
    }
}

/// Publishes panel `p` as it was when it had just been factored; panel `last` is the last that has been.
#[inline(always)]
fn publish<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    board: &Board<T, R, NB, Q>,
    lu: &GlobalMatrix<T>,
    n: u32,
    p: u32,
    last: u32,
) {
    let lane = warp::lane();
    let first = p * NB as u32;
    let mut c = warp::index();
    while c < NB as u32 {
        let multipliers = board.multipliers(p).offset(c * 32 * R as u32 + lane);
        for r in 0..R {
            let row = lane + 32 * r as u32;
            let is_eliminated = board.steps(last).load(row) > first + c;
            let l = if is_eliminated && row < n { lu.load(row, first + c) } else { T::ZERO };
            multipliers.store(32 * r as u32, l);
        }
        c += block::dim() / warp::SIZE;
    }
    if warp::index() == block::dim() / warp::SIZE - 1 {
        let mut e = lane;
        while e < (NB * NB) as u32 {
            let (k, c) = (e / NB as u32, e % NB as u32);
            let l = if c < k { lu.load(board.pivot_rows().load(first + k), first + c) } else { T::ZERO };
            board.block(p).store(k * Board::<T, R, NB, Q>::BLOCK_ROW + c, l);
            e += warp::SIZE;
        }
    }
}
