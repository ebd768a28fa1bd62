//! A factored panel applied to the panels of a warp.

use simt::hint::opaque;
use simt::warp;

use crate::tile::board::Board;
use crate::tile::tiles::{Panel, Tiles};
use crate::wide::Wide;

/// Puts the pivot rows of panel `p`, as they are in this warp's panels, into shared memory. A right-hand side is the column after
/// the others.
#[inline(always)]
pub fn send_rows<T: Wide, const R: usize, const NB: usize, const Q: usize, const S: usize>(
    tiles: &Tiles<T, R, NB, Q, S>,
    board: &Board<T, R, NB, Q>,
    p: u32,
) {
    let steps = board.steps(p).offset(warp::lane());
    let rows = board.rows(warp::index());
    let mut to = [None; R]; // where a row goes
    for r in 0..R {
        let k = steps.load(32 * r as u32).wrapping_sub(p * NB as u32);
        if k < NB as u32 {
            to[r] = Some(rows.offset(k * Board::<T, R, NB, Q>::ROW));
        }
    }
    warp::sync(warp::ALL); // all lanes are done with the rows of the panel before
    for s in 0..Q {
        for r in 0..R {
            if let Some(row) = to[r] {
                T::store_row(row.offset((s * NB) as u32), &tiles.panels[s][r], 0);
            }
        }
    }
    for v in 0..S {
        for r in 0..R {
            if let Some(row) = to[r] {
                row.store((Q * NB + v) as u32, tiles.side[v][r]);
            }
        }
    }
    warp::sync(warp::ALL);
}

/// The rows of U that panel `p` brings to this warp's panels: the pivot rows that it has sent, less what pivot rows before them
/// take away. Each lane solves for a column.
#[inline(always)]
pub fn solve_rows<T: Wide, const R: usize, const NB: usize, const Q: usize, const S: usize>(
    board: &Board<T, R, NB, Q>,
    p: u32,
) {
    let rows = board.rows(warp::index());
    let block = board.block(p);
    let mut column = warp::lane();
    while column < (Q * NB + S) as u32 {
        let column_of = rows.offset(column);
        let mut u = [T::ZERO; NB];
        for k in 0..NB {
            u[k] = column_of.load(k as u32 * Board::<T, R, NB, Q>::ROW);
        }
        let mut l = [[T::ZERO; NB]; NB];
        for i in 1..NB {
            l[i] = T::load_row(block.offset(i as u32 * Board::<T, R, NB, Q>::BLOCK_ROW), 0);
        }
        for k in 0..NB {
            for i in k + 1..NB {
                u[i] = u[i].sub_mul(l[i][k], u[k]);
            }
        }
        for i in 1..NB {
            column_of.store(i as u32 * Board::<T, R, NB, Q>::ROW, u[i]);
        }
        column += warp::SIZE;
    }
    warp::sync(warp::ALL);
}

/// Applies panel `p` to the panel in slot `s`.
#[inline(always)]
pub fn update<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    x: &mut Panel<T, R, NB>,
    board: &Board<T, R, NB, Q>,
    p: u32,
    s: usize,
) {
    let mut multipliers = board.multipliers(p).offset(warp::lane());
    let mut row = board.rows(warp::index()).offset((s * NB) as u32);
    for _ in 0..opaque(NB as u32) {
        let u: [T; NB] = T::load_row(row, 0);
        for r in 0..R {
            let l = multipliers.load(32 * r as u32);
            for c in 0..NB {
                x[r][c] = x[r][c].sub_mul(l, u[c]);
            }
        }
        multipliers = multipliers.offset(32 * R as u32);
        row = row.offset(Board::<T, R, NB, Q>::ROW);
    }
}

/// Applies panel `p` to a right-hand side.
#[inline(always)]
pub fn update_side<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    side: &mut [T; R],
    board: &Board<T, R, NB, Q>,
    p: u32,
) {
    let multipliers = board.multipliers(p).offset(warp::lane());
    let column = board.rows(warp::index()).offset((Q * NB) as u32);
    for k in 0..NB {
        let u = column.load(k as u32 * Board::<T, R, NB, Q>::ROW);
        for r in 0..R {
            side[r] = side[r].sub_mul(multipliers.load((k * 32 * R + 32 * r) as u32), u);
        }
    }
}
