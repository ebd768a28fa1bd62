//! The panels that an updating warp owns, and their tiles in registers and shared memory.

use simt::hint::opaque;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::warp;

use crate::collective::fragment::{column, row};
use crate::collective::mma::Mma;
use crate::memory::vector::Vectorized;
use crate::schedule::look_ahead::{MAX_ROWS, NB, updater, updaters};
use numbers::matrix::GlobalMatrix;

/// An updating warp's panels; lanes hold their tiles as in [`fragment`](crate::collective::fragment).
pub struct Columns<T: Mma, const TILES: usize, const PANELS: usize, const HELD: usize> {
    /// The first tiles of each panel: shape (PANELS, HELD).
    held: [[T::Tile; HELD]; PANELS],
    /// The others, from this lane's first element on: shape (PANELS, TILES - HELD, PARTS, 2, 32, 2).
    spilled: Shared<T::Real>,
}

/// The spilled tiles of all updating warps: shape (updaters, PANELS, TILES - HELD, PARTS, 2, 32, 2).
#[inline(always)]
pub fn spilled_tiles<T: Mma, const TILES: usize, const PANELS: usize, const HELD: usize>(
    layout: &mut Layout,
) -> Shared<T::Real> {
    layout.array(updaters(TILES, PANELS) * spilled_numbers::<T>(PANELS * (TILES - HELD)))
}

/// Real numbers in `tiles` tiles of a warp.
const fn spilled_numbers<T: Mma>(tiles: usize) -> u32 {
    tiles as u32 * 128 * T::PARTS as u32
}

impl<T: Mma, const TILES: usize, const PANELS: usize, const HELD: usize> Columns<T, TILES, PANELS, HELD> {
    /// The number of this warp's panel `s` in the matrix.
    #[inline(always)]
    pub fn panel(s: usize) -> u32 {
        s as u32 * updaters(TILES, PANELS) + updater(TILES, PANELS)
    }

    /// Loads this warp's columns of a matrix of order `n`, with zeros beyond; `spilled` is from [`spilled_tiles`].
    #[inline(always)]
    pub fn load(a: &GlobalMatrix<T>, spilled: Shared<T::Real>, n: u32) -> Self {
        let own = updater(TILES, PANELS) * spilled_numbers::<T>(PANELS * (TILES - HELD)) + 2 * warp::lane();
        let mut columns = Self { held: [[T::ZEROS; HELD]; PANELS], spilled: spilled.offset(own) };
        for s in 0..PANELS {
            let mut tiles = [T::ZEROS; TILES];
            let column = Self::panel(s) * NB as u32 + column();
            let mut first = a.at(opaque(row()), column); // otherwise LLVM keeps all panels' addresses in registers
            for c in 0..2 {
                let is_column = column + (c as u32) < n;
                a.walk::<{ MAX_ROWS / 8 }>(first, |i, from| {
                    if i < 2 * TILES && is_column && row() + (8 * i as u32) < n {
                        T::set(&mut tiles[i / 2], i % 2 * 2 + c, from.load(0));
                    }
                });
                first = first.offset(a.col_stride());
            }
            for t in 0..TILES {
                columns.put(s, t, tiles[t]);
            }
        }
        columns
    }

    /// Tile `t` of this warp's panel `s`.
    #[inline(always)]
    pub fn get(&self, s: usize, t: usize) -> T::Tile {
        let mut tile = T::ZEROS;
        if t < HELD {
            copy::<T>(&mut tile, &self.held[s][t]);
            return tile;
        }
        for part in 0..T::PARTS {
            for half in 0..2 {
                let pair = T::Real::load_pair(self.spilled(s, t, part, half));
                tile.as_mut()[part][2 * half] = pair[0];
                tile.as_mut()[part][2 * half + 1] = pair[1];
            }
        }
        tile
    }

    /// Replaces tile `t` of this warp's panel `s`.
    #[inline(always)]
    pub fn put(&mut self, s: usize, t: usize, tile: T::Tile) {
        if t < HELD {
            copy::<T>(&mut self.held[s][t], &tile);
            return;
        }
        for part in 0..T::PARTS {
            for half in 0..2 {
                store_half(self.spilled(s, t, part, half), &tile.as_ref()[part], half);
            }
        }
    }

    /// Where half of a part of a spilled tile is.
    #[inline(always)]
    fn spilled(&self, s: usize, t: usize, part: usize, half: usize) -> Shared<T::Real> {
        self.spilled.offset((((s * (TILES - HELD) + t - HELD) * T::PARTS + part) * 2 + half) as u32 * 64)
    }

    /// Applies `f` to this lane's `i`-th row, in all of the warp's panels.
    #[inline(always)]
    pub fn map_row(&mut self, i: usize, mut f: impl FnMut(T) -> T) {
        for s in 0..PANELS {
            let mut tile = self.get(s, i / 2);
            for e in i % 2 * 2..i % 2 * 2 + 2 {
                let x = T::get(&tile, e);
                T::set(&mut tile, e, f(x));
            }
            self.put(s, i / 2, tile);
        }
    }
}

/// Copies a tile number by number; copied whole, LLVM keeps pairs of f32 in registers of 64 bits.
#[inline(always)]
fn copy<T: Mma>(to: &mut T::Tile, from: &T::Tile) {
    for part in 0..T::PARTS {
        for e in 0..4 {
            to.as_mut()[part][e] = from.as_ref()[part][e];
        }
    }
}

/// Stores a lane's upper or lower row of a tile: two neighbours.
#[inline(always)]
pub fn store_half<R: Vectorized>(to: Shared<R>, tile: &[R; 4], half: usize) {
    R::store_pair(to, [tile[2 * half], tile[2 * half + 1]]);
}
