//! Rows brought to LAPACK's order after a panel.

use simt::{block, warp};

use crate::matrix::GlobalMatrix;
use crate::permutation::position;
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
/// diagonal. Whether that is finite.
#[inline(always)]
pub fn settle<T: Product>(board: &Board<T>, to: &impl Sink<T>, p: u32, n: u32) -> bool {
    let own = find_move(board, p, n);
    if warp::lane() < MOVES {
        board.moves(p).store(warp::lane(), own);
    }
    move_origins(board, p, own);
    move_rows(board, p, 0, 1);
    store_block(board, to, p, n)
}

/// Columns of panel `p` of a matrix of order `n`.
#[inline(always)]
fn columns(p: u32, n: u32) -> u32 {
    let left = n - p * NB as u32;
    if left < NB as u32 { left } else { NB as u32 }
}

/// This lane's move after panel `p` of a matrix of order `n`, if there is one. Notes the interchange.
#[inline(always)]
fn find_move<T: Product>(board: &Board<T>, p: u32, n: u32) -> u32 {
    let (lane, row) = (warp::lane(), warp::lane() % NB as u32);
    let (columns, slots, first) = (columns(p, n), board.slots(p), p * NB as u32);
    let mut own = NONE;
    if lane < MOVES && row < columns {
        if lane < NB as u32 {
            let slot = slots.load(lane);
            board.interchanges.store(first + lane, first + position(slot, lane, slots));
            own = pack(slot, lane);
        } else if board.open(p).load(0) >> row & 1 != 0 {
            own = pack(row, position(row, columns, slots));
        }
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
    let own = find_move(board, p, n);
    if warp::lane() < MOVES {
        board.moves(p).store(warp::lane(), own);
    }
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

/// Moves rows of every `step`th of the panels up to `p`, from panel `first` on, to the order after panel `p`. By a warp.
#[inline(always)]
pub fn move_rows<T: Product>(board: &Board<T>, p: u32, first: u32, step: u32) {
    let mut parts = [None; NB]; // from where to where this lane moves parts of rows
    let rounds = Strip::<T>::PARTS as usize / 2;
    for h in 0..rounds {
        let e = warp::lane() + 32 * h as u32;
        let part = e % Strip::<T>::PARTS;
        let row = board.moves(p).load(e / Strip::<T>::PARTS);
        if row != NONE {
            parts[h] = Some((Strip::<T>::part(from(row), part), Strip::<T>::part(to(row), part)));
        }
    }
    let mut q = first;
    while q <= p {
        let panel = board.panel(q).skip(p - q);
        let mut x = [[T::ZERO; 4]; NB];
        for h in 0..rounds {
            if let Some((from, _)) = parts[h] {
                x[h] = panel.load_part(from);
            }
        }
        warp::sync(warp::ALL);
        for h in 0..rounds {
            if let Some((_, to)) = parts[h] {
                panel.store_part(to, &x[h]);
            }
        }
        q += step;
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
            to.put(first + place.i, first + j, x[e]);
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
    let place = Place::own();
    let mut finite = true;
    let mut q = warp::index();
    while (q + 1) * (NB as u32) < n {
        let panel = board.panel(q);
        let first = q * NB as u32;
        let mut row = first + NB as u32 + place.i;
        let mut to = lu.at(row, first + place.j);
        let mut eight = 1;
        while first + eight * (NB as u32) < n {
            let mut x = [[T::ZERO; 2]; IN_FLIGHT];
            for e in 0..IN_FLIGHT {
                if row + ((NB * e) as u32) < n {
                    x[e] = panel.skip(eight + e as u32).load_pair(place.i, place.j);
                }
            }
            for e in 0..IN_FLIGHT {
                if row < n {
                    for c in 0..2 {
                        to.offset(c as i64 * lu.col_stride()).store(0, x[e][c]);
                        finite &= x[e][c].is_finite();
                    }
                }
                row += NB as u32;
                to = to.offset(NB as i64 * lu.row_stride());
            }
            eight += IN_FLIGHT as u32;
        }
        q += block::dim() / warp::SIZE;
    }
    finite
}
