//! The elimination: panels are factored one by one, each by its owner, while other warps still apply the panel before.
//!
//! At each barrier a panel has been published. The owner of the next one updates, factors and publishes that before it
//! updates its other panels. In each round, every warp factors the panel in its slot 0; then panels rotate.

use core::ops::Range;

use simt::{block, sync_threads, warp};

use crate::memory::vector::Vectorized;
use crate::schedule::register_blocked::panel::factor;
use crate::schedule::register_blocked::storage::SharedStorage;
use crate::schedule::register_blocked::tiles::Tiles;
use crate::schedule::register_blocked::update::{apply_panel, apply_panel_to_rhs, gather_pivot_rows, solve_pivot_rows};

/// Eliminates all columns of a matrix of order `n`: LU with forward substitution; or, if `JORDAN`, in-place
/// Gauss-Jordan, where each panel is also applied to the panels before it.
#[inline(always)]
pub fn eliminate<
    T: Vectorized,
    const LANE_ROWS: usize,
    const NB: usize,
    const PANELS: usize,
    const RHS: usize,
    const JORDAN: bool,
>(
    tiles: &mut Tiles<T, LANE_ROWS, NB, PANELS, RHS>,
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    n: u32,
    panels: u32,
) {
    let warps = block::dim() / warp::SIZE;
    let needs_update = |p: u32| move |q: u32| q < panels && (q > p || (JORDAN && q < p));
    let mut p = 0;
    loop {
        let mut owner = 0;
        while owner < warps {
            let is_owner = p < panels && owner == warp::index();
            if p > 0 {
                apply_to_slots(tiles, shared, p - 1, 0..1, needs_update(p - 1));
            }
            if is_owner {
                factor::<T, LANE_ROWS, NB, PANELS, JORDAN>(&mut tiles.panels[0], shared, p, n);
                panel_barrier();
            }
            if p > 0 {
                apply_to_slots(tiles, shared, p - 1, 1..PANELS, needs_update(p - 1));
                if tiles.has_rhs {
                    for i in 0..RHS {
                        apply_panel_to_rhs(&mut tiles.rhs[i], shared, p - 1);
                    }
                }
            }
            if p == panels {
                return;
            }
            if !is_owner {
                panel_barrier();
            }
            owner += 1;
            p += 1;
        }
        tiles.rotate();
    }
}

/// The barrier of the owner and of the others: one call, because the emulator wants all threads at the same place.
#[inline(always)]
fn panel_barrier() {
    sync_threads();
}

/// Applies panel `p` to the panels in these slots that need it. The first call for a panel computes U12 for all slots.
#[inline(always)]
fn apply_to_slots<T: Vectorized, const LANE_ROWS: usize, const NB: usize, const PANELS: usize, const RHS: usize>(
    tiles: &mut Tiles<T, LANE_ROWS, NB, PANELS, RHS>,
    shared: &SharedStorage<T, LANE_ROWS, NB, PANELS>,
    p: u32,
    slots: Range<usize>,
    needs_update: impl Fn(u32) -> bool,
) {
    let mut any = tiles.has_rhs; // whether any slot needs it
    for s in 0..PANELS {
        any |= needs_update(tiles.panel(s));
    }
    if slots.start == 0 && any {
        gather_pivot_rows(tiles, shared, p);
        solve_pivot_rows::<T, LANE_ROWS, NB, PANELS, RHS>(shared, p);
    }
    for s in slots {
        if needs_update(tiles.panel(s)) {
            apply_panel(&mut tiles.panels[s], shared, p, s);
        }
    }
}
