//! A panel of a slab, applied to the columns right of it: U12 = L11^-1 A12, A22 -= L21 U12.
//!
//! Pivot rows lie in the blocks that have them. As telling each other of U12 takes longer than to substitute, every
//! block fetches A12 and does that, some columns at a time.

use simt::{sync_threads, thread, warp};

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::multi_block::Workspace;
use crate::schedule::multi_block::panel::candidates::Place;
use crate::schedule::multi_block::panel::product::{LaneRows, TILES, load, store};
use crate::schedule::multi_block::panel::{THREADS, WARPS};
use crate::schedule::multi_block::share::Share;
use crate::schedule::multi_block::slab::storage::{SharedStorage, chunk};
use crate::shape::quotient;

/// Columns that a warp works on at a time: a lane's in the substitution, four tiles in products.
const TOGETHER: u32 = (TILES * fragment::COLUMNS) as u32;

/// A panel of `NB` columns from column `column` of a slab of `columns` columns.
pub struct Apply<'a, T, const NB: usize> {
    /// The block's shared memory.
    pub shared: &'a SharedStorage<T, NB>,
    /// The workspace.
    pub work: &'a Workspace<T>,
    /// The block's rows.
    pub share: Share,
    /// The panel's first column.
    pub column: u32,
    /// Those of the slab.
    pub columns: u32,
}

impl<T: Mma, const NB: usize> Apply<'_, T, NB> {
    /// Fetches L11, and which rows of the workspace the pivot rows are. When all blocks have finished the panel.
    #[inline(always)]
    pub fn fetch(&self) {
        let c = thread::index();
        if c < NB as u32 {
            let (place, numbers) = (self.place(c), self.shared.row_numbers);
            let number = if self.share.blocks == 1 {
                numbers.load(place.index())
            } else {
                numbers.mapped().of(place.block()).load(place.index())
            };
            self.shared.pivot_numbers.store(c, number);
        }
        let mut e = thread::index();
        while e < (NB * NB) as u32 {
            let (i, j) = (e / NB as u32, e % NB as u32);
            self.shared.triangle.store(j * NB as u32 + i, self.element(i, self.column + j));
            e += THREADS;
        }
        sync_threads();
    }

    /// Applies the panel. Ends with a barrier.
    #[inline(always)]
    pub fn run(&self) {
        let mut first = self.column + NB as u32;
        while first < self.columns {
            let end = (first + chunk::<T>()).min(self.columns);
            self.substitute(first, end);
            sync_threads();
            self.update(first, end);
            sync_threads();
            first = end;
        }
    }

    /// Where pivot row `i` is.
    #[inline(always)]
    fn place(&self, i: u32) -> Place {
        Place(self.shared.places.load(i))
    }

    /// Its element in a column of the slab.
    #[inline(always)]
    fn element(&self, i: u32, column: u32) -> T {
        let (place, rows) = (self.place(i), self.shared.rows(self.columns));
        if self.share.blocks == 1 {
            rows.part(place.index(), column).first.load(0)
        } else {
            rows.first.mapped().of(place.block()).load(place.index() * rows.length + column)
        }
    }

    /// U of columns `first..end`, negated, to shared memory; and of every so many columns to the workspace. A lane a
    /// column.
    #[inline(always)]
    fn substitute(&self, first: u32, end: u32) {
        let mut column = first + warp::index() * TOGETHER + warp::lane();
        while column < end {
            let mut u = [T::ZERO; NB];
            for i in 0..NB {
                u[i] = self.element(i as u32, column);
            }
            for j in 0..NB - 1 {
                let l: [T; NB] = T::load_row(self.shared.triangle.offset((j * NB) as u32), j + 1);
                for i in j + 1..NB {
                    u[i] = u[i].sub_mul(l[i], u[j]);
                }
            }
            let upper = self.shared.upper();
            for i in 0..NB {
                upper.part(i as u32, column - first).first.store(0, -u[i]);
            }
            if (column / TOGETHER) & (self.share.blocks - 1) == self.share.rank {
                for i in 0..NB {
                    let number = self.shared.pivot_numbers.load(i as u32);
                    self.work.at(number, self.share.begin + column).store(0, u[i]);
                }
            }
            column += WARPS * TOGETHER;
        }
    }

    /// The product with columns `first..end` of U, subtracted from the candidates: a warp 16 of them and 32 columns.
    #[inline(always)]
    fn update(&self, first: u32, end: u32) {
        let (groups, tiles) = ((end - first).div_ceil(TOGETHER), self.share.rows().div_ceil(fragment::ROWS));
        let mut unit = warp::index();
        while unit < tiles * groups {
            let tile = quotient(unit, groups);
            let column = first + (unit - tile * groups) * TOGETHER;
            if end - column >= TOGETHER {
                self.subtract::<TILES>(tile, column, first);
            } else {
                self.subtract::<{ TILES / 2 }>(tile, column, first);
            }
            unit += WARPS;
        }
    }

    /// The same for a tile of rows, and `WIDTH` tiles from a column on; U is there from column `first` on.
    #[inline(always)]
    fn subtract<const WIDTH: usize>(&self, tile: u32, column: u32, first: u32) {
        let (rows, place) = (self.candidates(tile), self.shared.rows(self.columns));
        let row = |half: usize| tile * fragment::ROWS + fragment::row() + 8 * half as u32;
        let at = |_: usize, half: usize| place.part(row(half), column).first;
        let mut c = load::<T, 1>(&rows, WIDTH, at);
        for step in 0..NB / fragment::COLUMNS {
            let mut l = T::ZEROS;
            for half in 0..2 {
                if rows[0][half].is_some() {
                    let from = place.part(row(half), self.column + 8 * step as u32 + fragment::column()).first;
                    let pair = T::load_pair(from);
                    T::set(&mut l, half, pair[0]);
                    T::set(&mut l, half + 2, pair[1]);
                }
            }
            for j in 0..WIDTH {
                let mut u = T::NO_ROW;
                for half in 0..2 {
                    let i = 8 * step as u32 + fragment::column() + half as u32;
                    let x = self.shared.upper().part(i, column - first + 8 * j as u32 + fragment::row()).first.load(0);
                    let parts = x.to_parts();
                    for part in 0..T::PARTS {
                        u.as_mut()[part][half] = parts[part];
                    }
                }
                T::multiply_parts::<false, true>(&mut c[0][j], &l, &u);
            }
        }
        store::<T, 1>(&c, &rows, WIDTH, at);
    }

    /// The rows of a tile that this lane has elements of, where they are candidates after the panel.
    #[inline(always)]
    fn candidates(&self, tile: u32) -> LaneRows<1> {
        let next = self.share.begin + self.column + NB as u32;
        let mut rows: LaneRows<1> = [[None; 2]];
        for half in 0..2 {
            let i = tile * fragment::ROWS + fragment::row() + 8 * half as u32;
            if self.share.position(i) < self.share.end && self.shared.positions.load(i) >= next {
                rows[0][half] = Some(i);
            }
        }
        rows
    }
}
