//! A panel factored by the warp that owns it.

use simt::hint::opaque;
use simt::warp;

use crate::scalar::Real;
use crate::tile::board::{Board, OPEN};
use crate::tile::careful::factor_carefully;
use crate::tile::tiles::Panel;
use crate::wide::Wide;

/// Factors panel `p` of a matrix of order `n`, and publishes what the other warps need to apply it.
///
/// Afterwards the rows that were pivots before hold U, the others L, as LAPACK leaves them. Where `JORDAN`, rows that were
/// pivots are eliminated like the others, and the panel becomes its part of the inverse, but for its rows' division by
/// their pivots (in-place Gauss-Jordan).
///
/// This is what all other warps wait for, so it is one straight line that takes candidates with the same upper bits for
/// equal, and all pivots for moderate. Where they were not, the panel is factored once more, carefully.
#[inline(always)]
pub fn factor<T: Wide, const R: usize, const NB: usize, const Q: usize, const JORDAN: bool>(
    x: &mut Panel<T, R, NB>,
    board: &Board<T, R, NB, Q>,
    p: u32,
    n: u32,
) {
    let lane = warp::lane();
    let first = p * NB as u32;
    // Rows of the padding are for columns of the padding; they are zero elsewhere, but not where something is not finite.
    let rows = if first + NB as u32 <= n { n } else { u32::MAX };
    let saved = board.saved().offset(lane);
    let before = board.steps(p + 1).offset(lane); // as panel p - 1 left them
    let multipliers = board.multipliers(p).offset(lane);
    let mut steps = [OPEN; R];
    let mut open = [0; R]; // all ones for rows that may become pivots
    for r in 0..R {
        steps[r] = before.load(32 * r as u32);
        open[r] = opaque(if steps[r] == OPEN && lane + (32 * r as u32) < rows { u32::MAX } else { 0 });
    }

    let (mut is_unusual, mut ties) = (false, 0);
    for j in 0..NB {
        let k = first + j as u32;
        let mut upper = [0; R];
        for r in 0..R {
            upper[r] = x[r][j].abs1().to_words().0 & open[r];
        }
        let (mut best, mut own) = (upper[0], x[0][j]);
        for r in 1..R {
            own = if upper[r] > best { x[r][j] } else { own };
            best = if upper[r] > best { upper[r] } else { best };
        }
        let inverse = own.reciprocal();
        let pivot = warp::max_u32(warp::ALL, best);
        if j == 0 {
            // Nothing has changed yet, and the search is under way.
            for c in 0..NB {
                for r in 0..R {
                    saved.store((c * 32 * R + 32 * r) as u32, x[r][c]);
                }
            }
        }
        is_unusual |= !T::Real::MODERATE.contains(&pivot);
        let holders = warp::ballot(warp::ALL, best == pivot);
        let is_mine = best == pivot && holders & ((1 << lane) - 1) == 0;
        ties |= holders & (holders - 1);

        let row = board.block(p).offset(j as u32 * Board::<T, R, NB, Q>::BLOCK_ROW);
        let mut is_pivot = [false; R];
        for r in 0..R {
            is_pivot[r] = is_mine && upper[r] == pivot;
            if is_pivot[r] {
                T::store_row(row, &x[r], 0);
            }
        }
        if is_mine {
            row.store(NB as u32, inverse);
            board.pivots().store(k, own);
        }
        warp::sync(warp::ALL);
        let inverse = row.load(NB as u32);
        let row: [T; NB] = T::load_row(row, if JORDAN { 0 } else { j + 1 });

        let mut l = [T::ZERO; R];
        for r in 0..R {
            open[r] = opaque(if is_pivot[r] { 0 } else { open[r] });
            steps[r] = opaque(if is_pivot[r] { k } else { steps[r] });
            let is_eliminated = if JORDAN { !is_pivot[r] } else { open[r] != 0 };
            let quotient = x[r][j] * inverse;
            l[r] = if is_eliminated { quotient } else { T::ZERO };
            x[r][j] = match (JORDAN, is_eliminated) {
                (false, false) => x[r][j],
                (false, true) => quotient,
                (true, false) => T::ONE,
                (true, true) => -quotient,
            };
            multipliers.store((j * 32 * R + 32 * r) as u32, l[r]);
        }
        for next in j + 1..NB + j {
            // The next column comes first: its pivot search is what all wait for.
            let c = if next < NB { next } else { next - NB };
            if c > j || JORDAN {
                for r in 0..R {
                    x[r][c] = x[r][c].sub_mul(l[r], row[c]);
                }
            }
        }
    }
    let mut chosen = 0;
    for r in 0..R {
        chosen += warp::ballot(warp::ALL, steps[r].wrapping_sub(first) < NB as u32).count_ones();
    }
    if is_unusual || ties != 0 || chosen != NB as u32 {
        factor_carefully::<T, R, NB, Q, JORDAN>(x, &mut steps, board, p, rows);
    }
    let after = board.steps(p).offset(lane);
    for r in 0..R {
        after.store(32 * r as u32, steps[r]);
        if steps[r].wrapping_sub(first) < NB as u32 {
            board.pivot_rows().store(steps[r], lane + 32 * r as u32);
        }
    }
    if JORDAN {
        publish_block(board, p);
    }
}

/// The diagonal block's multipliers. LU leaves them in the pivot rows, Gauss-Jordan elimination does not.
#[inline(always)]
fn publish_block<T: Wide, const R: usize, const NB: usize, const Q: usize>(board: &Board<T, R, NB, Q>, p: u32) {
    warp::sync(warp::ALL);
    for e in 0..(NB * NB).div_ceil(32) {
        let at = warp::lane() + 32 * e as u32;
        let (k, c) = (at / NB as u32, at % NB as u32);
        if k < NB as u32 {
            let row = board.pivot_rows().load(p * NB as u32 + k);
            let l = board.multipliers(p).load(c * 32 * R as u32 + row);
            board.block(p).store(k * Board::<T, R, NB, Q>::BLOCK_ROW + c, l);
        }
    }
}
