//! The search for a pivot by a block: each warp names a candidate, and all warps choose.

use simt::{block, sync_threads, warp};

use crate::collective::permutation::position;
use crate::numbers::mma::Mma;
use crate::numbers::scalar::Real;
use crate::schedule::blocked::panel::Rows;
use crate::schedule::blocked::storage::SharedStorage;

/// The pivot of a column.
pub struct Pivot {
    /// The row.
    pub row: u32,
    /// The warp that has it.
    pub warp: u32,
    /// The upper bits of its magnitude.
    pub upper: u32,
}

/// Chooses the pivot of column `c` of the panel, which is the `k`-th of the matrix. One barrier, or two where upper bits tie.
#[inline(always)]
pub fn find_pivot<T: Mma, const R: usize, const S: usize, const W: usize, const JORDAN: bool>(
    rows: &Rows<T, R>,
    board: &SharedStorage<T, R, S, W>,
    c: usize,
    k: u32,
) -> Pivot {
    let lane = warp::lane();
    let mut keys = [0; R];
    for r in 0..R {
        keys[r] = rows.x[r][c].abs1().to_words().0 & rows.open[r];
    }
    let (mut best, mut own) = (keys[0], rows.x[0][c]);
    for r in 1..R {
        own = if keys[r] > best { rows.x[r][c] } else { own };
        best = if keys[r] > best { keys[r] } else { best };
    }
    let reciprocal = own.reciprocal();
    let largest = warp::max_u32(warp::ALL, best);
    let holders = warp::ballot(warp::ALL, best == largest);
    if best == largest && holders & ((1 << lane) - 1) == 0 {
        let candidate = board.candidate(c, warp::index());
        let mut equals = 0;
        let mut row = 0;
        for r in 0..R {
            if keys[r] == largest {
                T::store_row(candidate, &rows.x[r], 0);
                row = rows.row(r);
                equals += 1;
            }
        }
        candidate.store(8, reciprocal);
        // The least bit of a key says that it may have equals in its warp: marked keys come first among equals.
        let is_tie = equals > 1 || holders & (holders - 1) != 0;
        board.keys(c).store(warp::index(), 2 * largest + is_tie as u32);
        board.rows(c).store(warp::index(), row);
    }
    sync_threads();

    let keys = board.keys(c).vectors::<4>();
    let (mut key, mut winner, mut is_tie) = (0, 0, false);
    for v in 0..W.div_ceil(4) {
        let four = keys.load(v as u32).0;
        for i in 0..4 {
            let w = 4 * v + i;
            if w == 0 {
                key = four[0];
            } else if w < W {
                is_tie |= four[i] == key;
                winner = if four[i] > key { w as u32 } else { winner };
                key = if four[i] > key { four[i] } else { key };
            }
        }
    }
    let mut pivot = Pivot { row: board.rows(c).load(winner), warp: winner, upper: key / 2 };
    if is_tie || key & 1 != 0 {
        (pivot.row, pivot.warp) = find_pivot_exact::<T, R, S, W, JORDAN>(rows, board, c, k);
    }
    pivot
}

/// Chooses by all bits of the magnitudes, and returns the row and its warp. On a tie it is the row at the first position, as
/// LAPACK's is; where `JORDAN`, at the last, with which Wilkinson's matrix, whose elements grow to 2^n with the first, stays
/// as it is.
#[inline(always)]
fn find_pivot_exact<T: Mma, const R: usize, const S: usize, const W: usize, const JORDAN: bool>(
    rows: &Rows<T, R>,
    board: &SharedStorage<T, R, S, W>,
    c: usize,
    k: u32,
) -> (u32, u32) {
    let mut best = (0, 0, 0); // upper and lower bits, and the rank of the position among equals
    let mut own = 0;
    for r in 0..R {
        if rows.open[r] != 0 {
            let (upper, lower) = rows.x[r][c].abs1().to_words();
            let position = position(rows.row(r), k, board.pivot_rows);
            let candidate = (upper, lower, if JORDAN { position + 1 } else { !position });
            if candidate > best {
                (best, own) = (candidate, r as u32);
            }
        }
    }
    let upper = warp::max_u32(warp::ALL, best.0);
    let lower = warp::max_u32(warp::ALL, if best.0 == upper { best.1 } else { 0 });
    let rank = if (best.0, best.1) == (upper, lower) { best.2 } else { 0 };
    let first = warp::max_u32(warp::ALL, rank);
    if rank == first && (first != 0 || warp::lane() == 0) {
        let exact = board.exact.offset(4 * warp::index());
        let candidate = board.candidate(c, warp::index());
        for r in 0..R {
            if own == r as u32 {
                T::store_row(candidate, &rows.x[r], 0);
                candidate.store(8, rows.x[r][c].reciprocal());
                exact.store(3, rows.row(r));
            }
        }
        exact.store(0, upper);
        exact.store(1, lower);
        exact.store(2, first);
    }
    sync_threads();
    let (mut chosen, mut row, mut winner) = ((0, 0, 0), 0, 0);
    let mut w = 0;
    while w < block::dim() / warp::SIZE {
        let exact = board.exact.offset(4 * w);
        let candidate = (exact.load(0), exact.load(1), exact.load(2));
        if candidate > chosen {
            (chosen, row, winner) = (candidate, exact.load(3), w);
        }
        w += 1;
    }
    (row, winner)
}
