//! The elimination: panel after panel is factored and applied.

use simt::{block, sync_threads, warp};

use crate::tile::board::Board;
use crate::tile::factor::factor;
use crate::tile::positions::Positions;
use crate::tile::tiles::Tiles;
use crate::tile::update::{solve_rows, update, update_side};
use crate::tile::wide::Wide;

/// Eliminates a matrix of order `n`, in `panels` panels. Where `JORDAN`, in-place Gauss-Jordan; else LU, and L
/// is taken from right-hand sides.
///
/// After each barrier, a panel has been published. The owner of the next one applies it to that first, factors that, and
/// only then sees to the rest of its panels: the others are done with theirs by then.
#[inline(always)]
pub fn eliminate<T: Wide, const R: usize, const NB: usize, const Q: usize, const S: usize, const JORDAN: bool>(
    tiles: &mut Tiles<T, R, NB, Q, S>,
    board: &Board<T, R, NB, Q>,
    n: u32,
    panels: u32,
) {
    let warps = block::dim() / warp::SIZE;
    let mut owner = 0; // of panel p
    let mut p = 0;
    loop {
        let applies = p > 0 && (JORDAN || tiles.is_open(0) || tiles.has_side);
        let factors = p < panels && owner == warp::index();
        let held_before = (if owner == 0 { warps } else { owner }) - 1 == warp::index(); // panel p - 1
        let takes_part = |tiles: &Tiles<T, R, NB, Q, S>, s: usize| {
            applies && (tiles.is_open(s) || (JORDAN && tiles.is_factored(s) && !(held_before && s == Q - 1)))
        };
        if applies {
            solve_rows(tiles, board, p - 1);
        }
        if takes_part(tiles, 0) {
            update(&mut tiles.panels[0], board, p - 1, 0);
        }
        if factors {
            factor::<T, R, NB, Q, JORDAN>(&mut tiles.panels[0], board, p);
        }
        for s in 1..Q {
            if takes_part(tiles, s) {
                update(&mut tiles.panels[s], board, p - 1, s);
            }
        }
        if applies && tiles.has_side {
            for v in 0..S {
                update_side(&mut tiles.side[v], board, p - 1);
            }
        }
        if factors {
            tiles.push(tiles.panels[0]);
            tiles.factored += 1;
        }
        if p > 0 && held_before {
            interchange(board, p - 1, n);
        }
        if p == panels {
            return;
        }
        sync_threads();
        owner = if owner + 1 == warps { 0 } else { owner + 1 };
        p += 1;
    }
}

/// LAPACK's interchanges for panel `p` of a matrix of order `n`, and the positions they bring rows to. By the warp that has
/// factored it, while others factor the next.
#[inline(always)]
fn interchange<T: Wide, const R: usize, const NB: usize, const Q: usize>(board: &Board<T, R, NB, Q>, p: u32, n: u32) {
    let mut positions = Positions::<R>::load(board.positions(p + 1));
    let first = p * NB as u32;
    let end = if first + (NB as u32) < n { first + NB as u32 } else { n };
    let mut k = first;
    while k < end {
        let position = positions.interchange(k, board.pivot_rows().load(k));
        if warp::lane() == 0 {
            board.interchanges().store(k, position);
        }
        k += 1;
    }
    positions.store(board.positions(p + 2));
}
