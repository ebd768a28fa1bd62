//! A factored panel applied to the panels and the right-hand side of a warp.
//!
//! First U12 = L11^-1 A12 in shared memory, then A22 -= L21 U12 in registers. Both are work of single warps.

use simt::hint::opaque;
use simt::warp;

use crate::memory::transpose_buffer::Panel;
use crate::memory::vector::Vectorized;
use crate::schedule::register_blocked::storage::SharedStorage;
use crate::schedule::register_blocked::tiles::Tiles;

/// A12: copies the pivot rows of panel `p` from this warp's panels to shared memory. A right-hand side is one more
/// column.
#[inline(always)]
pub fn gather_pivot_rows<
    T: Vectorized,
    const LANE_ROWS: usize,
    const NB: usize,
    const PANELS: usize,
    const RHS: usize,
>(
    tiles: &Tiles<T, LANE_ROWS, NB, PANELS, RHS>,
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    p: u32,
) {
    let pivot_steps = shared.pivot_steps(p).offset(warp::lane());
    let rows = shared.pivot_rows();
    let mut to = [None; LANE_ROWS]; // where a row goes, if it is a pivot row
    for r in 0..LANE_ROWS {
        let k = pivot_steps.load(32 * r as u32).wrapping_sub(p * NB as u32);
        if k < NB as u32 {
            to[r] = Some(rows.offset(k * SharedStorage::<T, LANE_ROWS, NB, PANELS>::PIVOT_ROW));
        }
    }
    warp::sync(warp::ALL); // all lanes have read the pivot rows of the panel before
    for s in 0..PANELS {
        for r in 0..LANE_ROWS {
            if let Some(row) = to[r] {
                T::store_row(row.offset((s * NB) as u32), &tiles.panels[s][r], 0);
            }
        }
    }
    for i in 0..RHS {
        for r in 0..LANE_ROWS {
            if let Some(row) = to[r] {
                row.store((PANELS * NB + i) as u32, tiles.rhs[i][r]);
            }
        }
    }
    warp::sync(warp::ALL);
}

/// U12 = L11^-1 A12 for panel `p`, in place. Each lane solves for a column.
#[inline(always)]
pub fn solve_pivot_rows<
    T: Vectorized,
    const LANE_ROWS: usize,
    const NB: usize,
    const PANELS: usize,
    const RHS: usize,
>(
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    p: u32,
) {
    let rows = shared.pivot_rows();
    let block = shared.diagonal_block(p);
    let mut column = warp::lane();
    while column < (PANELS * NB + RHS) as u32 {
        let own = rows.offset(column);
        let mut u = [T::ZERO; NB];
        for k in 0..NB {
            u[k] = own.load(k as u32 * SharedStorage::<T, LANE_ROWS, NB, PANELS>::PIVOT_ROW);
        }
        let mut l = [[T::ZERO; NB]; NB];
        for i in 1..NB {
            l[i] = T::load_row(block.offset(i as u32 * SharedStorage::<T, LANE_ROWS, NB, PANELS>::BLOCK_ROW), 0);
        }
        for k in 0..NB {
            for i in k + 1..NB {
                u[i] = u[i].sub_mul(l[i][k], u[k]);
            }
        }
        for i in 1..NB {
            own.store(i as u32 * SharedStorage::<T, LANE_ROWS, NB, PANELS>::PIVOT_ROW, u[i]);
        }
        column += warp::SIZE;
    }
    warp::sync(warp::ALL);
}

/// Applies panel `p` to the panel in slot `s`.
#[inline(always)]
pub fn apply_panel<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(
    x: &mut Panel<T, LANE_ROWS, NB>,
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    p: u32,
    s: usize,
) {
    let mut multipliers = shared.multipliers(p).offset(warp::lane());
    let mut row = shared.pivot_rows().offset((s * NB) as u32);
    for _ in 0..opaque(NB as u32) {
        let u: [T; NB] = T::load_row(row, 0);
        for r in 0..LANE_ROWS {
            let l = multipliers.load(32 * r as u32);
            for c in 0..NB {
                x[r][c] = x[r][c].sub_mul(l, u[c]);
            }
        }
        multipliers = multipliers.offset(32 * LANE_ROWS as u32);
        row = row.offset(SharedStorage::<T, LANE_ROWS, NB, PANELS>::PIVOT_ROW);
    }
}

/// Applies panel `p` to a right-hand side.
#[inline(always)]
pub fn apply_panel_to_rhs<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(
    rhs: &mut [T; LANE_ROWS],
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    p: u32,
) {
    let multipliers = shared.multipliers(p).offset(warp::lane());
    let column = shared.pivot_rows().offset((PANELS * NB) as u32);
    for k in 0..NB {
        let u = column.load(k as u32 * SharedStorage::<T, LANE_ROWS, NB, PANELS>::PIVOT_ROW);
        for r in 0..LANE_ROWS {
            rhs[r] = rhs[r].sub_mul(multipliers.load((k * 32 * LANE_ROWS + 32 * r) as u32), u);
        }
    }
}
