//! A panel in registers, as 16 x 8 tiles: from device memory until it goes to shared memory to be factored.

use simt::hint::opaque;
use simt::{pipeline, warp};

use crate::collective::fragment::ROWS;
use crate::collective::mma::Mma;
use crate::schedule::left_looking::storage::SharedStorage;
use crate::schedule::left_looking::swizzled_panel::SwizzledPanel;
use crate::schedule::left_looking::{LanePlace, NB};
use numbers::matrix::{GlobalMatrix, View};

/// Begins to copy panel `p` of A to `to`, up to row `height`, with zeros beyond the order `n`. By a warp.
#[inline(always)]
pub fn request_panel<T: Mma>(to: SwizzledPanel<T>, height: u32, a: &GlobalMatrix<T>, p: u32, n: u32) {
    let first = p * NB;
    if a.rows_are_close() {
        let mut i = opaque(warp::lane());
        while i < height {
            if first + NB <= n {
                request_row(to, i, a, first, |_| i < n);
            } else {
                request_row(to, i, a, first, |c| i < n && first + c < n);
            }
            i += warp::SIZE;
        }
    } else {
        let (mut i, c) = (warp::lane() / NB, warp::lane() % NB);
        while i < height {
            to.copy(i, c, a.at(i, first + c), i < n && first + c < n);
            i += warp::SIZE / NB;
        }
    }
    pipeline::commit();
}

/// Begins to copy row `i` from column `first` on, with zeros for columns that are not wanted.
#[inline(always)]
fn request_row<T: Mma>(to: SwizzledPanel<T>, i: u32, a: &GlobalMatrix<T>, first: u32, is_wanted: impl Fn(u32) -> bool) {
    let mut from = a.at(i, first);
    for c in 0..NB {
        to.copy(i, c, from, is_wanted(c));
        from = from.offset(a.col_stride());
    }
}

/// A panel as tiles of 16 rows. Each two panels applied finish 16 rows, and the remaining tiles move up by one.
pub struct Tiles<T: Mma, const TILES: usize> {
    pub(super) x: [T::Tile; TILES],
}

impl<T: Mma, const TILES: usize> Tiles<T, TILES> {
    /// Panel `p` from the staging, its rows in their present order; then requests the next one.
    #[inline(always)]
    pub fn load_staged(shared: &SharedStorage<T>, a: &GlobalMatrix<T>, p: u32, n: u32) -> Self {
        let place = LanePlace::own();
        let mut x = [T::ZEROS; TILES];
        for t in 0..TILES {
            if (t as u32) < shared.tiles(0) {
                for h in 0..2 {
                    let part = shared.permutation.load(ROWS * t as u32 + 8 * h as u32 + place.row);
                    let pair = shared.staging.load_pair_of(part, place.column);
                    T::set(&mut x[t], 2 * h, pair[0]);
                    T::set(&mut x[t], 2 * h + 1, pair[1]);
                }
            }
        }
        warp::sync(warp::ALL); // all lanes have read it
        if (p + 1) * NB < n {
            request_panel(shared.staging, shared.height(0), a, p + 1, n);
        }
        Self { x }
    }

    /// Panel `p` straight from device memory, its rows in their present order, zeros beyond the matrix.
    #[inline(always)]
    pub fn load_global(shared: &SharedStorage<T>, a: &GlobalMatrix<T>, p: u32, n: u32) -> Self {
        let place = LanePlace::own();
        let (last, column) = (n - 1, p * NB + place.column);
        let row = |t: usize, h: usize| ROWS * t as u32 + 8 * h as u32 + place.row;
        let mut tiles = Self { x: [T::ZEROS; TILES] };
        // Without branches, so that all loads are in flight together.
        for t in 0..TILES {
            for h in 0..2 {
                let from = shared.row_of_a(row(t, h).min(last));
                for e in 0..2 {
                    T::set(&mut tiles.x[t], 2 * h + e, a.load(from, (column + e as u32).min(last)));
                }
            }
        }
        for t in 0..TILES {
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

    /// This lane's two numbers in half `h` of tile `t`.
    #[inline(always)]
    pub fn pair(&self, t: usize, h: usize) -> [T; 2] {
        [T::get(&self.x[t], 2 * h), T::get(&self.x[t], 2 * h + 1)]
    }

    /// Stores panel `p` to shared memory after `applied` panels: all before it, or all but the last one.
    #[inline(always)]
    pub fn store(&self, shared: &SharedStorage<T>, applied: u32, p: u32) {
        let place = LanePlace::own();
        for t in 0..TILES {
            if (t as u32) < shared.tiles(applied) {
                for h in 0..2 {
                    let half = (2 * t + h) as u32;
                    if half >= applied % 2 {
                        let block = half - applied % 2;
                        let to =
                            if applied == p { shared.panel(p).skip(block) } else { shared.unapplied_block(p, block) };
                        to.store_pair(place.row, place.column, self.pair(t, h));
                    }
                }
            }
        }
        warp::sync(warp::ALL);
    }

    /// Makes panel `q`'s interchanges, through the row buffer; `applied` panels have been applied.
    #[inline(always)]
    pub fn laswp(&mut self, shared: &SharedStorage<T>, q: u32, applied: u32) {
        let (place, buffer) = (LanePlace::own(), shared.row_buffer(0));
        let mut exchange = [0; TILES];
        for t in 0..TILES {
            if (t as u32) < shared.tiles(applied) {
                exchange[t] = shared.exchange(q, place.row).load(applied / 2 + t as u32);
            }
        }
        for t in 0..TILES {
            for h in 0..2 {
                let to = exchange[t] >> (8 * h) & 0xff;
                if to != 0 {
                    T::store_pair(buffer.offset(to - 1 + place.column), self.pair(t, h));
                }
            }
        }
        warp::sync(warp::ALL);
        for t in 0..TILES {
            for h in 0..2 {
                let from = exchange[t] >> (8 * h + 16) & 0xff;
                if from != 0 {
                    let pair = T::load_pair(buffer.offset(from - 1 + place.column));
                    for e in 0..2 {
                        T::set(&mut self.x[t], 2 * h + e, pair[e]);
                    }
                }
            }
        }
        warp::sync(warp::ALL);
    }
}
