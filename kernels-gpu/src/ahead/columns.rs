//! What the updating warps hold, and what they do with it.

use simt::hint::opaque;
use simt::shared::{self, Shared};
use simt::warp;

use crate::ahead::board::Board;
use crate::ahead::{NB, ROWS, meet, updater, updaters};
use crate::matrix::GlobalMatrix;
use crate::product::Product;
use crate::scalar::Scalar;
use crate::wide::Wide;

/// The panels of an updating warp, which are every so-manieth. Of each, `K` times 16 rows are in registers, and the others in shared
/// memory, where only the lane that owns them looks.
///
/// 16 rows of a panel are a tile: lane 4 i + j has elements (i, 2 j), (i, 2 j + 1), (i + 8, 2 j) and (i + 8, 2 j + 1) of it.
pub struct Columns<T: Product, const B: usize, const Q: usize, const K: usize> {
    /// Shape (Q, K).
    held: [[T::Tile; K]; Q],
    /// This lane's: shape (Q, B - K, PARTS, 2, 32, 2), from its first on.
    parked: Shared<T::Real>,
}

/// Bytes of the tiles in shared memory.
#[must_use]
pub const fn parked_bytes<T: Product>(b: usize, q: usize, k: usize) -> u32 {
    updaters(b, q) * (q * (b - k)) as u32 * 128 * size_of::<T>() as u32
}

/// The first row of this lane.
#[inline(always)]
pub fn row() -> u32 {
    warp::lane() / 4
}

/// The first column of this lane in a panel.
#[inline(always)]
pub fn column() -> u32 {
    warp::lane() % 4 * 2
}

impl<T: Product, const B: usize, const Q: usize, const K: usize> Columns<T, B, Q, K> {
    /// Which panel is in slot `s`.
    #[inline(always)]
    pub fn panel(s: usize) -> u32 {
        s as u32 * updaters(B, Q) + updater(B, Q)
    }

    /// This warp's columns of a matrix of order `n`, zeros beyond.
    ///
    /// # Safety
    /// As for [`shared::array`], of [`parked_bytes`] after the board's.
    #[inline(always)]
    pub unsafe fn load(a: &GlobalMatrix<T>, n: u32) -> Self {
        // SAFETY: the caller's promise.
        let parked = unsafe { shared::array::<T::Real>(Board::<T, B, Q>::bytes()) };
        let own = updater(B, Q) * (Q * (B - K)) as u32 * 128 * T::PARTS as u32 + 2 * warp::lane();
        let mut columns = Self { held: [[T::ZEROS; K]; Q], parked: parked.offset(own) };
        for s in 0..Q {
            let mut tiles = [T::ZEROS; B];
            let column = Self::panel(s) * NB as u32 + column();
            let mut first = a.at(opaque(row()), column); // else addresses are kept for all panels
            for c in 0..2 {
                let is_column = column + (c as u32) < n;
                a.walk::<{ ROWS / 8 }>(first, |i, from| {
                    if i < 2 * B && is_column && row() + (8 * i as u32) < n {
                        T::set(&mut tiles[i / 2], i % 2 * 2 + c, from.load(0));
                    }
                });
                first = first.offset(a.col_stride());
            }
            for b in 0..B {
                columns.put(s, b, tiles[b]);
            }
        }
        columns
    }

    /// Rows `16 * b..` of the panel in slot `s`.
    #[inline(always)]
    pub fn get(&self, s: usize, b: usize) -> T::Tile {
        let mut tile = T::ZEROS;
        if b < K {
            copy::<T>(&mut tile, &self.held[s][b]);
            return tile;
        }
        for part in 0..T::PARTS {
            for half in 0..2 {
                let pair = T::Real::load_pair(self.place(s, b, part, half));
                tile.as_mut()[part][2 * half] = pair[0];
                tile.as_mut()[part][2 * half + 1] = pair[1];
            }
        }
        tile
    }

