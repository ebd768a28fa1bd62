//! The elimination: panel after panel is factored and applied.

use core::ops::Range;

use simt::{block, sync_threads, warp};

use crate::tile::board::Board;
use crate::tile::factor::factor;
use crate::tile::positions::interchange;
use crate::tile::tiles::Tiles;
use crate::tile::update::{solve_rows, update, update_side};
use crate::wide::Wide;

/// Eliminates panels `first..end` of a matrix of order `n`, which the block holds. Where `JORDAN`, in-place Gauss-Jordan; else
/// LU, and L is taken from right-hand sides. LAPACK's `interchanges` are noted by warps that wait for others; without, ties are
/// not LAPACK's either.
///
/// After each barrier, a panel has been published. The owner of the next one applies it to that first, factors and publishes
/// that, and sees to the rest of its panels only when the others have gone on. In each round every warp factors the panel in
/// its slot 0; then panels move up.
#[inline(always)]
pub fn eliminate<T: Wide, const R: usize, const NB: usize, const Q: usize, const S: usize, const JORDAN: bool>(
    tiles: &mut Tiles<T, R, NB, Q, S>,
    board: &Board<T, R, NB, Q>,
    n: u32,
    (first, end): (u32, u32),
    interchanges: bool,
) {
    let warps = block::dim() / warp::SIZE;
    let mut p = first;
    loop {
        let mut owner = 0;
        while owner < warps {
            let is_owner = p < end && owner == warp::index();
            if p > first {
                apply::<T, R, NB, Q, S, JORDAN>(tiles, board, p, end, 0..1);
            }
            if is_owner {
                factor::<T, R, NB, Q, JORDAN>(&mut tiles.panels[0], board, p, n, interchanges);
                meet();
            }
            if p > first {
                apply::<T, R, NB, Q, S, JORDAN>(tiles, board, p, end, 1..Q);
                if tiles.has_side {
                    for v in 0..S {
                        update_side(&mut tiles.side[v], board, p - 1);
                    }
                }
                if interchanges && (if owner == 0 { warps } else { owner }) - 1 == warp::index() {
                    interchange(board, p - 1, n);
                }
            }
            if p == end {
                return;
            }
            if !is_owner {
                meet();
            }
            owner += 1;
            p += 1;
        }
        tiles.turn();
    }
}

/// Waits for all warps, which come here from different places.
#[inline(always)]
fn meet() {
    sync_threads();
}

/// Applies panel `p - 1` to this warp's panels in these slots, as far as they are concerned.
#[inline(always)]
pub fn apply<T: Wide, const R: usize, const NB: usize, const Q: usize, const S: usize, const JORDAN: bool>(
    tiles: &mut Tiles<T, R, NB, Q, S>,
    board: &Board<T, R, NB, Q>,
    p: u32,
    panels: u32,
    slots: Range<usize>,
) {
    let is_first = slots.start == 0;
    let mut any = tiles.has_side; // of all slots
    for s in 0..Q {
        any |= is_concerned::<JORDAN>(tiles.panel(s), p, panels);
    }
    if is_first && any {
        solve_rows(tiles, board, p - 1);
    }
    for s in slots {
        if is_concerned::<JORDAN>(tiles.panel(s), p, panels) {
            update(&mut tiles.panels[s], board, p - 1, s, R);
        }
    }
}

/// Whether panel `q` changes when panel `p - 1` is applied.
#[inline(always)]
fn is_concerned<const JORDAN: bool>(q: u32, p: u32, panels: u32) -> bool {
    q < panels && if JORDAN { q != p - 1 } else { q >= p }
}
