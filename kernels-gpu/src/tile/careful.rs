//! A panel factored with care for ties and for extreme pivots.

use simt::hint::opaque;
use simt::warp;

use crate::scalar::{Real, Scalar};
use crate::tile::board::{Board, OPEN};
use crate::tile::positions::Positions;
use crate::tile::tiles::Panel;
use crate::wide::Wide;

/// As [`factor`](super::factor::factor), of the panel that it has saved. Rows from `rows` on are no candidates. On a tie the
/// pivot is the one at the first position, as LAPACK's is; where `JORDAN`, the one at the last, with which Wilkinson's matrix,
/// whose elements grow to 2^n with the first, stays as it is.
///
/// One loop body serves all columns: the current column is always column 0, because each step moves the columns down by
/// one.
#[inline(always)]
pub fn factor_carefully<T: Wide, const R: usize, const NB: usize, const Q: usize, const JORDAN: bool>(
    x: &mut Panel<T, R, NB>,
    steps: &mut [u32; R],
    board: &Board<T, R, NB, Q>,
    p: u32,
    rows: u32,
) {
    let lane = warp::lane();
    let first = p * NB as u32;
    let saved = board.saved().offset(lane);
    let before = board.steps(p + 1).offset(lane);
    for r in 0..R {
        for c in 0..NB {
            x[r][c] = saved.load((c * 32 * R + 32 * r) as u32);
        }
        steps[r] = before.load(32 * r as u32);
    }
    let mut positions = Positions::after(first, board.pivot_rows());

    let mut j = 0;
    while j < opaque(NB as u32) {
        let k = first + j;
        let pivot = search(x, steps, &positions, rows, !JORDAN);
        positions.interchange(k, pivot);
        let shared = board.block(p).offset(j * Board::<T, R, NB, Q>::BLOCK_ROW);
        for r in 0..R {
            if pivot == lane + 32 * r as u32 {
                T::store_row(shared, &x[r], 0);
                board.pivots().store(k, x[r][0]);
            }
        }
        warp::sync(warp::ALL);
        let row: [T; NB] = T::load_row(shared, 0);
        let scale = T::Real::safe_scale(row[0].abs1());
        let inverse = row[0].scale(scale).reciprocal();
        let multipliers = board.multipliers(p).offset(j * 32 * R as u32 + lane);
        let finished = saved.offset(j * 32 * R as u32);
        let (mut l, mut last) = ([T::ZERO; R], [T::ZERO; R]);
        for r in 0..R {
            let is_pivot = pivot == lane + 32 * r as u32;
            steps[r] = if is_pivot { k } else { steps[r] };
            let is_eliminated = if JORDAN { !is_pivot } else { steps[r] == OPEN };
            let is_zero = !is_eliminated || row[0] == T::ZERO;
            l[r] = if is_zero { T::ZERO } else { x[r][0].scale(scale) * inverse };
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
                x[r][c - 1] = x[r][c].sub_mul(l[r], row[c]);
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
        // The rows were stored as their columns stood.
        warp::sync(warp::ALL);
        for r in 0..R {
            let k = steps[r].wrapping_sub(first);
            if k < NB as u32 {
                T::store_row(board.block(p).offset(k * Board::<T, R, NB, Q>::BLOCK_ROW), &x[r], 0);
            }
        }
    }
}

/// The row with the largest magnitude in column 0; on a tie the one at the first position, or at the last.
#[inline(always)]
fn search<T: Scalar, const R: usize, const NB: usize>(
    x: &Panel<T, R, NB>,
    steps: &[u32; R],
    positions: &Positions<R>,
    rows: u32,
    is_first: bool,
) -> u32 {
    let mut best = (0, 0, 0); // upper and lower bits of the magnitude, and the rank of its position among equals
    let mut row = 0;
    for r in 0..R {
        let (upper, lower) = x[r][0].abs1().to_words();
        // Rows of the padding are zero, and come last.
        let is_first = is_first || (upper, lower) == (0, 0);
        let rank = if is_first { !positions.0[r] } else { positions.0[r] + 1 };
        let candidate = (upper, lower, rank);
        let own = warp::lane() + 32 * r as u32;
        if steps[r] == OPEN && own < rows && candidate > best {
            (best, row) = (candidate, own);
        }
    }
    let upper = warp::max_u32(warp::ALL, best.0);
    let lower = warp::max_u32(warp::ALL, if best.0 == upper { best.1 } else { 0 });
    let rank = if (best.0, best.1) == (upper, lower) { best.2 } else { 0 };
    let first = warp::max_u32(warp::ALL, rank);
    let holder = warp::ballot(warp::ALL, rank == first);
    warp::shuffle(warp::ALL, row, holder.trailing_zeros())
}
