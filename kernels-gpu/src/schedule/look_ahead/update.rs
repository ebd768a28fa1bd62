//! What the updating warps do with a factored panel, and how panels go to and from the panel warp.

use simt::hint::opaque;
use simt::warp;

use crate::collective::fragment::{column, row};
use crate::collective::mma::Mma;
use crate::memory::vector::Vectorized;
use crate::schedule::look_ahead::columns::{Columns, store_half};
use crate::schedule::look_ahead::storage::SharedStorage;
use crate::schedule::look_ahead::{NB, TILE_ROWS, sync_jobs, updater, updaters};
use numbers::scalar::Scalar;

impl<T: Mma, const TILES: usize, const PANELS: usize, const HELD: usize> Columns<T, TILES, PANELS, HELD> {
    /// Sends panel `p` to the panel warp, if this warp owns it.
    #[inline(always)]
    pub fn send_panel(&self, shared: &SharedStorage<T, TILES, PANELS>, p: u32) {
        for s in 0..PANELS {
            if Self::panel(s) == p {
                for t in 0..TILES {
                    store_next_panel(shared, t as u32, &self.get(s, t));
                }
            }
        }
    }

    /// Takes factored panel `p` back, if this warp owns it, and adds the unit matrix that the panel warp left out.
    #[inline(always)]
    pub fn receive_panel(&mut self, shared: &SharedStorage<T, TILES, PANELS>, p: u32) {
        for s in 0..PANELS {
            if Self::panel(s) == p {
                let steps = shared.pivot_steps(p, row());
                for t in 0..TILES {
                    let l = load_factored(shared, p, t as u32, column(), 1);
                    let mut tile = T::ZEROS;
                    for part in 0..T::PARTS {
                        for e in 0..4 {
                            let is_pivot = part == 0 && steps[t][e / 2] == p * NB as u32 + column() + e as u32 % 2;
                            let x = l.as_ref()[part][e % 2 * 2 + e / 2];
                            tile.as_mut()[part][e] = x + if is_pivot { T::Real::ONE } else { T::Real::ZERO };
                        }
                    }
                    self.put(s, t, tile);
                }
            }
        }
    }

    /// Stores the pivot rows of panel `p`, in this warp's columns, where all its lanes can read them.
    #[inline(always)]
    fn store_pivot_block(&self, shared: &SharedStorage<T, TILES, PANELS>, p: u32) {
        let steps = shared.pivot_steps(p, row());
        for i in 0..2 * TILES {
            let k = steps[i / 2][i % 2].wrapping_sub(p * NB as u32);
            if k < NB as u32 {
                let to = k * SharedStorage::<T, TILES, PANELS>::PIVOT_STRIDE + column();
                for s in 0..PANELS {
                    let tile = self.get(s, i / 2);
                    for part in 0..T::PARTS {
                        store_half(shared.pivot_block(part).offset(to + (NB * s) as u32), &tile.as_ref()[part], i % 2);
                    }
                }
            }
        }
        warp::sync(warp::ALL);
    }

    /// The right factor of the update of this warp's panel `s`: the pivot rows.
    #[inline(always)]
    fn right_factor(shared: &SharedStorage<T, TILES, PANELS>, s: usize) -> T::Row {
        let mut u = T::NO_ROW;
        // Where tiles are spilled, registers are scarce: `opaque` makes LLVM load it anew for each product.
        let lane = if HELD < TILES { opaque(warp::lane()) } else { warp::lane() };
        for part in 0..T::PARTS {
            for half in 0..2 {
                let k = lane % 4 + 4 * half as u32;
                let from =
                    shared.pivot_block(part).offset(k * SharedStorage::<T, TILES, PANELS>::PIVOT_STRIDE + lane / 4);
                u.as_mut()[part][half] = from.load((NB * s) as u32);
            }
        }
        u
    }

