//! LU by a warp that factors panels, and two or more that each prepare panels of their own.

use simt::{pipeline, sync_threads, warp};

use crate::matrix::{GlobalMatrix, View};
use crate::product::Product;
use crate::stream::advance::advance;
use crate::stream::apply::{Tiles, request};
use crate::stream::board::{Board, TILE};
use crate::stream::lu::factor_one;
use crate::stream::order::{list_moves, move_origins, move_rows_in_turn, own_move, store_block};
use crate::stream::upper::Sink;
use crate::stream::{NB, Place};

/// As [`eliminate`](crate::stream::lu::eliminate), by `W` warps, three or more, a panel a round.
///
/// The first warp factors panels. Panel p is prepared by warp `1 + (p - 1) % (W - 1)` in the `W - 1` rounds before: its tiles stay in
/// registers, and their rows follow the interchanges of each round. The two have loops of their own, else each had the other's registers.
#[inline(always)]
pub fn ring<T: Product, const B: usize, const W: u32, const A: usize, const K: usize>(
    board: &Board<T>,
    a: &GlobalMatrix<T>,
    to: &impl Sink<T>,
    n: u32,
    zero: &mut u32,
) -> bool {
    let panels = n.div_ceil(NB as u32);
    if warp::index() == 0 {
        request(board.panel(0), board.height(0), a, 0, n);
        board.clear();
    }
    sync_threads(); // origins are there
    let mut finite = true;
    if warp::index() == 0 {
        let mut p = 0;
        while p < panels {
            finite &= begin_round::<T, A, W>(board, to, p, n);
            factor_one::<T, B, K>(board, p, n, zero);
            list_moves(board, p, n);
            p += 1;
        }
    } else {
        finite &= prepare::<T, B, W, A>(board, a, to, n);
    }
    sync_threads(); // the last panel is factored
    move_rows_in_turn::<T, W>(board, panels - 1);
    sync_threads(); // its rows are in order
    finite & (warp::index() != 1 || store_block(board, to, panels - 1, n))
}

/// Waits until panel `p` is there and the one before is factored, and applies that. Whether its rows of U are finite.
#[inline(always)]
fn begin_round<T: Product, const A: usize, const W: u32>(board: &Board<T>, to: &impl Sink<T>, p: u32, n: u32) -> bool {
    pipeline::wait_prior::<0>(); // what this warp has sent for
    sync_threads();
    p == 0 || advance::<T, A, W>(board, to, p, n)
}

/// Prepares this warp's panels, and takes part in all rounds. Whether what it stores is finite.
#[inline(always)]
fn prepare<T: Product, const B: usize, const W: u32, const A: usize>(
    board: &Board<T>,
    a: &GlobalMatrix<T>,
    to: &impl Sink<T>,
    n: u32,
) -> bool {
    let panels = n.div_ceil(NB as u32);
    let mut finite = true;
    let mut own = warp::index(); // the panel
    let mut applied = 0; // panels applied to it
    let mut tiles = Tiles::<T, B>::gather(board, a, own, n);
    if Board::<T>::is_staged(W) && own == W - 1 && own + 1 < panels {
        request(board.stage, board.height(0), a, own + 1, n);
    }
    let mut p = 0;
    while p < panels {
        finite &= begin_round::<T, A, W>(board, to, p, n);
        if own == p {
            finite &= store_block(board, to, p - 1, n);
            (own, applied) = (own + W - 1, 0);
            if own < panels {
                move_origins(board, p - 1, own_move(board, p - 1));
                tiles = if Board::<T>::is_staged(W) {
                    Tiles::take(board, a, own, n)
                } else {
                    Tiles::gather(board, a, own, n)
                };
            }
        } else if p > 0 && own < panels {
            tiles.follow(board, p - 1, applied);
        }
        if own < panels {
            // A round applies its share of the panels before the last one, as far as they are there: fewer of the first ones, which are high.
            let later = own - p - 1;
            let share = ((own - 1) * (W - 1 - later)).saturating_sub(3 * later).div_ceil(W - 1);
            let until = if share < p { share } else { p };
            finite &= tiles.apply(board, to, applied..until, own, n);
            applied = until;
            if later == 0 {
                tiles.put(board, p, own);
            }
        }
        p += 1;
    }
    finite
}

impl<T: Product, const B: usize> Tiles<T, B> {
    /// Panel `p` from device memory, its rows where interchanges have brought them, zeros beyond the matrix.
    #[inline(always)]
    fn gather(board: &Board<T>, a: &GlobalMatrix<T>, p: u32, n: u32) -> Self {
        let place = Place::own();
        let (last, column) = (n - 1, p * NB as u32 + place.j);
        let row = |t: usize, h: usize| TILE * t as u32 + 8 * h as u32 + place.i;
        let mut tiles = Self { x: [T::ZEROS; B] };
        // No branch, so that all loads are under way together.
        for t in 0..B {
            for h in 0..2 {
                let origin = board.origin_row(row(t, h).min(last));
                for e in 0..2 {
                    T::set(&mut tiles.x[t], 2 * h + e, a.load(origin, (column + e as u32).min(last)));
                }
            }
        }
        for t in 0..B {
            for h in 0..2 {
                for e in 0..2 {
                    if row(t, h) > last || column + e as u32 > last {
                        T::set(&mut tiles.x[t], 2 * h + e, T::ZERO);
                    }
                }
            }
        }
        tiles
    }

    /// Moves rows as panel `q` does; `applied` panels have been applied.
    #[inline(always)]
    fn follow(&mut self, board: &Board<T>, q: u32, applied: u32) {
        let (place, rows) = (Place::own(), board.rows(0));
        let mut marks = [0; B];
        for t in 0..B {
            if (t as u32) < board.tiles(applied) {
                marks[t] = board.marks(q, place.i).load(applied / 2 + t as u32);
            }
        }
        for t in 0..B {
            for h in 0..2 {
                let leaves = marks[t] >> (8 * h) & 0xff;
                if leaves != 0 {
                    T::store_pair(rows.offset(leaves - 1 + place.j), self.pair(t, h));
                }
            }
        }
        warp::sync(warp::ALL);
        for t in 0..B {
            for h in 0..2 {
                let enters = marks[t] >> (8 * h + 16) & 0xff;
                if enters != 0 {
                    let pair = T::load_pair(rows.offset(enters - 1 + place.j));
                    for e in 0..2 {
                        T::set(&mut self.x[t], 2 * h + e, pair[e]);
                    }
                }
            }
        }
        warp::sync(warp::ALL);
    }
}
