//! The pivot search of a block: each warp names a candidate, and all warps compare these.

use simt::{block, sync_threads, warp};

use crate::collective::mma::Mma;
use crate::collective::permutation::position;
use crate::collective::pivot::{Key, Ties, largest};
use crate::schedule::blocked::NB;
use crate::schedule::blocked::panel_rows::PanelRows;
use crate::schedule::blocked::storage::SharedStorage;
use numbers::scalar::Real;

/// The pivot of a column.
pub struct Pivot {
    /// Its row.
    pub row: u32,
    /// The warp that owns the row.
    pub warp: u32,
    /// The upper bits of its magnitude.
    pub upper: u32,
}

/// Finds the pivot of column `c` of the panel, column `k` of the matrix. One barrier, or two where upper bits tie.
#[inline(always)]
pub fn find_pivot<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    rows: &PanelRows<T, LANE_ROWS>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    c: usize,
    k: u32,
) -> Pivot {
    let lane = warp::lane();
    let mut keys = [0; LANE_ROWS];
    for r in 0..LANE_ROWS {
        keys[r] = rows.x[r][c].abs1().to_words().0 & rows.candidate_masks[r];
    }
    let (mut best, mut own) = (keys[0], rows.x[0][c]);
    for r in 1..LANE_ROWS {
        own = if keys[r] > best { rows.x[r][c] } else { own };
        best = if keys[r] > best { keys[r] } else { best };
    }
    let reciprocal = own.reciprocal();
    let of_warp = warp::max_u32(warp::ALL, best);
    let holders = warp::ballot(warp::ALL, best == of_warp);
    if best == of_warp && holders & ((1 << lane) - 1) == 0 {
        let candidate = shared.candidate(c, warp::index());
        let mut equals = 0;
        let mut row = 0;
        for r in 0..LANE_ROWS {
            if keys[r] == of_warp {
                T::store_row(candidate, &rows.x[r], 0);
                row = rows.row(r);
                equals += 1;
            }
        }
        candidate.store(NB, reciprocal);
        // The lowest bit marks a key that occurs more than once in its warp; among equal keys, a marked one wins.
        let is_tie = equals > 1 || holders & (holders - 1) != 0;
        shared.keys(c).store(warp::index(), 2 * of_warp + is_tie as u32);
        shared.candidate_rows(c).store(warp::index(), row);
    }
    sync_threads();

    let keys = shared.keys(c).vectors::<4>();
    let (mut key, mut winner, mut is_tie) = (0, 0, false);
    for v in 0..WARPS.div_ceil(4) {
        let four = keys.load(v as u32).0;
        for i in 0..4 {
            let w = 4 * v + i;
            if w == 0 {
                key = four[0];
            } else if w < WARPS {
                is_tie |= four[i] == key;
                winner = if four[i] > key { w as u32 } else { winner };
                key = if four[i] > key { four[i] } else { key };
            }
        }
    }
    let mut pivot = Pivot { row: shared.candidate_rows(c).load(winner), warp: winner, upper: key / 2 };
    if is_tie || key & 1 != 0 {
        (pivot.row, pivot.warp) = find_pivot_exact::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(rows, shared, c, k);
    }
    pivot
}

/// The row of the largest magnitude by all bits, and the warp that owns it. One barrier.
#[inline(always)]
fn find_pivot_exact<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    rows: &PanelRows<T, LANE_ROWS>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    c: usize,
    k: u32,
) -> (u32, u32) {
    let ties = if JORDAN { Ties::Last } else { Ties::First };
    let (mut best, mut best_r): (Key, u32) = ((0, 0, 0), 0);
    for r in 0..LANE_ROWS {
        if rows.candidate_masks[r] != 0 {
            let (upper, lower) = rows.x[r][c].abs1().to_words();
            let key = (upper, lower, ties.rank(position(rows.row(r), k, shared.pivot_rows)));
            if key > best {
                (best, best_r) = (key, r as u32);
            }
        }
    }
    let of_warp = largest(best);
    // No two candidates have the same rank. Of a warp without candidates, the first lane publishes zeros.
    if best.2 == of_warp.2 && (of_warp.2 != 0 || warp::lane() == 0) {
        let exact = shared.exact_keys.offset(4 * warp::index());
        let candidate = shared.candidate(c, warp::index());
        for r in 0..LANE_ROWS {
            if best_r == r as u32 {
                T::store_row(candidate, &rows.x[r], 0);
                candidate.store(NB, rows.x[r][c].reciprocal());
                exact.store(3, rows.row(r));
            }
        }
        exact.store(0, of_warp.0);
        exact.store(1, of_warp.1);
        exact.store(2, of_warp.2);
    }
    sync_threads();
    let (mut of_block, mut row, mut winner) = ((0, 0, 0), 0, 0);
    let mut w = 0;
    while w < block::dim() / warp::SIZE {
        let exact = shared.exact_keys.offset(4 * w);
        let key = (exact.load(0), exact.load(1), exact.load(2));
        if key > of_block {
            (of_block, row, winner) = (key, exact.load(3), w);
        }
        w += 1;
    }
    (row, winner)
}
