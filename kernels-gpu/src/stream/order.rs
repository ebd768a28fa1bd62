//! Rows brought to LAPACK's order after a panel.

use simt::{block, warp};

use crate::matrix::GlobalMatrix;
use crate::product::Product;
use crate::stream::board::Board;
use crate::stream::strip::Strip;
use crate::stream::upper::Sink;
use crate::stream::{NB, Place};

/// Rows that a panel moves: its pivot rows go up, and those that were there to where these were.
const MOVES: u32 = 2 * NB as u32;
/// No move.
const NONE: u32 = u32::MAX;

/// A row's place in a panel before and after.
#[inline(always)]
fn pack(from: u32, to: u32) -> u32 {
    from | to << 16
}

/// Where a row comes from.
#[inline(always)]
fn from(packed: u32) -> u32 {
    packed & 0xffff
}

/// Where it goes.
#[inline(always)]
fn to(packed: u32) -> u32 {
    packed >> 16
}

/// Interchanges rows as LAPACK does for panel `p` of a matrix of order `n`, in L and of the panels to come. Stores the block on the
/// diagonal. Whether that is finite. By a warp alone.
#[inline(always)]
pub fn settle<T: Product>(board: &Board<T>, to: &impl Sink<T>, p: u32, n: u32) -> bool {
    let own = note_move(board, p, n);
    move_origins(board, p, own);
    move_rows(board, p);
    store_block(board, to, p, n)
}

/// Columns of panel `p` of a matrix of order `n`.
#[inline(always)]
fn columns(p: u32, n: u32) -> u32 {
    let left = n - p * NB as u32;
    if left < NB as u32 { left } else { NB as u32 }
}

/// Notes this lane's move after panel `p` of a matrix of order `n`, if there is one, and the interchange.
#[inline(always)]
fn note_move<T: Product>(board: &Board<T>, p: u32, n: u32) -> u32 {
    let (lane, row, columns) = (warp::lane(), warp::lane() % NB as u32, columns(p, n));
    let (pivots, first) = (board.slots(p).load(), p * NB as u32);
    let (is_pivot, is_open) = (lane < NB as u32, board.open(p).load(0) >> row & 1 != 0);
    let moves = lane < MOVES && row < columns && (is_pivot || is_open);
    let (start, steps) = match (moves, is_pivot) {
        (true, true) => (pivots.slot(row), row),
        (true, false) => (row, columns),
        _ => (columns, columns),
    };
    let at = pivots.position(start, steps);
    if moves && is_pivot {
        board.interchanges.store(first + row, first + at);
    }
    let own = match (moves, is_pivot) {
        (true, true) => pack(start, row),
        (true, false) => pack(start, at),
        _ => NONE,
    };
    if lane < MOVES {
        board.moves(p).store(lane, own);
    }
    own
}

/// Lists the moves after panel `p` of a matrix of order `n`, and marks the rows that they take and bring. By the warp that has factored it.
#[inline(always)]
pub fn list_moves<T: Product>(board: &Board<T>, p: u32, n: u32) {
    let mut word = warp::lane();
    while word < NB as u32 * board.tiles(0) {
        board.marks(p, 0).store(word, 0);
        word += warp::SIZE;
    }
    warp::sync(warp::ALL); // slots are known, and marks are gone
    let own = note_move(board, p, n);
    if own != NONE {
        let mark = |row: u32, byte: u32| {
            let eight = p + row / NB as u32;
            let marks = board.marks(p, row % NB as u32).cast::<u8>();
            marks.store(4 * (eight / 2) + eight % 2 + byte, (warp::lane() * Board::<T>::ROW + 1) as u8);
        };
        mark(from(own), 0);
        mark(to(own), 2);
    }
}

/// This lane's move after panel `p`, if there is one.
#[inline(always)]
pub fn own_move<T: Product>(board: &Board<T>, p: u32) -> u32 {
    if warp::lane() < MOVES { board.moves(p).load(warp::lane()) } else { NONE }
}

/// Moves the origins of rows after panel `p`; `own` is this lane's move. By a warp.
#[inline(always)]
pub fn move_origins<T: Product>(board: &Board<T>, p: u32, own: u32) {
    let origins = board.origins.offset(p * NB as u32);
    let origin = if own == NONE { 0 } else { origins.load(from(own)) };
    warp::sync(warp::ALL);
    if own != NONE {
        origins.store(to(own), origin);
    }
    warp::sync(warp::ALL);
}

/// Parts of rows that a lane has on their way.
const ON_WAY: usize = 4;

/// Rounds in which all lanes of a warp move parts of a panel's rows.
const fn rounds<T: Product>() -> usize {
    Strip::<T>::PARTS as usize / 2
}

/// From where to where this lane moves parts after panel `p`, in each round.
#[inline(always)]
fn own_parts<T: Product>(board: &Board<T>, p: u32) -> [Option<(u32, u32)>; ON_WAY] {
    let mut parts = [None; ON_WAY];
    for h in 0..rounds::<T>() {
        let e = warp::lane() + 32 * h as u32;
        let part = e % Strip::<T>::PARTS;
        let row = board.moves(p).load(e / Strip::<T>::PARTS);
        if row != NONE {
            parts[h] = Some((Strip::<T>::part(from(row), part), Strip::<T>::part(to(row), part)));
        }
    }
    parts
}