    /// Replaces them.
    #[inline(always)]
    pub fn put(&mut self, s: usize, b: usize, tile: T::Tile) {
        if b < K {
            copy::<T>(&mut self.held[s][b], &tile);
            return;
        }
        for part in 0..T::PARTS {
            for half in 0..2 {
                store_pair(self.place(s, b, part, half), &tile.as_ref()[part], half);
            }
        }
    }

    /// Where half of a part of a tile is parked.
    #[inline(always)]
    fn place(&self, s: usize, b: usize, part: usize, half: usize) -> Shared<T::Real> {
        self.parked.offset((((s * (B - K) + b - K) * T::PARTS + part) * 2 + half) as u32 * 64)
    }

    /// Hands panel `p` over to the panel warp, if it is this warp's.
    #[inline(always)]
    pub fn hand_over(&self, board: &Board<T, B, Q>, p: u32) {
        for s in 0..Q {
            if Self::panel(s) == p {
                for b in 0..B {
                    store_handed(board, b as u32, &self.get(s, b));
                }
            }
        }
    }

    /// Takes panel `p` as it was factored, with its part of the unit matrix, if it is this warp's.
    #[inline(always)]
    pub fn take_back(&mut self, board: &Board<T, B, Q>, p: u32) {
        for s in 0..Q {
            if Self::panel(s) == p {
                let steps = board.steps(p, row());
                for b in 0..B {
                    let l = factored(board, p, b as u32, column(), 1);
                    let mut tile = T::ZEROS;
                    for part in 0..T::PARTS {
                        for e in 0..4 {
                            let is_pivot = part == 0 && steps[b][e / 2] == p * NB as u32 + column() + e as u32 % 2;
                            let x = l.as_ref()[part][e % 2 * 2 + e / 2];
                            tile.as_mut()[part][e] = x + if is_pivot { T::Real::ONE } else { T::Real::ZERO };
                        }
                    }
                    self.put(s, b, tile);
                }
            }
        }
    }

    /// Shows this warp's lanes the pivot rows of panel `p`.
    #[inline(always)]
    fn show_pivots(&self, board: &Board<T, B, Q>, p: u32) {
        let steps = board.steps(p, row());
        for i in 0..2 * B {
            let k = steps[i / 2][i % 2].wrapping_sub(p * NB as u32);
            if k < NB as u32 {
                let to = k * Board::<T, B, Q>::PIVOT_ROW + column();
                for s in 0..Q {
                    let tile = self.get(s, i / 2);
                    for part in 0..T::PARTS {
                        store_pair(board.pivots_here(part).offset(to + (NB * s) as u32), &tile.as_ref()[part], i % 2);
                    }
                }
            }
        }
        warp::sync(warp::ALL);
    }

    /// What the panel is multiplied with in slot `s`: the pivot rows that are shown.
    #[inline(always)]
    fn pivots(board: &Board<T, B, Q>, s: usize) -> T::Row {
        let mut u = T::NO_ROW;
        // Where registers are scarce, they are loaded for each product.
        let lane = if K < B { opaque(warp::lane()) } else { warp::lane() };
        for part in 0..T::PARTS {
            for half in 0..2 {
                let k = lane % 4 + 4 * half as u32;
                let from = board.pivots_here(part).offset(k * Board::<T, B, Q>::PIVOT_ROW + lane / 4);
                u.as_mut()[part][half] = from.load((NB * s) as u32);
            }
        }
        u
    }

    /// Puts `f` of each number into its place, in the `i`-th of this lane's rows.
    #[inline(always)]
    pub fn replace(&mut self, i: usize, mut f: impl FnMut(T) -> T) {
        for s in 0..Q {
            let mut tile = self.get(s, i / 2);
            for e in i % 2 * 2..i % 2 * 2 + 2 {
                let x = T::get(&tile, e);
                T::set(&mut tile, e, f(x));
            }
            self.put(s, i / 2, tile);
        }
    }

