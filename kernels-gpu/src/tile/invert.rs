//! Inverse of a matrix that a block holds in registers: Gauss-Jordan elimination in place.
//!
//! Rows never move, and a pivot row is divided by its pivot when all is done. Then row i of the tiles is the row of the
//! inverse that is named after the step in which it was the pivot row, and column k belongs to the pivot row of step k.

use simt::shared::Shared;
use simt::{block, sync_threads, warp};

use crate::inverse::InvertArgs;
use crate::lu::NON_FINITE;
use crate::scalar::{Real, Scalar};
use crate::tile::board::{Board, OPEN};
use crate::tile::eliminate::eliminate;
use crate::tile::shape::{panels, zero_pivot};
use crate::tile::staging::Stage;
use crate::tile::tiles::Tiles;
use crate::vote::any_thread;
use crate::wide::Wide;

/// The body of the kernel for orders up to `32 * R`.
#[inline(always)]
pub fn invert_tile<T: Wide, const R: usize, const NB: usize, const Q: usize>(args: InvertArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let warps = block::dim() / warp::SIZE;
    let panels = panels::<NB>(n);
    let lane = warp::lane();
    // SAFETY: `shape` asks for these bytes; they are the stage's while panels are loaded and stored, with barriers between.
    let (board, stage) = unsafe { (Board::<T, R, NB, Q>::new(warps, panels), Stage::<T, R, NB>::new(0)) };
    let (a, inverse) = (args.a.matrix(b), args.inverse.matrix(b));

    let mut tiles = Tiles::<T, R, NB, Q>::zeros();
    stage.load_all(&mut tiles, &a, n);
    sync_threads();
    if warp::index() == 0 {
        board.clear();
    }
    eliminate::<T, R, NB, Q, 0, true>(&mut tiles, &board, n, panels, true);

    sync_threads();
    let steps = board.steps(panels + 1).offset(lane); // as the last panel left them
    let mut to_row = [0; R]; // where this lane's rows go
    for r in 0..R {
        let step = steps.load(32 * r as u32);
        to_row[r] = if step == OPEN { lane + 32 * r as u32 } else { step };
    }
    let mut to_column = [0; Q]; // where column `lane % NB` of each panel goes
    for s in 0..Q {
        if tiles.panel(s) < panels {
            to_column[s] = board.pivot_rows().load(tiles.panel(s) * NB as u32 + lane % NB as u32);
        }
    }
    let finite = divide(&mut tiles, &to_row, board.pivots(), panels * NB as u32);
    let non_finite = any_thread(!finite, board.flags());
    let status = if non_finite { NON_FINITE } else { zero_pivot(board.pivots(), n) };
    if warp::index() == 0 && lane == 0 {
        args.status.store(b as i64, status);
    }
    sync_threads(); // the board becomes the stage
    for s in 0..Q {
        let p = tiles.panel(s);
        if p < panels {
            if status != 0 {
                // Rows may have been taken from beyond the matrix: let all stay where they are.
                tiles.panels[s] = [[T::NAN; NB]; R];
                for r in 0..R {
                    to_row[r] = lane + 32 * r as u32;
                }
                to_column[s] = p * NB as u32 + lane % NB as u32;
            }
            let to = |c| warp::shuffle(warp::ALL, to_column[s], c);
            stage.store_columns(&tiles.panels[s], &to_row, &inverse, to, n);
        }
    }
}

/// Divides rows by the pivots of their steps, of which there are `end`, and says whether all that this lane has is finite.
#[inline(always)]
fn divide<T: Wide, const R: usize, const NB: usize, const Q: usize>(
    tiles: &mut Tiles<T, R, NB, Q>,
    steps: &[u32; R],
    pivots: Shared<T>,
    end: u32,
) -> bool {
    let (mut finite, mut is_moderate) = (true, true);
    let mut scales = [T::Real::ONE; R];
    let mut reciprocals = [T::ONE; R];
    for r in 0..R {
        let pivot = if steps[r] < end { pivots.load(steps[r]) } else { T::ONE };
        let pivot = if pivot == T::ZERO { T::ONE } else { pivot };
        finite &= pivot.is_finite(); // one that is not may leave no other trace
        is_moderate &= T::Real::MODERATE.contains(&pivot.abs1().to_words().0);
        scales[r] = T::Real::safe_scale(pivot.abs1());
        reciprocals[r] = pivot.scale(scales[r]).reciprocal();
    }
    if warp::any(warp::ALL, !is_moderate) {
        for s in 0..Q {
            for r in 0..R {
                for c in 0..NB {
                    tiles.panels[s][r][c] = tiles.panels[s][r][c].scale(scales[r]);
                }
            }
        }
    }
    for s in 0..Q {
        for r in 0..R {
            for c in 0..NB {
                tiles.panels[s][r][c] = tiles.panels[s][r][c] * reciprocals[r];
                finite &= tiles.panels[s][r][c].is_finite();
            }
        }
    }
    finite
}