/// Moves rows of the panels up to `p` to the order after panel `p`, of several at once, as a warp alone has nothing else to do while they come.
#[inline(always)]
fn move_rows<T: Product>(board: &Board<T>, p: u32) {
    let (parts, at_once) = (own_parts(board, p), ON_WAY / rounds::<T>());
    let (mut q, mut panel, mut ahead) = (0, board.panel(0).skip(p), board.rows_ahead());
    while q <= p {
        let mut panels = [None; ON_WAY];
        for m in 0..at_once {
            if q <= p {
                panels[m] = Some(panel);
                panel = panel.skip(ahead);
                (q, ahead) = (q + 1, ahead.wrapping_sub(1));
            }
        }
        let mut x = [[T::ZERO; 4]; ON_WAY];
        for i in 0..ON_WAY {
            if let (Some(panel), Some((from, _))) = (panels[i / rounds::<T>()], parts[i % rounds::<T>()]) {
                x[i] = panel.load_part(from);
            }
        }
        warp::sync(warp::ALL);
        for i in 0..ON_WAY {
            if let (Some(panel), Some((_, to))) = (panels[i / rounds::<T>()], parts[i % rounds::<T>()]) {
                panel.store_part(to, &x[i]);
            }
        }
    }
    warp::sync(warp::ALL);
}

/// Moves rows of the panels up to `p` to the order after panel `p`. By `W` warps, each of which has every `W`th panel.
#[inline(always)]
pub fn move_rows_in_turn<T: Product, const W: u32>(board: &Board<T>, p: u32) {
    let parts = own_parts(board, p);
    let mut q = warp::index();
    while q <= p {
        let panel = board.panel(q).skip(p - q);
        let mut x = [[T::ZERO; 4]; ON_WAY];
        for h in 0..rounds::<T>() {
            if let Some((from, _)) = parts[h] {
                x[h] = panel.load_part(from);
            }
        }
        warp::sync(warp::ALL);
        for h in 0..rounds::<T>() {
            if let Some((_, to)) = parts[h] {
                panel.store_part(to, &x[h]);
            }
        }
        q += W;
    }
    warp::sync(warp::ALL);
}

/// Stores the block of panel `p` of a matrix of order `n` on the diagonal, whose rows are in order. Whether it is finite.
#[inline(always)]
pub fn store_block<T: Product, S: Sink<T>>(board: &Board<T>, to: &S, p: u32, n: u32) -> bool {
    let (place, columns) = (Place::own(), columns(p, n));
    let (first, panel) = (p * NB as u32, board.panel(p));
    let mut finite = true;
    let mut x = [T::ZERO; 2];
    if place.i < columns {
        let l = panel.load_pair(place.i, place.j);
        for e in 0..2 {
            let j = place.j + e as u32;
            x[e] = if j < place.i { l[e] } else { board.pivot(p, place.i).load(j - place.i) };
        }
    }
    for e in 0..2 {
        let j = place.j + e as u32;
        if S::WHOLE || (place.i < columns && j < columns) {
            to.place(first + place.i, first + j).store(0, x[e]);
            finite &= x[e].is_finite();
        }
    }
    warp::sync(warp::ALL);
    finite
}

/// Blocks that a lane has on their way.
const IN_FLIGHT: usize = 4;

/// Stores L below the diagonal blocks of a matrix of order `n` to `lu`, all of whose rows are in order. Whether it is finite. Warps take
/// panels in turn.
#[inline(always)]
pub fn store_lower<T: Product>(board: &Board<T>, lu: &GlobalMatrix<T>, n: u32) -> bool {
    match lu.with_dense_columns() {
        Some(lu) => store_blocks(board, &lu, n), // offsets along a column are constants
        None => store_blocks(board, lu, n),
    }
}

/// As [`store_lower`].
#[inline(always)]
fn store_blocks<T: Product>(board: &Board<T>, lu: &GlobalMatrix<T>, n: u32) -> bool {
    let place = Place::own();
    let mut finite = true;
    let (mut q, warps) = (warp::index(), block::dim() / warp::SIZE);
    let mut first = lu.at((q + 1) * NB as u32 + place.i, q * NB as u32 + place.j);
    let next = (warps * NB as u32) as i64 * (lu.row_stride() + lu.col_stride());
    while (q + 1) * (NB as u32) < n {
        let panel = board.panel(q);
        let mut row = (q + 1) * NB as u32 + place.i;
        let mut columns = [first, first.offset(lu.col_stride())];
        let mut eight = 1;
        while (q + eight) * (NB as u32) < n {
            let mut x = [[T::ZERO; 2]; IN_FLIGHT];
            for e in 0..IN_FLIGHT {
                if row + ((NB * e) as u32) < n {
                    x[e] = panel.skip(eight + e as u32).load_pair(place.i, place.j);
                }
            }
            for c in 0..2 {
                let mut to = columns[c];
                for e in 0..IN_FLIGHT {
                    if row + ((NB * e) as u32) < n {
                        to.store(0, x[e][c]);
                    }
                    finite &= x[e][c].is_finite();
                    to = to.offset(NB as i64 * lu.row_stride());
                }
                columns[c] = to;
            }
            row += (NB * IN_FLIGHT) as u32;
            eight += IN_FLIGHT as u32;
        }
        q += warps;
        first = first.offset(next);
    }
    finite
}
