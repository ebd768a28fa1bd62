//! A^-1 but for its columns' order, W = U^-1 L^-1, from factors that are put away; in place of them (LAPACK `xGETRI`).
//!
//! Two sweeps: V U = I from the first panel to the last, then W L = V back to the first. In each, a panel is corrected by
//! those that are done, and solved with its own triangle. Parts of the panels are held in registers, one after the other; what
//! a panel is multiplied by is in its own columns, where they are put away.

use simt::{block, sync_threads, warp};

use crate::matrix::{GlobalMatrix, View};
use crate::shape::quotient;
use crate::tile::backward::{divisors, publish_divisors};
use crate::tile::board::Board;
use crate::tile::incoming::Incoming;
use crate::tile::lu::panels;
use crate::tile::staging::Stage;
use crate::tile::tiles::{Panel, Tiles, own_rows};
use crate::tile::update::update;
use crate::wide::Wide;

/// One sweep: V in place of U where `is_upper`, else W in place of V and L. Whether all of this lane's numbers are finite.
#[inline(always)]
pub(super) fn sweep<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    matrix: &GlobalMatrix<T>,
    board: &Board<T, R, NB, Q>,
    stage: &Stage<T, R, NB>,
    n: u32,
    is_upper: bool,
) -> bool {
    let panels = panels::<NB>(n);
    let size = Q as u32 * (block::dim() / warp::SIZE);
    let parts = quotient(panels + size - 1, size);
    let mut finite = true;
    let mut part = 0;
    while part < parts {
        let first = size * if is_upper { part } else { parts - 1 - part };
        let mut tiles = begin(matrix, stage, first, n, is_upper);
        solve(&mut tiles, matrix, board, first, n, is_upper);
        for s in 0..Q {
            let column = tiles.panel(s) * NB as u32;
            // L stays until the second sweep.
            let wanted = |i, j| j < n && if is_upper { i <= j } else { i < n };
            stage.store_wanted(&tiles.panels[s], &own_rows(), matrix, |c| column + c, wanted);
            for r in 0..R {
                for c in 0..NB {
                    finite &= tiles.panels[s][r][c].is_finite();
                }
            }
        }
        sync_threads(); // others see what was stored
        part += 1;
    }
    finite
}

/// The right-hand sides of the panels from `first` on: columns of I, or of V.
#[inline(always)]
fn begin<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    matrix: &GlobalMatrix<T>,
    stage: &Stage<T, R, NB>,
    first: u32,
    n: u32,
    is_upper: bool,
) -> Tiles<T, R, NB, Q> {
    let mut tiles = Tiles::<T, R, NB, Q>::new(first);
    if !is_upper {
        stage.load_all(&mut tiles, matrix, n);
    }
    let rows = own_rows::<R>();
    for s in 0..Q {
        for r in 0..R {
            for c in 0..NB {
                let column = tiles.panel(s) * NB as u32 + c as u32;
                let (keep, fill) = if is_upper { (false, rows[r] == column) } else { (rows[r] <= column, false) };
                let fill = if fill { T::ONE } else { T::ZERO };
                tiles.panels[s][r][c] = if keep { tiles.panels[s][r][c] } else { fill };
            }
        }
    }
    tiles
}

