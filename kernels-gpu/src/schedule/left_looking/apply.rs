//! Factored panels applied to a panel on their right.
//!
//! [`Tiles::apply`] applies any number of them, whose rows are in order, to a panel in a warp's registers.
//! [`apply_latest`] applies the panel that has just been factored to the next one, by all warps of a block.

use core::ops::Range;

use simt::global::Global;
use simt::hint::opaque;
use simt::{sync_threads, warp};

use crate::collective::fragment::ROWS;
use crate::collective::mma::Mma;
use crate::schedule::left_looking::fragment_ops::{add_product, negated_operand, solve_unit_lower, store_u, u_address};
use crate::schedule::left_looking::laswp::laswp_panels_by_warps;
use crate::schedule::left_looking::sink::Sink;
use crate::schedule::left_looking::storage::SharedStorage;
use crate::schedule::left_looking::tiles::Tiles;
use crate::schedule::left_looking::{LanePlace, NB};

impl<T: Mma, const TILES: usize> Tiles<T, TILES> {
    /// Applies `panels` to panel `p`, and stores their rows of U. Whether these are finite.
    #[inline(always)]
    pub fn apply(&mut self, shared: &SharedStorage<T>, to: &impl Sink<T>, panels: Range<u32>, p: u32, n: u32) -> bool {
        let (mut finite, mut q) = (true, panels.start);
        let (mut at, step) = (u_address(to, (q, p)), i64::from(NB) * to.row_stride());
        let mut next = || {
            let this = at;
            at = at.offset(opaque(step)); // opaque, or else each element gets a pointer of its own
            this
        };
        if q % 2 == 1 && q < panels.end {
            finite &= self.apply_one::<1>(shared, to, next(), (q, p), n);
            q += 1;
        }
        while q < panels.end {
            finite &= self.apply_one::<0>(shared, to, next(), (q, p), n);
            if q + 1 < panels.end {
                finite &= self.apply_one::<1>(shared, to, next(), (q + 1, p), n);
            }
            q += 2;
        }
        finite
    }

    /// Tiles updated at once, to hide the latency of dependent products. Several warps hide each other's, and have
    /// fewer registers each.
    const fn tiles_at_once(warps: u32) -> usize {
        match (warps, T::PARTS, size_of::<T>()) {
            (1, ..) => TILES.div_ceil(2),
            (_, 1, 8) => 2,
            _ => 1,
        }
    }

    /// Applies panel `q` to panel `p`. Its pivot rows are half `HALF` of the first tile; this lane stores its part of U
    /// at `at`.
    #[inline(always)]
    fn apply_one<const HALF: usize>(
        &mut self,
        shared: &SharedStorage<T>,
        to: &impl Sink<T>,
        at: Global<T>,
        (q, p): (u32, u32),
        n: u32,
    ) -> bool {
        let (place, panel) = (LanePlace::own(), shared.panel(q));
        let buffer = shared.row_buffer(q);
        T::store_pair(buffer.offset(place.row * SharedStorage::<T>::ROW + place.column), self.pair(0, HALF));
        warp::sync(warp::ALL);
        let column = buffer.offset(place.row);
        let u =
            solve_unit_lower(|k| column.load(k as u32 * SharedStorage::<T>::ROW), |k| panel.load_first(k as u32, k));
        let finite = store_u(u, to, at, p, n);
        let u = negated_operand(u);
        let (tiles, at_once) = (shared.tiles(q), Self::tiles_at_once(shared.warps()));
        for first in HALF..TILES {
            if (first - HALF).is_multiple_of(at_once) && (first as u32) < tiles {
                let group = first..TILES.min(first + at_once);
                let mut l = [[[T::ZERO; 2]; 2]; TILES];
                for t in group.clone() {
                    // The product of a tile beyond the last one is never used, so any L will do.
                    let at = if t == first { t as u32 } else { (t as u32).min(tiles - 1) };
                    let lower = panel.skip(2 * at + 1 - HALF as u32).load_pair(place.row, place.column);
                    // The upper half of tile 0 is done: what is added to it does not matter.
                    let upper = if t == 0 {
                        lower
                    } else {
                        panel.skip(2 * at - HALF as u32).load_pair(place.row, place.column)
                    };
                    l[t] = [upper, lower];
                }
                for t in group {
                    self.x[t - HALF] = add_product(self.x[t], l[t], &u);
                }
            }
        }
        finite
    }
}

/// Applies panel `p - 1`, whose interchanges are still to be made in both, to panel `p`; makes them; stores U. Whether
/// U is finite. By all warps, up to `WARP_TILES` tiles each, with two barriers; another must come before.
#[inline(always)]
pub fn apply_latest<T: Mma, const WARP_TILES: usize, const WARPS: u32>(
    shared: &SharedStorage<T>,
    to: &impl Sink<T>,
    p: u32,
    n: u32,
) -> bool {
    let (place, q) = (LanePlace::own(), p - 1);
    let pivots = shared.pivot_rows(q).load();
    let u = solve_unit_lower(
        |k| {
            let row = pivots.row(k as u32);
            shared.unapplied_block(p, row / NB).load(row % NB, place.row)
        },
        |k| shared.panel(q).load_first(pivots.row(k as u32), k),
    );
    let blocks = shared.height(q) / NB;
    let mut x = [T::ZEROS; WARP_TILES];
    let mut l = [[[T::ZERO; 2]; 2]; WARP_TILES];
    for i in 0..WARP_TILES {
        for h in 0..2 {
            let block = 2 * (WARPS * i as u32 + warp::index()) + h as u32;
            if block < blocks {
                let pair = shared.unapplied_block(p, block).load_pair(place.row, place.column);
                for e in 0..2 {
                    T::set(&mut x[i], 2 * h + e, pair[e]);
                }
                l[i][h] = shared.panel(q).skip(block).load_pair(place.row, place.column);
            }
        }
    }
    sync_threads(); // all warps have the pivot rows, and their rows of L

    let operand = negated_operand(u);
    for i in 0..WARP_TILES {
        let tile = WARPS * i as u32 + warp::index();
        if 2 * tile < blocks {
            x[i] = add_product(x[i], l[i], &operand);
            let non_pivots = shared.non_pivots(q).load(tile / 2) >> (ROWS * (tile % 2) + place.row);
            for h in 0..2 {
                let block = 2 * tile + h as u32;
                if block < blocks && non_pivots >> (8 * h) & 1 != 0 {
                    let position = if block == 0 { pivots.position(place.row, NB) } else { NB * block + place.row };
                    let pair = [T::get(&x[i], 2 * h), T::get(&x[i], 2 * h + 1)];
                    shared.panel(p).store_pair(position - NB, place.column, pair);
                }
            }
        }
    }
    laswp_panels_by_warps::<T, WARPS>(shared, q);
    sync_threads(); // panel p is in order
    warp::index() != WARPS - 1 || store_u(u, to, u_address(to, (q, p)), p, n)
}
