//! Panels that were factored, and put away, before the ones that the block holds now.

use core::ops::Range;

use simt::shared::Shared;
use simt::{block, sync_threads, warp};

use crate::matrix::{GlobalMatrix, View};
use crate::tile::board::Board;
use crate::tile::eliminate::apply;
use crate::tile::tiles::Tiles;
use crate::tile::wide::Wide;

/// Applies panels `0..held.start` of `lu`, whose rows are where they were in the beginning, to panels `held`.
///
/// While a panel is applied, the first of a warp's columns of the next one is on its way.
#[inline(always)]
pub fn replay<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    tiles: &mut Tiles<T, R, NB, Q>,
    board: &Board<T, R, NB, Q>,
    lu: &GlobalMatrix<T>,
    n: u32,
    held: Range<u32>,
) {
    let warps = block::dim() / warp::SIZE;
    let steps = board.steps(held.start + 1); // as the last panel before left them
    let mut ahead = [T::ZERO; R];
    if held.start > 0 {
        ahead = multipliers::<T, R>(lu, steps, n, warp::index());
    }
    let mut p = 0;
    while p < held.start {
        let first = p * NB as u32;
        let to = board.multipliers(p).offset(warp::lane());
        let mut c = warp::index();
        while c < NB as u32 {
            if c != warp::index() {
                ahead = multipliers::<T, R>(lu, steps, n, first + c);
            }
            for r in 0..R {
                to.store((c as usize * 32 * R + 32 * r) as u32, ahead[r]);
            }
            c += warps;
        }
        if warp::index() + 1 == warps {
            publish_block(board, lu, p);
        }
        sync_threads();
        if warp::index() < NB as u32 && p + 1 < held.start {
            ahead = multipliers::<T, R>(lu, steps, n, first + NB as u32 + warp::index());
        }
        apply::<T, R, NB, Q, 0, false>(tiles, board, p + 1, held.end, 0..Q);
        p += 1;
    }
}

/// The multipliers of step `k` for this lane's rows: 0 for those that were pivot rows by then.
#[inline(always)]
fn multipliers<T: Wide, const R: usize>(lu: &GlobalMatrix<T>, steps: Shared<u32>, n: u32, k: u32) -> [T; R] {
    let lane = warp::lane();
    let mut l = [T::ZERO; R];
    for r in 0..R {
        let row = lane + 32 * r as u32;
        if row < n && steps.load(row) > k {
            l[r] = lu.load(row, k);
        }
    }
    l
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
