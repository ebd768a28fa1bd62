//! The elimination by several warps: warp 0 factors panels, the others prepare the panels to come.
//!
//! ```text
//! in round p    all warps      apply panel p - 1 to panel p, and make its interchanges in L
//!               warp 0         factors panel p
//!               other warps    apply panels before p to panels p + 1 .. p + WARPS - 1, one panel each
//! ```
//!
//! Panel p belongs to warp `1 + (p - 1) % (WARPS - 1)`, which holds it in registers for the `WARPS - 1` rounds before
//! round p, and makes the interchanges of each round in it. At the end of round p - 1 it goes to shared memory.

use simt::{pipeline, sync_threads, warp};

use crate::collective::mma::Mma;
use crate::schedule::left_looking::NB;
use crate::schedule::left_looking::apply::apply_latest;
use crate::schedule::left_looking::laswp::{
    laswp_panels_by_warps, laswp_permutation, own_row_copy, publish_interchanges,
};
use crate::schedule::left_looking::panel::factor;
use crate::schedule::left_looking::sink::Sink;
use crate::schedule::left_looking::storage::SharedStorage;
use crate::schedule::left_looking::store_factors::store_diagonal_block;
use crate::schedule::left_looking::tiles::{Tiles, request_panel};
use numbers::matrix::GlobalMatrix;

/// As [`eliminate`](crate::schedule::left_looking::eliminate::eliminate), by `WARPS` warps, three or more. Warp 0 has a
/// loop of its own: in a common one, all warps would need the registers of both.
#[inline(always)]
pub fn eliminate<T: Mma, const TILES: usize, const WARPS: u32, const WARP_TILES: usize, const RHS: usize>(
    shared: &SharedStorage<T>,
    a: &GlobalMatrix<T>,
    to: &impl Sink<T>,
    n: u32,
    zero: &mut u32,
) -> bool {
    let panels = n.div_ceil(NB);
    if warp::index() == 0 {
        request_panel(shared.panel(0), shared.height(0), a, 0, n);
        shared.clear();
    }
    sync_threads(); // the permutation is there
    let mut finite = true;
    if warp::index() == 0 {
        let mut p = 0;
        while p < panels {
            finite &= begin_round::<T, WARP_TILES, WARPS>(shared, to, p, n);
            factor::<T, TILES, RHS>(shared, p, n, zero);
            publish_interchanges(shared, p, n);
            p += 1;
        }
    } else {
        finite &= prepare_panels::<T, TILES, WARPS, WARP_TILES>(shared, a, to, n);
    }
    sync_threads(); // the last panel is factored
    laswp_panels_by_warps::<T, WARPS>(shared, panels - 1);
    sync_threads(); // its rows are in order
    finite & (warp::index() != 1 || store_diagonal_block(shared, to, panels - 1, n))
}

/// Waits until panel `p` is in shared memory and panel p - 1 is factored, and applies the latter. Whether U is finite.
#[inline(always)]
fn begin_round<T: Mma, const WARP_TILES: usize, const WARPS: u32>(
    shared: &SharedStorage<T>,
    to: &impl Sink<T>,
    p: u32,
    n: u32,
) -> bool {
    pipeline::wait_prior::<0>(); // what this warp has requested
    sync_threads();
    p == 0 || apply_latest::<T, WARP_TILES, WARPS>(shared, to, p, n)
}

/// Prepares this warp's panels, and takes part in all rounds. Whether what it stores is finite.
#[inline(always)]
fn prepare_panels<T: Mma, const TILES: usize, const WARPS: u32, const WARP_TILES: usize>(
    shared: &SharedStorage<T>,
    a: &GlobalMatrix<T>,
    to: &impl Sink<T>,
    n: u32,
) -> bool {
    let panels = n.div_ceil(NB);
    let mut finite = true;
    let mut own = warp::index(); // the panel that this warp prepares
    let mut applied = 0; // panels applied to it
    let mut tiles = Tiles::<T, TILES>::load_global(shared, a, own, n);
    if SharedStorage::<T>::has_staging(WARPS) && own == WARPS - 1 && own + 1 < panels {
        request_panel(shared.staging, shared.height(0), a, own + 1, n);
    }
    let mut p = 0;
    while p < panels {
        finite &= begin_round::<T, WARP_TILES, WARPS>(shared, to, p, n);
        if own == p {
            finite &= store_diagonal_block(shared, to, p - 1, n);
            (own, applied) = (own + WARPS - 1, 0);
            if own < panels {
                laswp_permutation(shared, p - 1, own_row_copy(shared, p - 1));
                tiles = if SharedStorage::<T>::has_staging(WARPS) {
                    Tiles::load_staged(shared, a, own, n)
                } else {
                    Tiles::load_global(shared, a, own, n)
                };
            }
        } else if p > 0 && own < panels {
            tiles.laswp(shared, p - 1, applied);
        }
        if own < panels {
            // Spread the work over the rounds: fewer panels in early rounds, as the first panels are the highest.
            let rounds_left = own - p - 1;
            let due = ((own - 1) * (WARPS - 1 - rounds_left)).saturating_sub(3 * rounds_left).div_ceil(WARPS - 1);
            let until = if due < p { due } else { p };
            finite &= tiles.apply(shared, to, applied..until, own, n);
            applied = until;
            if rounds_left == 0 {
                tiles.store(shared, p, own);
            }
        }
        p += 1;
    }
    finite
}
