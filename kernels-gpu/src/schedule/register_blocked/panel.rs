//! The factorization of a panel by the warp that owns it.
//!
//! All other warps wait for this. So it is straight-line code that compares the upper 32 bits of magnitudes only, and
//! multiplies by reciprocals as if all pivots were moderate. If candidates agree in these bits, or a pivot is
//! extreme, [`factor_exact`] factors the panel once more.
//!
//! Afterwards pivot rows hold U, and the others L, as in LAPACK. If `JORDAN`, earlier pivot rows are eliminated like
//! all others, and the panel becomes that of the inverse, but for the division of rows by their pivots.

use simt::hint::opaque;
use simt::warp;

use crate::memory::transpose_buffer::Panel;
use crate::memory::vector::Vectorized;
use crate::schedule::register_blocked::exact::factor_exact;
use crate::schedule::register_blocked::storage::{CANDIDATE, SharedStorage};
use numbers::scalar::Real;

/// Factors panel `p` of a matrix of order `n`, and publishes what other warps need to apply it.
#[inline(always)]
pub fn factor<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize, const JORDAN: bool>(
    x: &mut Panel<T, LANE_ROWS, NB>,
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    p: u32,
    n: u32,
) {
    let lane = warp::lane();
    let first = p * NB as u32;
    // Padding rows are pivots of padding columns only; elsewhere they are zero, unless something is not finite.
    let rows = if first + NB as u32 <= n { n } else { u32::MAX };
    let saved = shared.saved_panel().offset(lane);
    let before = shared.pivot_steps(p + 1).offset(lane); // panel p - 1's: p + 1 has the same buffer
    let multipliers = shared.multipliers(p).offset(lane);
    let mut pivot_steps = [CANDIDATE; LANE_ROWS];
    let mut candidates = [0; LANE_ROWS]; // all ones for candidates, else 0
    for r in 0..LANE_ROWS {
        pivot_steps[r] = before.load(32 * r as u32);
        candidates[r] = opaque(if pivot_steps[r] == CANDIDATE && lane + (32 * r as u32) < rows { u32::MAX } else { 0 });
    }

    let (mut is_extreme, mut ties) = (false, 0);
    for j in 0..NB {
        let k = first + j as u32;
        let mut upper = [0; LANE_ROWS];
        for r in 0..LANE_ROWS {
            upper[r] = x[r][j].abs1().to_words().0 & candidates[r];
        }
        let (mut best, mut own) = (upper[0], x[0][j]);
        for r in 1..LANE_ROWS {
            own = if upper[r] > best { x[r][j] } else { own };
            best = if upper[r] > best { upper[r] } else { best };
        }
        let inverse = own.reciprocal();
        let pivot = warp::max_u32(warp::ALL, best);
        if j == 0 {
            // Here it costs least, while the maximum is under way.
            for c in 0..NB {
                for r in 0..LANE_ROWS {
                    saved.store((c * 32 * LANE_ROWS + 32 * r) as u32, x[r][c]);
                }
            }
        }
        is_extreme |= !T::Real::MODERATE.contains(&pivot);
        let holders = warp::ballot(warp::ALL, best == pivot);
        let is_mine = best == pivot && holders & ((1 << lane) - 1) == 0;
        ties |= holders & (holders - 1);

        let row = shared.diagonal_block(p).offset(j as u32 * SharedStorage::<T, LANE_ROWS, NB, PANELS>::BLOCK_ROW);
        let mut is_pivot = [false; LANE_ROWS];
        for r in 0..LANE_ROWS {
            is_pivot[r] = is_mine && upper[r] == pivot;
            if is_pivot[r] {
                T::store_row(row, &x[r], 0);
            }
        }
        if is_mine {
            row.store(NB as u32, inverse);
            shared.pivots().store(k, own);
        }
        warp::sync(warp::ALL);
        let inverse = row.load(NB as u32);
        let row: [T; NB] = T::load_row(row, if JORDAN { 0 } else { j + 1 });

        let mut l = [T::ZERO; LANE_ROWS];
        for r in 0..LANE_ROWS {
            candidates[r] = opaque(if is_pivot[r] { 0 } else { candidates[r] });
            pivot_steps[r] = opaque(if is_pivot[r] { k } else { pivot_steps[r] });
            let is_eliminated = if JORDAN { !is_pivot[r] } else { candidates[r] != 0 };
            let quotient = x[r][j] * inverse;
            l[r] = if is_eliminated { quotient } else { T::ZERO };
            x[r][j] = match (JORDAN, is_eliminated) {
                (false, false) => x[r][j],
                (false, true) => quotient,
                (true, false) => T::ONE,
                (true, true) => -quotient,
            };
            multipliers.store((j * 32 * LANE_ROWS + 32 * r) as u32, l[r]);
        }
        for next in j + 1..NB + j {
            // The next column comes first: its pivot search is on the critical path.
            let c = if next < NB { next } else { next - NB };
            if c > j || JORDAN {
                for r in 0..LANE_ROWS {
                    x[r][c] = x[r][c].sub_mul(l[r], row[c]);
                }
            }
        }
    }
    let mut found = 0; // pivot rows: more than NB if rows of one lane tied
    for r in 0..LANE_ROWS {
        found += warp::ballot(warp::ALL, pivot_steps[r].wrapping_sub(first) < NB as u32).count_ones();
    }
    let fast_path_is_exact = !is_extreme && ties == 0 && found == NB as u32;
    if !fast_path_is_exact {
        factor_exact::<T, LANE_ROWS, NB, PANELS, JORDAN>(x, &mut pivot_steps, shared, p, rows);
    }
    let after = shared.pivot_steps(p).offset(lane);
    for r in 0..LANE_ROWS {
        after.store(32 * r as u32, pivot_steps[r]);
        if pivot_steps[r].wrapping_sub(first) < NB as u32 {
            shared.pivot_order().store(pivot_steps[r], lane + 32 * r as u32);
        }
    }
    if JORDAN {
        publish_diagonal_block(shared, p);
    }
}

/// Publishes L11, which LU leaves in the pivot rows, but Gauss-Jordan elimination does not.
#[inline(always)]
fn publish_diagonal_block<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    p: u32,
) {
    warp::sync(warp::ALL);
    for e in 0..(NB * NB).div_ceil(32) {
        let at = warp::lane() + 32 * e as u32;
        let (k, c) = (at / NB as u32, at % NB as u32);
        if k < NB as u32 {
            let row = shared.pivot_order().load(p * NB as u32 + k);
            let l = shared.multipliers(p).load(c * 32 * LANE_ROWS as u32 + row);
            shared.diagonal_block(p).store(k * SharedStorage::<T, LANE_ROWS, NB, PANELS>::BLOCK_ROW + c, l);
        }
    }
}
