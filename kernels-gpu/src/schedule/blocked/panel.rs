//! A panel factored by a block: each lane has whole rows of it.

use simt::hint::opaque;
use simt::{block, warp};

use crate::numbers::mma::Mma;
use crate::numbers::scalar::Real;
use crate::schedule::blocked::find_pivot::find_pivot;
use crate::schedule::blocked::fragment::{Place, Tile};
use crate::schedule::blocked::storage::SharedStorage;
use crate::schedule::blocked::{NB, OPEN};

/// A lane's rows of a panel.
pub struct Rows<T, const R: usize> {
    /// Row `32 * (warp * R + r) + lane`.
    pub x: [[T; NB]; R],
    /// All ones for rows that may become pivot rows.
    pub open: [u32; R],
}

impl<T: Mma, const R: usize> Rows<T, R> {
    /// The number of its row `r`.
    #[inline(always)]
    pub fn row(&self, r: usize) -> u32 {
        (warp::index() * R as u32 + r as u32) * 32 + warp::lane()
    }

    /// The rows of a panel, from the lanes that have them as a tile.
    #[inline(always)]
    fn of<const S: usize, const W: usize>(tile: &Tile<T, R>, board: &SharedStorage<T, R, S, W>) -> Self {
        let (place, turn) = (Place::own::<R>(), board.turn());
        let to = turn.offset(warp::lane() / 4 * SharedStorage::<T, R, S, W>::TURN + place.column);
        for i in 0..4 * R {
            let [first, second] = [0, 1].map(|c| board.apart(tile[i / 4][i / 2 % 2][i % 2 * 2 + c]));
            T::store_pair(to.offset(8 * i as u32 * SharedStorage::<T, R, S, W>::TURN), [first, second]);
        }
        warp::sync(warp::ALL);
        let mut rows = Self { x: [[T::ZERO; NB]; R], open: [0; R] };
        for r in 0..R {
            rows.x[r] = T::load_row(turn.offset((32 * r as u32 + warp::lane()) * SharedStorage::<T, R, S, W>::TURN), 0);
            rows.open[r] = if board.steps.load(rows.row(r)) == OPEN { u32::MAX } else { 0 };
        }
        rows
    }

    /// The tile that these rows are.
    #[inline(always)]
    fn to_tile<const S: usize, const W: usize>(&self, board: &SharedStorage<T, R, S, W>) -> Tile<T, R> {
        let (place, turn) = (Place::own::<R>(), board.turn());
        for r in 0..R {
            T::store_row(
                turn.offset((32 * r as u32 + warp::lane()) * SharedStorage::<T, R, S, W>::TURN),
                &self.x[r],
                0,
            );
        }
        warp::sync(warp::ALL);
        let from = turn.offset(warp::lane() / 4 * SharedStorage::<T, R, S, W>::TURN + place.column);
        let mut tile = [[[T::ZERO; 4]; 2]; R];
        for i in 0..4 * R {
            let pair = T::load_pair(from.offset(8 * i as u32 * SharedStorage::<T, R, S, W>::TURN));
            for c in 0..2 {
                tile[i / 4][i / 2 % 2][i % 2 * 2 + c] = board.apart(pair[c]);
            }
        }
        warp::sync(warp::ALL);
        tile
    }
}

/// Factors panel `p` of a matrix of order `n`: afterwards the rows that were pivot rows before hold U, the others L, as LAPACK
/// leaves them. Publishes steps, pivot rows, and minus the inverse of the panel's triangle of L. `zero` becomes the first zero
/// pivot, counted from 1, unless there was one.
///
/// Where `JORDAN`, rows that were pivot rows are eliminated like the others, and the panel becomes its part of the inverse, but for
/// its rows' division by their pivots (in-place Gauss-Jordan); then pivots are published instead of the inverse.
#[inline(always)]
pub fn factor<T: Mma, const R: usize, const S: usize, const W: usize, const JORDAN: bool>(
    tile: &mut Tile<T, R>,
    board: &SharedStorage<T, R, S, W>,
    p: u32,
    n: u32,
    zero: &mut u32,
) {
    let mut rows = Rows::of(tile, board);
    let mut warps = 0; // which have the pivot rows, four bits each
    for c in 0..NB {
        let k = p * NB as u32 + c as u32;
        if k < n {
            let pivot = find_pivot::<T, R, S, W, JORDAN>(&rows, board, c, k);
            let candidate = board.candidate(c, pivot.warp);
            let row: [T; NB] = T::load_row(candidate, if JORDAN { 0 } else { c });
            let reciprocal = candidate.load(NB as u32);
            warps |= pivot.warp << (4 * c);
            let mut quotients = [T::ZERO; R];
            for r in 0..R {
                quotients[r] = rows.x[r][c] * reciprocal;
            }
            if !T::Real::MODERATE.contains(&pivot.upper) {
                let scale = T::Real::safe_scale(row[c].abs1());
                let reciprocal = row[c].scale(scale).reciprocal();
                let is_zero = row[c] == T::ZERO;
                for r in 0..R {
                    quotients[r] = if is_zero { T::ZERO } else { rows.x[r][c].scale(scale) * reciprocal };
                }
                *zero = if is_zero && *zero == 0 { k + 1 } else { *zero };
            }
            for r in 0..R {
                let is_pivot = pivot.row == rows.row(r);
                if is_pivot {
                    board.steps.store(pivot.row, k);
                    board.pivot_rows.store(k, pivot.row);
                }
                if JORDAN && is_pivot {
                    board.pivot_values().store(k, row[c]);
                }
                rows.open[r] = opaque(if is_pivot { 0 } else { rows.open[r] });
                let is_eliminated = if JORDAN { !is_pivot } else { rows.open[r] != 0 };
                let l = if is_eliminated { quotients[r] } else { T::ZERO };
                rows.x[r][c] = match (JORDAN, is_eliminated) {
                    (false, false) => rows.x[r][c],
                    (false, true) => l,
                    (true, false) => T::ONE,
                    (true, true) => -l,
                };
                for other in 0..NB {
                    if other > c || (JORDAN && other < c) {
                        rows.x[r][other] = rows.x[r][other].sub_mul(l, row[other]);
                    }
                }
            }
        }
    }
    *tile = rows.to_tile(board);
    if !JORDAN && warp::index() + 1 == block::dim() / warp::SIZE && (p + 1) * NB as u32 <= n {
        publish_inverse(board, p, warps);
    }
}

/// Publishes minus the inverse of panel p's triangle of L, by a warp: each lane has a column. `warps` have the pivot rows.
#[inline(always)]
fn publish_inverse<T: Mma, const R: usize, const S: usize, const W: usize>(
    board: &SharedStorage<T, R, S, W>,
    p: u32,
    warps: u32,
) {
    let lane = opaque(warp::lane());
    let mut column = [T::ZERO; NB];
    for i in 0..NB {
        let l = board.candidate(i, warps >> (4 * i) & 15);
        column[i] = if lane % NB as u32 == i as u32 { -T::ONE } else { T::ZERO };
        for k in 0..i {
            column[i] = column[i].sub_mul(l.load(k as u32), column[k]);
        }
        if lane < NB as u32 {
            board.inverse(p).store((NB * i) as u32 + lane, column[i]);
        }
    }
}
