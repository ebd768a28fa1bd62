//! Back substitution with the factors in registers.
//!
//! Panels go from right to left: the owner publishes U in place of multipliers; after a barrier, warps with right-hand
//! sides apply it, while the next panel is published.

use simt::shared::Shared;
use simt::{sync_threads, warp};

use crate::memory::vector::Vectorized;
use crate::schedule::register_blocked::storage::SharedStorage;
use crate::schedule::register_blocked::tiles::Tiles;

/// Solves U x = y in place of y. Element k of the solution is in the place of the pivot row of step k.
/// `pivot_steps` are those of this lane's rows.
#[inline(always)]
pub fn substitute_back<
    T: Vectorized,
    const LANE_ROWS: usize,
    const NB: usize,
    const PANELS: usize,
    const RHS: usize,
>(
    tiles: &mut Tiles<T, LANE_ROWS, NB, PANELS, RHS>,
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    pivot_steps: &[u32; LANE_ROWS],
    panels: u32,
) {
    let mut p = panels;
    loop {
        if p > 0 {
            publish(tiles, shared, pivot_steps, p - 1);
        }
        if p < panels && tiles.has_rhs {
            for i in 0..RHS {
                apply(&mut tiles.rhs[i], shared, pivot_steps, p);
            }
        }
        if p == 0 {
            return;
        }
        sync_threads();
        p -= 1;
    }
}

/// Where the divisors of panel `p` are published: a scale that makes each pivot moderate, and the reciprocal of the
/// scaled pivot. Each has shape (NB).
#[inline(always)]
fn divisors<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    p: u32,
) -> (Shared<T>, Shared<T>) {
    let scales = shared.saved_panel().offset(p % 2 * 2 * NB as u32);
    (scales, scales.offset(NB as u32))
}

/// Publishes the [`divisors`] of panel `p`. By a warp.
#[inline(always)]
fn publish_divisors<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    p: u32,
) {
    let lane = warp::lane();
    if lane < NB as u32 {
        let pivot = shared.pivots().load(p * NB as u32 + lane);
        let (scale, reciprocal) = pivot.scaled_reciprocal();
        let (scales, reciprocals) = divisors(shared, p);
        scales.store(lane, T::ONE.scale(scale));
        reciprocals.store(lane, reciprocal);
    }
}

/// Publishes panel `p` of U above the diagonal, zeros in all other rows, and its divisors. By the panel's owner.
#[inline(always)]
fn publish<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize, const RHS: usize>(
    tiles: &Tiles<T, LANE_ROWS, NB, PANELS, RHS>,
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    pivot_steps: &[u32; LANE_ROWS],
    p: u32,
) {
    let lane = warp::lane();
    let first = p * NB as u32;
    let columns = shared.multipliers(p).offset(lane);
    for s in 0..PANELS {
        if tiles.panel(s) == p {
            for c in 0..NB {
                for r in 0..LANE_ROWS {
                    let is_above = pivot_steps[r] < first + c as u32;
                    columns.store(
                        (c * 32 * LANE_ROWS + 32 * r) as u32,
                        if is_above { tiles.panels[s][r][c] } else { T::ZERO },
                    );
                }
            }
            publish_divisors(shared, p);
        }
    }
}

/// Solves with the diagonal block of panel `p`, and updates the rows above it.
#[inline(always)]
fn apply<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize>(
    rhs: &mut [T; LANE_ROWS],
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    pivot_steps: &[u32; LANE_ROWS],
    p: u32,
) {
    let lane = warp::lane();
    let first = p * NB as u32;
    let columns = shared.multipliers(p);
    let (scales, reciprocals) = divisors(shared, p);
    let given = shared.pivot_rows(); // shape (NB)
    let solved = given.offset(NB as u32); // shape (NB)
    for r in 0..LANE_ROWS {
        let k = pivot_steps[r].wrapping_sub(first);
        if k < NB as u32 {
            given.store(k, rhs[r]);
        }
    }
    warp::sync(warp::ALL);
    let mut x: [T; NB] = T::load_row(given, 0);
    let scales: [T; NB] = T::load_row(scales, 0);
    let reciprocals: [T; NB] = T::load_row(reciprocals, 0);
    for k in (0..NB).rev() {
        x[k] = x[k].scale(scales[k].abs1()) * reciprocals[k];
        for i in 0..k {
            let row = shared.pivot_order().load(first + i as u32);
            x[i] = x[i].sub_mul(columns.offset(row).load((k * 32 * LANE_ROWS) as u32), x[k]);
        }
    }
    if lane == 0 {
        T::store_row(solved, &x, 0);
    }
    warp::sync(warp::ALL);
    let own = columns.offset(lane);
    for r in 0..LANE_ROWS {
        for k in 0..NB {
            rhs[r] = rhs[r].sub_mul(own.load((k * 32 * LANE_ROWS + 32 * r) as u32), x[k]);
        }
        let k = pivot_steps[r].wrapping_sub(first);
        if k < NB as u32 {
            rhs[r] = solved.load(k);
        }
    }
}
