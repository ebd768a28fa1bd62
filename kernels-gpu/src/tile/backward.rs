//! Back substitution with a factored matrix.

use simt::shared::Shared;
use simt::{sync_threads, warp};

use crate::scalar::Real;
use crate::tile::board::Board;
use crate::tile::tiles::Tiles;
use crate::wide::Wide;

/// Solves U x = y: right-hand sides that L has been taken from become solutions, of which row i is in the place of the pivot
/// row of step i. `steps` says for this lane's rows which step was theirs.
///
/// Each panel's owner publishes it, where multipliers were before. After a barrier, warps with a right-hand side apply it,
/// and the next one is published meanwhile.
#[inline(always)]
pub fn substitute_back<T: Wide, const R: usize, const NB: usize, const Q: usize, const S: usize>(
    tiles: &mut Tiles<T, R, NB, Q, S>,
    board: &Board<T, R, NB, Q>,
    steps: &[u32; R],
    panels: u32,
) {
    let mut p = panels;
    loop {
        if p > 0 {
            publish(tiles, board, steps, p - 1);
        }
        if p < panels && tiles.has_side {
            for v in 0..S {
                apply(&mut tiles.side[v], board, steps, p);
            }
        }
        if p == 0 {
            return;
        }
        sync_threads();
        p -= 1;
    }
}

/// For each pivot of panel `p`, as [`publish_divisors`] has it, a factor that makes it moderate, and the reciprocal of the product:
/// each of shape (NB).
#[inline(always)]
fn divisors<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    board: &Board<T, R, NB, Q>,
    p: u32,
) -> (Shared<T>, Shared<T>) {
    let scales = board.saved().offset(p % 2 * 2 * NB as u32);
    (scales, scales.offset(NB as u32))
}

/// Publishes the divisors of panel `p`. By a warp.
#[inline(always)]
fn publish_divisors<T: Wide, const R: usize, const NB: usize, const Q: usize>(board: &Board<T, R, NB, Q>, p: u32) {
    let lane = warp::lane();
    if lane < NB as u32 {
        let pivot = board.pivots().load(p * NB as u32 + lane);
        let scale = T::Real::safe_scale(pivot.abs1());
        let (scales, reciprocals) = divisors(board, p);
        scales.store(lane, T::ONE.scale(scale));
        reciprocals.store(lane, pivot.scale(scale).reciprocal());
    }
}

/// Publishes U of panel `p` above its diagonal, with zeros in all other rows, and its divisors. By the warp that has it.
#[inline(always)]
fn publish<T: Wide, const R: usize, const NB: usize, const Q: usize, const S: usize>(
    tiles: &Tiles<T, R, NB, Q, S>,
    board: &Board<T, R, NB, Q>,
    steps: &[u32; R],
    p: u32,
) {
    let lane = warp::lane();
    let first = p * NB as u32;
    let columns = board.multipliers(p).offset(lane);
    for s in 0..Q {
        if tiles.panel(s) == p {
            for c in 0..NB {
                for r in 0..R {
                    let is_above = steps[r] < first + c as u32;
                    columns.store((c * 32 * R + 32 * r) as u32, if is_above { tiles.panels[s][r][c] } else { T::ZERO });
                }
            }
            publish_divisors(board, p);
        }
    }
}

/// Solves for the rows of panel `p`, and takes its columns of U from a right-hand side.
#[inline(always)]
fn apply<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    side: &mut [T; R],
    board: &Board<T, R, NB, Q>,
    steps: &[u32; R],
    p: u32,
) {
    let lane = warp::lane();
    let first = p * NB as u32;
    let columns = board.multipliers(p);
    let (scales, reciprocals) = divisors(board, p);
    let given = board.rows(warp::index()); // [NB]
    let solved = given.offset(NB as u32); // [NB]
    for r in 0..R {
        let k = steps[r].wrapping_sub(first);
        if k < NB as u32 {
            given.store(k, side[r]);
        }
    }
    warp::sync(warp::ALL);
    let mut x: [T; NB] = T::load_row(given, 0);
    let scales: [T; NB] = T::load_row(scales, 0);
    let reciprocals: [T; NB] = T::load_row(reciprocals, 0);
    for k in (0..NB).rev() {
        x[k] = x[k].scale(scales[k].abs1()) * reciprocals[k];
        for i in 0..k {
            let row = board.pivot_rows().load(first + i as u32);
            x[i] = x[i].sub_mul(columns.offset(row).load((k * 32 * R) as u32), x[k]);
        }
    }
    if lane == 0 {
        T::store_row(solved, &x, 0);
    }
    warp::sync(warp::ALL);
    let own = columns.offset(lane);
    for r in 0..R {
        for k in 0..NB {
            side[r] = side[r].sub_mul(own.load((k * 32 * R + 32 * r) as u32), x[k]);
        }
        let k = steps[r].wrapping_sub(first);
        if k < NB as u32 {
            side[r] = solved.load(k);
        }
    }
}
