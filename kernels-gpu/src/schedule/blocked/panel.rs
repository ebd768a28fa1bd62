//! The factorization of a panel by all warps.

use simt::hint::opaque;
use simt::{block, warp};

use crate::collective::fragment::{self, COLUMNS};
use crate::collective::mma::Mma;
use crate::schedule::blocked::NB;
use crate::schedule::blocked::find_pivot::find_pivot;
use crate::schedule::blocked::panel_rows::PanelRows;
use crate::schedule::blocked::slab::PanelTiles;
use crate::schedule::blocked::storage::SharedStorage;
use numbers::scalar::Real;

/// Factors panel `p` into L and U, and publishes pivot steps and rows, and L's diagonal block.
/// `zero_pivot` becomes the first step with a zero pivot, counted from 1, unless it is set.
///
/// With `JORDAN`, it becomes that panel of the inverse, but for the division by pivots; these are published instead.
#[inline(always)]
pub fn factor<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    tiles: &mut PanelTiles<T, LANE_ROWS>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    p: u32,
    n: u32,
    zero_pivot: &mut u32,
) {
    let mut rows = PanelRows::from_tiles(tiles, shared);
    let mut owners = 0; // the warps of the pivot rows, four bits each
    for c in 0..COLUMNS {
        let k = p * NB + c as u32;
        if k < n {
            let pivot = find_pivot::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(&rows, shared, c, k);
            let candidate = shared.candidate(c, pivot.warp);
            let row: [T; COLUMNS] = T::load_row(candidate, if JORDAN { 0 } else { c });
            let reciprocal = candidate.load(NB);
            owners |= pivot.warp << (4 * c);
            let mut quotients = [T::ZERO; LANE_ROWS];
            for r in 0..LANE_ROWS {
                quotients[r] = rows.x[r][c] * reciprocal;
            }
            if !T::Real::MODERATE.contains(&pivot.upper) {
                let (scale, reciprocal) = row[c].scaled_reciprocal();
                let is_zero = row[c] == T::ZERO;
                for r in 0..LANE_ROWS {
                    quotients[r] = if is_zero { T::ZERO } else { rows.x[r][c].scale(scale) * reciprocal };
                }
                *zero_pivot = if is_zero && *zero_pivot == 0 { k + 1 } else { *zero_pivot };
            }
            for r in 0..LANE_ROWS {
                let is_pivot = pivot.row == rows.row(r);
                if is_pivot {
                    shared.pivot_steps.store(pivot.row, k);
                    shared.pivot_rows.store(k, pivot.row);
                }
                if JORDAN && is_pivot {
                    shared.pivots().store(k, row[c]);
                }
                rows.candidate_masks[r] = opaque(if is_pivot { 0 } else { rows.candidate_masks[r] });
                let is_eliminated = if JORDAN { !is_pivot } else { rows.candidate_masks[r] != 0 };
                let l = if is_eliminated { quotients[r] } else { T::ZERO };
                rows.x[r][c] = match (JORDAN, is_eliminated) {
                    (false, false) => rows.x[r][c],
                    (false, true) => l,
                    (true, false) => T::ONE,
                    (true, true) => -l,
                };
                for other in 0..COLUMNS {
                    if other > c || (JORDAN && other < c) {
                        rows.x[r][other] = rows.x[r][other].sub_mul(l, row[other]);
                    }
                }
            }
        }
    }
    *tiles = rows.to_tiles(shared);
    if !JORDAN && warp::index() + 1 == block::dim() / warp::SIZE && (p + 1) * NB <= n {
        publish_triangle(shared, p, owners);
    }
}

/// Publishes L's diagonal block of panel `p`, by one warp, two numbers a lane. `owners` are the warps of the pivot
/// rows, four bits each.
#[inline(always)]
fn publish_triangle<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize>(
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    p: u32,
    owners: u32,
) {
    let (i, k) = (fragment::row(), fragment::column());
    let l = T::load_pair(shared.candidate(i as usize, owners >> (4 * i) & 15).offset(k));
    T::store_pair(shared.triangle(p).offset(NB * i + k), l);
}