    /// Applies panel `p`, as it was factored, to all slots.
    #[inline(always)]
    pub fn apply(&mut self, board: &Board<T, B, Q>, p: u32) {
        self.show_pivots(board, p);
        for b in 0..B {
            let l = factored(board, p, b as u32, warp::lane() % 4, 4);
            for s in 0..Q {
                let mut x = self.get(s, b);
                T::multiply_parts::<false>(&mut x, &l, &Self::pivots(board, s));
                self.put(s, b, x);
            }
        }
        warp::sync(warp::ALL); // the pivot rows have been read
    }
}

/// Copies a tile, number by number: else LLVM keeps two f32 as one number of 64 bits.
#[inline(always)]
fn copy<T: Product>(to: &mut T::Tile, from: &T::Tile) {
    for part in 0..T::PARTS {
        for e in 0..4 {
            to.as_mut()[part][e] = from.as_ref()[part][e];
        }
    }
}

/// Half of a tile's numbers: two neighbours in a row.
#[inline(always)]
fn store_pair<R: Wide>(to: Shared<R>, tile: &[R; 4], half: usize) {
    R::store_pair(to, [tile[2 * half], tile[2 * half + 1]]);
}

/// Of rows `16 * b..` of panel `p` as it was factored, two columns, the second so many after the first: rows i and i + 8 of one, and
/// then of the other. Columns j and j + 4 make a factor of a product.
#[inline(always)]
fn factored<T: Product, const B: usize, const Q: usize>(
    board: &Board<T, B, Q>,
    p: u32,
    b: u32,
    first: u32,
    after: u32,
) -> T::Tile {
    let mut l = T::ZEROS;
    for part in 0..T::PARTS {
        for c in 0..2 {
            let column = board.factored(p, part, first + after * c as u32).offset(2 * row());
            let pair = T::Real::load_pair(column.offset(16 * b));
            l.as_mut()[part][2 * c] = pair[0];
            l.as_mut()[part][2 * c + 1] = pair[1];
        }
    }
    l
}

/// Puts rows `16 * b..` where panels are handed over.
#[inline(always)]
fn store_handed<T: Product, const B: usize, const Q: usize>(board: &Board<T, B, Q>, b: u32, tile: &T::Tile) {
    for part in 0..T::PARTS {
        for half in 0..2 {
            let to = board.handed(part, 16 * b + 8 * half as u32 + row()).offset(column());
            store_pair(to, &tile.as_ref()[part], half);
        }
    }
}

/// Applies panel `p` to the panel that is handed over, 16 rows by each warp. One barrier.
#[inline(always)]
pub fn prepare<T: Product, const B: usize, const Q: usize, const P: usize>(board: &Board<T, B, Q>, p: u32) {
    let mut u = T::NO_ROW;
    for half in 0..2 {
        let pivot_row = board.pivot_rows.load(p * NB as u32 + warp::lane() % 4 + 4 * half as u32);
        for part in 0..T::PARTS {
            u.as_mut()[part][half] = board.handed(part, pivot_row).load(row());
        }
    }
    let mut tiles = [T::ZEROS; P];
    for i in 0..P {
        let b = updater(B, Q) + i as u32 * updaters(B, Q);
        if b < B as u32 {
            for part in 0..T::PARTS {
                for half in 0..2 {
                    let from = board.handed(part, 16 * b + 8 * half as u32 + row()).offset(column());
                    let pair = T::Real::load_pair(from);
                    tiles[i].as_mut()[part][2 * half] = pair[0];
                    tiles[i].as_mut()[part][2 * half + 1] = pair[1];
                }
            }
            let l = factored(board, p, b, warp::lane() % 4, 4);
            T::multiply_parts::<false>(&mut tiles[i], &l, &u);
        }
    }
    meet(); // all have the pivot rows
    for i in 0..P {
        let b = updater(B, Q) + i as u32 * updaters(B, Q);
        if b < B as u32 {
            store_handed(board, b, &tiles[i]);
        }
    }
}