    /// Applies factored panel `p` to all of this warp's columns.
    #[inline(always)]
    pub fn apply(&mut self, shared: &SharedStorage<T, TILES, PANELS>, p: u32) {
        self.store_pivot_block(shared, p);
        for t in 0..TILES {
            let l = load_left_factor(shared, p, t as u32);
            for s in 0..PANELS {
                let mut x = self.get(s, t);
                T::multiply_parts::<false, false>(&mut x, &l, &Self::right_factor(shared, s));
                self.put(s, t, x);
            }
        }
        warp::sync(warp::ALL); // the pivot block may be overwritten
    }
}

/// Tile `t` of factored panel `p` as a left factor: a lane has columns j and j + 4.
#[inline(always)]
fn load_left_factor<T: Mma, const TILES: usize, const PANELS: usize>(
    shared: &SharedStorage<T, TILES, PANELS>,
    p: u32,
    t: u32,
) -> T::Tile {
    load_factored(shared, p, t, warp::lane() % 4, 4)
}

/// This lane's rows of tile `t` of factored panel `p`, in columns `first` and `first + distance`, column after column.
#[inline(always)]
fn load_factored<T: Mma, const TILES: usize, const PANELS: usize>(
    shared: &SharedStorage<T, TILES, PANELS>,
    p: u32,
    t: u32,
    first: u32,
    distance: u32,
) -> T::Tile {
    let mut l = T::ZEROS;
    for part in 0..T::PARTS {
        for c in 0..2 {
            let column = shared.factored(p, part, first + distance * c as u32).offset(2 * row());
            let pair = T::Real::load_pair(column.offset(TILE_ROWS * t));
            l.as_mut()[part][2 * c] = pair[0];
            l.as_mut()[part][2 * c + 1] = pair[1];
        }
    }
    l
}

/// Stores tile `t` of the next panel.
#[inline(always)]
fn store_next_panel<T: Mma, const TILES: usize, const PANELS: usize>(
    shared: &SharedStorage<T, TILES, PANELS>,
    t: u32,
    tile: &T::Tile,
) {
    for part in 0..T::PARTS {
        for half in 0..2 {
            let to = shared.next_panel(part, TILE_ROWS * t + 8 * half as u32 + row()).offset(column());
            store_half(to, &tile.as_ref()[part], half);
        }
    }
}

/// Applies factored panel `p` to the next panel; its tiles are dealt out to the updating warps. One barrier.
#[inline(always)]
pub fn update_next_panel<T: Mma, const TILES: usize, const PANELS: usize, const STRIPS: usize>(
    shared: &SharedStorage<T, TILES, PANELS>,
    p: u32,
) {
    let mut u = T::NO_ROW;
    for half in 0..2 {
        let pivot_row = shared.pivot_rows.load(p * NB as u32 + warp::lane() % 4 + 4 * half as u32);
        for part in 0..T::PARTS {
            u.as_mut()[part][half] = shared.next_panel(part, pivot_row).load(row());
        }
    }
    let own = |i: usize| updater(TILES, PANELS) + i as u32 * updaters(TILES, PANELS);
    let mut tiles = [T::ZEROS; STRIPS];
    for i in 0..STRIPS {
        let t = own(i);
        if t < TILES as u32 {
            for part in 0..T::PARTS {
                for half in 0..2 {
                    let from = shared.next_panel(part, TILE_ROWS * t + 8 * half as u32 + row()).offset(column());
                    let pair = T::Real::load_pair(from);
                    tiles[i].as_mut()[part][2 * half] = pair[0];
                    tiles[i].as_mut()[part][2 * half + 1] = pair[1];
                }
            }
            T::multiply_parts::<false, false>(&mut tiles[i], &load_left_factor(shared, p, t), &u);
        }
    }
    sync_jobs(); // all have read the pivot rows
    for i in 0..STRIPS {
        let t = own(i);
        if t < TILES as u32 {
            store_next_panel(shared, t, &tiles[i]);
        }
    }
}
