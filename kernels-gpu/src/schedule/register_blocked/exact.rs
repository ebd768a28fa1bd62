//! The factorization of a panel with an exact pivot search, and scaled division by extreme pivots. Rarely needed.
//!
//! On a tie the pivot is the first candidate, as in LAPACK, or, if `JORDAN`, the last. To save code, one loop body
//! serves all columns: the panel rotates, and the current column is always column 0.

use simt::hint::opaque;
use simt::shared::Shared;
use simt::warp;

use crate::collective::pivot::{Key, Ties, largest};
use crate::memory::transpose_buffer::{Panel, lane_rows};
use crate::memory::vector::Vectorized;
use crate::schedule::register_blocked::storage::{CANDIDATE, SharedStorage};
use numbers::scalar::{Real, Scalar};

/// As [`factor`](super::panel::factor), from the panel as saved. Rows from `rows` on are no candidates.
#[inline(always)]
pub fn factor_exact<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize, const JORDAN: bool>(
    x: &mut Panel<T, LANE_ROWS, NB>,
    pivot_steps: &mut [u32; LANE_ROWS],
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    p: u32,
    rows: u32,
) {
    let lane = warp::lane();
    let first = p * NB as u32;
    let saved = shared.saved_panel().offset(lane);
    let before = shared.pivot_steps(p + 1).offset(lane);
    for r in 0..LANE_ROWS {
        for c in 0..NB {
            x[r][c] = saved.load((c * 32 * LANE_ROWS + 32 * r) as u32);
        }
        pivot_steps[r] = before.load(32 * r as u32);
    }
    let mut positions = Positions::after(first, shared.pivot_order());

    let ties = if JORDAN { Ties::Last } else { Ties::First };
    let mut j = 0;
    while j < opaque(NB as u32) {
        let k = first + j;
        let pivot = find_pivot(x, pivot_steps, &positions, rows, ties);
        positions.interchange(k, pivot);
        let row = shared.diagonal_block(p).offset(j * SharedStorage::<T, LANE_ROWS, NB, PANELS>::BLOCK_ROW);
        for r in 0..LANE_ROWS {
            if pivot == lane + 32 * r as u32 {
                T::store_row(row, &x[r], 0);
                shared.pivots().store(k, x[r][0]);
            }
        }
        warp::sync(warp::ALL);
        let row: [T; NB] = T::load_row(row, 0);
        let (scale, inverse) = row[0].scaled_reciprocal();
        let multipliers = shared.multipliers(p).offset(j * 32 * LANE_ROWS as u32 + lane);
        let finished = saved.offset(j * 32 * LANE_ROWS as u32);
        let (mut l, mut last) = ([T::ZERO; LANE_ROWS], [T::ZERO; LANE_ROWS]);
        for r in 0..LANE_ROWS {
            let is_pivot = pivot == lane + 32 * r as u32;
            pivot_steps[r] = if is_pivot { k } else { pivot_steps[r] };
            let is_eliminated = if JORDAN { !is_pivot } else { pivot_steps[r] == CANDIDATE };
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
            for r in 0..LANE_ROWS {
                x[r][c - 1] = x[r][c].sub_mul(l[r], row[c]);
            }
        }
        for r in 0..LANE_ROWS {
            x[r][NB - 1] = last[r];
        }
        j += 1;
    }
    if !JORDAN {
        for r in 0..LANE_ROWS {
            for c in 0..NB {
                x[r][c] = saved.load((c * 32 * LANE_ROWS + 32 * r) as u32);
            }
        }
        // In shared memory the pivot rows are still rotated.
        warp::sync(warp::ALL);
        for r in 0..LANE_ROWS {
            let k = pivot_steps[r].wrapping_sub(first);
            if k < NB as u32 {
                T::store_row(
                    shared.diagonal_block(p).offset(k * SharedStorage::<T, LANE_ROWS, NB, PANELS>::BLOCK_ROW),
                    &x[r],
                    0,
                );
            }
        }
    }
}

/// The candidate with the largest magnitude in column 0. Rows from `rows` on are no candidates.
#[inline(always)]
fn find_pivot<T: Scalar, const LANE_ROWS: usize, const NB: usize>(
    x: &Panel<T, LANE_ROWS, NB>,
    pivot_steps: &[u32; LANE_ROWS],
    positions: &Positions<LANE_ROWS>,
    rows: u32,
    ties: Ties,
) -> u32 {
    let mut best: Key = (0, 0, 0);
    let mut row = 0;
    for r in 0..LANE_ROWS {
        let (upper, lower) = x[r][0].abs1().to_words();
        // Padding rows are zero, and must lose against zeros of the matrix.
        let ties = if (upper, lower) == (0, 0) { Ties::First } else { ties };
        let candidate = (upper, lower, ties.rank(positions.0[r]));
        let own = warp::lane() + 32 * r as u32;
        if pivot_steps[r] == CANDIDATE && own < rows && candidate > best {
            (best, row) = (candidate, own);
        }
    }
    // No two candidates have the same rank, so it alone tells which one it is.
    let (_, _, rank) = largest(best);
    let holder = warp::ballot(warp::ALL, best.2 == rank);
    warp::shuffle(warp::ALL, row, holder.trailing_zeros())
}

/// The positions to which LAPACK's interchanges would have moved this lane's rows.
struct Positions<const LANE_ROWS: usize>([u32; LANE_ROWS]);

impl<const LANE_ROWS: usize> Positions<LANE_ROWS> {
    /// Those after `steps` interchanges, given the pivot row of each.
    #[inline(always)]
    fn after(steps: u32, pivot_order: Shared<u32>) -> Self {
        let mut positions = Self(lane_rows());
        let mut k = 0;
        while k < steps {
            positions.interchange(k, pivot_order.load(k));
            k += 1;
        }
        positions
    }

    /// Interchanges `row` with the row at position `k`.
    #[inline(always)]
    fn interchange(&mut self, k: u32, row: u32) {
        let mut own = self.0[0];
        for r in 1..LANE_ROWS {
            own = if row / 32 == r as u32 { self.0[r] } else { own };
        }
        let position = warp::shuffle(warp::ALL, own, row % 32);
        for r in 0..LANE_ROWS {
            self.0[r] = if self.0[r] == k { position } else { self.0[r] };
            self.0[r] = if row == warp::lane() + 32 * r as u32 { k } else { self.0[r] };
        }
    }
}