/// Solves for the panels that the block holds, from `first` on: all that are done before are applied, then each of these.
#[inline(always)]
fn solve<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    tiles: &mut Tiles<T, R, NB, Q>,
    matrix: &GlobalMatrix<T>,
    board: &Board<T, R, NB, Q>,
    first: u32,
    n: u32,
    is_upper: bool,
) {
    let panels = panels::<NB>(n);
    let size = Q as u32 * (block::dim() / warp::SIZE);
    let end = if first + size < panels { first + size } else { panels };
    let steps = if is_upper { end } else { panels - first };
    let nth = |step| if is_upper { step } else { panels - 1 - step };
    let wanted = |i, j| i < n && j < n && (!is_upper || i <= j);

    let mut incoming = Incoming::<T, R, NB>::new(matrix);
    let is_done = |p| if is_upper { p < first } else { p >= end };
    if is_done(nth(0)) {
        incoming.request(nth(0), wanted);
    }
    let mut rows = request_rows(tiles, matrix, nth(0), n);
    let mut step = 0;
    while step < steps {
        let p = nth(step);
        publish_rows(board, &rows);
        if is_done(p) {
            incoming.publish(board, p, wanted);
        } else {
            for s in 0..Q {
                if tiles.panel(s) == p {
                    publish_divisors(board, p);
                    warp::sync(warp::ALL);
                    if is_upper {
                        finish::<T, R, NB, Q, true>(&mut tiles.panels[s], board, p, s);
                    } else {
                        finish::<T, R, NB, Q, false>(&mut tiles.panels[s], board, p, s);
                    }
                }
            }
        }
        sync_threads();
        if step + 1 < steps {
            if is_done(nth(step + 1)) {
                incoming.request(nth(step + 1), wanted);
            }
            rows = request_rows(tiles, matrix, nth(step + 1), n);
        }
        for s in 0..Q {
            let q = tiles.panel(s);
            if q < panels && if is_upper { q > p } else { q < p } {
                // V is zero below the diagonal.
                if is_upper && (p + 1) * NB as u32 <= 32 * (R / 2) as u32 {
                    update(&mut tiles.panels[s], board, p, s, R / 2);
                } else {
                    update(&mut tiles.panels[s], board, p, s, R);
                }
            }
        }
        step += 1;
    }
}

/// Solves a panel that all others have been applied to with its triangle, from the right, and publishes it.
#[inline(always)]
fn finish<T: Wide, const R: usize, const NB: usize, const Q: usize, const UPPER: bool>(
    x: &mut Panel<T, R, NB>,
    board: &Board<T, R, NB, Q>,
    p: u32,
    s: usize,
) {
    let triangle = board.rows(warp::index()).offset((s * NB) as u32);
    let multipliers = board.multipliers(p).offset(warp::lane());
    let (scales, reciprocals) = divisors(board, p);
    for step in 0..NB {
        // Row k of a triangle takes from the columns after it, or before; so column k is done when its turn comes.
        let k = if UPPER { step } else { NB - 1 - step };
        let row: [T; NB] = T::load_row(triangle.offset(k as u32 * Board::<T, R, NB, Q>::ROW), 0);
        if UPPER {
            let (scale, reciprocal) = (scales.load(k as u32).abs1(), reciprocals.load(k as u32));
            for r in 0..R {
                x[r][k] = x[r][k].scale(scale) * reciprocal;
            }
        }
        for r in 0..R {
            multipliers.store((k * 32 * R + 32 * r) as u32, x[r][k]);
            for c in 0..NB {
                if if UPPER { c > k } else { c < k } {
                    x[r][c] = x[r][c].sub_mul(x[r][k], row[c]);
                }
            }
        }
    }
}

/// Sends for rows of panel `p` in the columns of this warp's panels; beyond the matrix they are 0. Element e of each block is
/// held by lane e % 32: shape (Q, NB), of which the first NB NB / 32 are in use.
#[inline(always)]
fn request_rows<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    tiles: &Tiles<T, R, NB, Q>,
    matrix: &GlobalMatrix<T>,
    p: u32,
    n: u32,
) -> [[T; NB]; Q] {
    let mut blocks = [[T::ZERO; NB]; Q];
    for s in 0..Q {
        for e in 0..(NB * NB).div_ceil(32) {
            let (k, c) = element::<NB>(e);
            let (row, column) = (p * NB as u32 + k, tiles.panel(s) * NB as u32 + c);
            if c < NB as u32 && row < n && column < n {
                blocks[s][e] = matrix.load(row, column);
            }
        }
    }
    blocks
}

/// Hands them out to this warp's lanes.
#[inline(always)]
fn publish_rows<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    board: &Board<T, R, NB, Q>,
    blocks: &[[T; NB]; Q],
) {
    let rows = board.rows(warp::index());
    warp::sync(warp::ALL); // all lanes are done with those before
    for s in 0..Q {
        for e in 0..(NB * NB).div_ceil(32) {
            let (k, c) = element::<NB>(e);
            if c < NB as u32 {
                rows.store(k * Board::<T, R, NB, Q>::ROW + (s * NB) as u32 + c, blocks[s][e]);
            }
        }
    }
    warp::sync(warp::ALL);
}

/// Row and column, in a block, of this lane's element `e`.
#[inline(always)]
fn element<const NB: usize>(e: usize) -> (u32, u32) {
    let at = warp::lane() + 32 * e as u32;
    (at % NB as u32, at / NB as u32)
}
