//! A panel factored with care for ties and for extreme pivots.

use simt::hint::opaque;
use simt::warp;

use crate::scalar::{Real, Scalar};
use crate::tile::board::Board;
use crate::tile::tiles::Panel;
use crate::tile::wide::Wide;

/// As [`factor`](super::factor::factor), of the panel that it has saved.
///
/// One loop body serves all columns: the current column is always column 0, because each step moves the columns down by
/// one.
#[inline(always)]
pub fn factor_carefully<T: Wide, const R: usize, const NB: usize, const Q: usize, const JORDAN: bool>(
    x: &mut Panel<T, R, NB>,
    board: &Board<T, R, NB, Q>,
    p: u32,
    n: u32,
) {
    let lane = warp::lane();
    let first = p * NB as u32;
    let saved = board.saved().offset(lane);
    let (before, after) = (board.positions(p + 1).offset(lane), board.positions(p).offset(lane));
    for r in 0..R {
        for c in 0..NB {
            x[r][c] = saved.load((c * 32 * R + 32 * r) as u32);
        }
        after.store(32 * r as u32, before.load(32 * r as u32));
    }

    let mut j = 0;
    while j < opaque(NB as u32) {
        let k = first + j;
        let (row, lane_of_pivot) = search(x, board, p, k);
        let is_mine = lane == lane_of_pivot;
        let shared = board.pivot_row(j);
        for r in 0..R {
            let position = after.load(32 * r as u32);
            if is_mine && row == lane + 32 * r as u32 {
                T::store_row(shared, &x[r], 0);
                board.pivots().store(k, x[r][0]);
                board.pivot_rows().store(k, row);
                board.interchanges().store(k, position);
            }
        }
        warp::sync(warp::ALL);
        let pivot_row: [T; NB] = T::load_row(shared, 0);
        let position = board.interchanges().load(k);
        let scale = T::Real::safe_scale(pivot_row[0].abs1());
        let inverse = pivot_row[0].scale(scale).reciprocal();
        let multipliers = board.multipliers(p).offset(j * 32 * R as u32 + lane);
        let finished = saved.offset(j * 32 * R as u32);
        let (mut l, mut last) = ([T::ZERO; R], [T::ZERO; R]);
        for r in 0..R {
            let is_pivot = is_mine && row == lane + 32 * r as u32;
            let mut own = after.load(32 * r as u32);
            own = if own == k { position } else { own };
            own = if is_pivot { k } else { own };
            after.store(32 * r as u32, own);
            let is_eliminated = if JORDAN { !is_pivot } else { own > k };
            let zero = !is_eliminated || pivot_row[0] == T::ZERO;
            l[r] = if zero { T::ZERO } else { x[r][0].scale(scale) * inverse };
            last[r] = match (JORDAN, is_eliminated) {
                (false, false) => x[r][0],
                (false, true) => l[r],
                (true, false) => T::ONE,
                (true, true) => -l[r],
            };
            multipliers.store(32 * r as u32, l[r]);
            finished.store(32 * r as u32, last[r]);
        }
        for c in 1..NB {
            for r in 0..R {
                x[r][c - 1] = x[r][c].sub_mul(l[r], pivot_row[c]);
            }
        }
        for r in 0..R {
            x[r][NB - 1] = last[r];
        }
        j += 1;
    }
    if !JORDAN {
        for r in 0..R {
            for c in 0..NB {
                x[r][c] = saved.load((c * 32 * R + 32 * r) as u32);
            }
        }
    }
}

/// The row with the pivot of column 0 and its lane: the largest magnitude, at the first position on a tie.
#[inline(always)]
fn search<T: Scalar, const R: usize, const NB: usize, const Q: usize>(
    x: &Panel<T, R, NB>,
    board: &Board<T, R, NB, Q>,
    p: u32,
    k: u32,
) -> (u32, u32) {
    let lane = warp::lane();
    let positions = board.positions(p).offset(lane);
    let mut best = (0, 0, 0); // upper and lower bits of the magnitude, and the higher the earlier its position
    let mut row = 0;
    for r in 0..R {
        let position = positions.load(32 * r as u32);
        let (upper, lower) = x[r][0].abs1().to_words();
        let candidate = (upper, lower, !position);
        if position >= k && candidate > best {
            (best, row) = (candidate, lane + 32 * r as u32);
        }
    }
    let upper = warp::max_u32(warp::ALL, best.0);
    let lower = warp::max_u32(warp::ALL, if best.0 == upper { best.1 } else { 0 });
    let rank = if (best.0, best.1) == (upper, lower) { best.2 } else { 0 };
    let first = warp::max_u32(warp::ALL, rank);
    let holder = warp::ballot(warp::ALL, rank == first);
    (row, holder.trailing_zeros())
}
