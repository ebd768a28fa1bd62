//! The elimination: panel after panel is factored and applied.

use core::ops::Range;

use simt::{block, sync_threads, warp};

use crate::tile::board::Board;
use crate::tile::factor::factor;
use crate::tile::tiles::Tiles;
use crate::tile::update::{send_rows, solve_rows, update, update_side};
use crate::wide::Wide;

/// Eliminates the panels of a matrix of order `n`. Where `JORDAN`, in-place Gauss-Jordan; else
/// LU, and L is taken from right-hand sides. Each panel is applied to those after it, and where it goes `backwards`, to those
/// before, too.
///
/// After each barrier, a panel has been published. The owner of the next one applies it to that first, factors and publishes
/// that, and sees to the rest of its panels only when the others have gone on. In each round every warp factors the panel in
/// its slot 0; then panels move up.
#[inline(always)]
pub fn eliminate<T: Wide, const R: usize, const NB: usize, const Q: usize, const S: usize, const JORDAN: bool>(
    tiles: &mut Tiles<T, R, NB, Q, S>,
    board: &Board<T, R, NB, Q>,
    n: u32,
    panels: u32,
    backwards: bool,
) {
    let warps = block::dim() / warp::SIZE;
    let is_concerned = |p: u32| move |q: u32| q < panels && (q > p || (backwards && q < p));
    let mut p = 0;
    loop {
        let mut owner = 0;
        while owner < warps {
            let is_owner = p < panels && owner == warp::index();
            if p > 0 {
                apply(tiles, board, p - 1, 0..1, is_concerned(p - 1));
            }
            if is_owner {
                factor::<T, R, NB, Q, JORDAN>(&mut tiles.panels[0], board, p, n);
                meet();
            }
            if p > 0 {
                apply(tiles, board, p - 1, 1..Q, is_concerned(p - 1));
                if tiles.has_side {
                    for v in 0..S {
                        update_side(&mut tiles.side[v], board, p - 1);
                    }
                }
            }
            if p == panels {
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

/// Applies panel `p` to those of this warp's panels in these slots that are concerned.
#[inline(always)]
fn apply<T: Wide, const R: usize, const NB: usize, const Q: usize, const S: usize>(
    tiles: &mut Tiles<T, R, NB, Q, S>,
    board: &Board<T, R, NB, Q>,
    p: u32,
    slots: Range<usize>,
    is_concerned: impl Fn(u32) -> bool,
) {
    let mut any = tiles.has_side; // of all slots
    for s in 0..Q {
        any |= is_concerned(tiles.panel(s));
    }
    if slots.start == 0 && any {
        send_rows(tiles, board, p);
        solve_rows::<T, R, NB, Q, S>(board, p);
    }
    for s in slots {
        if is_concerned(tiles.panel(s)) {
            update(&mut tiles.panels[s], board, p, s);
        }
    }
}
