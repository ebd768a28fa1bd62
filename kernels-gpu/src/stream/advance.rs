//! A panel that has just been factored applied to the next one.

use simt::{sync_threads, warp};

use crate::product::Product;
use crate::stream::apply::{add_product, factor, place_of_u, rows_of_u, store_u};
use crate::stream::board::{Board, TILE};
use crate::stream::order::move_rows_in_turn;
use crate::stream::upper::Sink;
use crate::stream::{NB, Place};

/// Applies panel `p - 1`, whose rows are where they were before its interchanges, to panel `p`, whose rows are, too. Those of panel `p` are
/// brought to order, and those of L, too; those of U are stored. Whether these are finite. Two barriers; a third
/// must come before.
///
/// By all `W` warps, which take 16 rows in turn: `A` times at most.
#[inline(always)]
pub fn advance<T: Product, const A: usize, const W: u32>(board: &Board<T>, to: &impl Sink<T>, p: u32, n: u32) -> bool {
    let (place, q) = (Place::own(), p - 1);
    let pivots = board.slots(q).load();
    let u = rows_of_u(
        |k| {
            let slot = pivots.slot(k as u32);
            board.next(p, slot / NB as u32).load(slot % NB as u32, place.i)
        },
        |k| board.panel(q).load_first(pivots.slot(k as u32), k),
    );
    let eights = board.height(q) / NB as u32;
    let mut x = [T::ZEROS; A];
    let mut l = [[[T::ZERO; 2]; 2]; A];
    for i in 0..A {
        for h in 0..2 {
            let eight = 2 * (W * i as u32 + warp::index()) + h as u32;
            if eight < eights {
                let pair = board.next(p, eight).load_pair(place.i, place.j);
                for e in 0..2 {
                    T::set(&mut x[i], 2 * h + e, pair[e]);
                }
                l[i][h] = board.panel(q).skip(eight).load_pair(place.i, place.j);
            }
        }
    }
    sync_threads(); // all have the pivot rows, and their rows of L

    let factor = factor(u);
    for i in 0..A {
        let tile = W * i as u32 + warp::index();
        if 2 * tile < eights {
            x[i] = add_product(x[i], l[i], &factor);
            let open = board.open(q).load(tile / 2) >> (TILE * (tile % 2) + place.i);
            for h in 0..2 {
                let eight = 2 * tile + h as u32;
                if eight < eights && open >> (8 * h) & 1 != 0 {
                    let row =
                        if eight == 0 { pivots.position(place.i, NB as u32) } else { NB as u32 * eight + place.i };
                    let pair = [T::get(&x[i], 2 * h), T::get(&x[i], 2 * h + 1)];
                    board.panel(p).store_pair(row - NB as u32, place.j, pair);
                }
            }
        }
    }
    move_rows_in_turn::<T, W>(board, q);
    sync_threads(); // panel p is in order
    warp::index() != W - 1 || store_u(u, to, place_of_u(to, (q, p)), p, n)
}
