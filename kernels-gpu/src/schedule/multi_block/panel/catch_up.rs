//! The earlier panels of the block, applied to this one: so it need not wait for updates of its own.
//!
//! Of what was there before, the rows that were pivot rows in those panels become rows of U, panel after panel:
//!
//! ```text
//! U_s = L_ss^-1 (A_s - sum of L_st U_t, t < s)        a thread a column solves, a warp a tile of the sum
//! C  -= L U                                           a warp the candidates of its lanes
//! ```
//!
//! All blocks of the cluster solve for U, as this takes less time than to tell each other. When none needs what it came
//! from any more, it goes to the workspace in its place.

use simt::{pipeline, sync_threads, thread, warp};

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::multi_block::Workspace;
use crate::schedule::multi_block::panel::THREADS;
use crate::schedule::multi_block::panel::product::{LaneRows, load, load_l, store, subtract};
use crate::schedule::multi_block::panel::storage::{SharedStorage, row_length};
use crate::schedule::multi_block::share::Share;

/// Columns of a block of panels at most, this one included.
pub const BLOCK_COLUMNS: u32 = 128;

/// The panels before the one of a share, from column `begin` on.
pub struct Earlier<'a, T, const NB: usize, const LANE_ROWS: usize> {
    shared: &'a SharedStorage<T, NB, LANE_ROWS>,
    work: &'a Workspace<T>,
    share: Share,
    begin: u32,
    k: u32,
    /// How many they are.
    panels: u32,
}

impl<'a, T: Mma, const NB: usize, const LANE_ROWS: usize> Earlier<'a, T, NB, LANE_ROWS> {
    /// Those of a matrix.
    #[inline(always)]
    pub fn new(shared: &'a SharedStorage<T, NB, LANE_ROWS>, work: &'a Workspace<T>, share: Share, begin: u32) -> Self {
        let k = share.begin;
        Self { shared, work, share, begin, k, panels: (k - begin) / NB as u32 }
    }

    /// Which rows were their pivot rows, to shared memory.
    #[inline(always)]
    pub fn load_numbers(&self) {
        let i = thread::index();
        if i < self.k - self.begin {
            self.shared.pivot_numbers.store(i, self.work.pivot_rows().load((self.begin + i) as i64));
        }
    }

    /// Begins to copy these rows, and the triangles of L. After [`Self::load_numbers`] and a barrier.
    #[inline(always)]
    pub fn load(&self) {
        let vectors = (NB / T::VECTOR) as u32;
        let mut e = thread::index();
        while e < (self.k - self.begin) * vectors {
            let (i, v) = (e / vectors, e % vectors);
            let row = self.shared.pivot_numbers.load(i);
            T::copy_vector(self.shared.upper(i), v, self.work.at(row, self.k), v);
            e += THREADS;
        }
        let mut e = thread::index();
        while e < (self.k - self.begin) * NB as u32 {
            let (i, j) = (e / NB as u32, e % NB as u32);
            let l = self.work.at(self.shared.pivot_numbers.load(i), self.begin + i / NB as u32 * NB as u32);
            let triangle = self.shared.triangle(i / NB as u32);
            pipeline::copy(triangle, j * NB as u32 + i % NB as u32, l.offset(j as i64), true);
            e += THREADS;
        }
    }

    /// Solves for U, and updates the candidates in shared memory by it, each warp those of its lanes. When the copies
    /// are there.
    #[inline(always)]
    pub fn apply(&self) {
        if self.panels == 0 {
            return;
        }
        // Other numbers take twice as many registers, or four times.
        if size_of::<T>() == 4 {
            self.apply_by_tiles::<2>();
        } else {
            self.apply_by_tiles::<1>();
        }
    }

    /// As [`Self::apply`], with so many tiles of candidates at a time.
    #[inline(always)]
    fn apply_by_tiles<const HEIGHT: usize>(&self) {
        let width = NB / fragment::COLUMNS;
        let tiles = LANE_ROWS as u32 * (warp::SIZE / fragment::ROWS); // of a warp
        let mut rows = self.candidates::<HEIGHT>(0);
        let mut l = load_l::<T, NB, HEIGHT>(self.work, &rows, self.begin);
        self.solve();
        let mut tile = 0;
        while tile < tiles && self.share.position(Self::index(tile, 0, 0) - fragment::row()) < self.share.end {
            let at = |i: usize, half: usize| self.shared.row(Self::index(tile, i, half));
            let after = self.candidates::<HEIGHT>(tile + HEIGHT as u32);
            let panels = (self.begin, self.panels);
            let u = (self.shared.upper(0), row_length::<T, NB>());
            let mut c = load::<T, HEIGHT>(&rows, width, at);
            subtract::<T, NB, HEIGHT>(&mut c, width, &mut l, self.work, (&rows, &after), panels, u);
            store::<T, HEIGHT>(&c, &rows, width, at);
            rows = after;
            tile += HEIGHT as u32;
        }
    }

    /// Which of the block's rows is row `half` of this lane in the `i`-th tile after a warp's tile. The rows of a tile
    /// are those of 16 lanes.
    #[inline(always)]
    fn index(tile: u32, i: usize, half: usize) -> u32 {
        let row = (tile + i as u32) * fragment::ROWS + fragment::row() + 8 * half as u32;
        row / warp::SIZE * THREADS + warp::index() * warp::SIZE + row % warp::SIZE
    }

    /// The candidates that this lane has elements of in the tiles from `tile` on.
    #[inline(always)]
    fn candidates<const HEIGHT: usize>(&self, tile: u32) -> LaneRows<HEIGHT> {
        let mut rows: LaneRows<HEIGHT> = [[None; 2]; HEIGHT];
        for i in 0..HEIGHT {
            for half in 0..2 {
                let index = Self::index(tile, i, half);
                if index < LANE_ROWS as u32 * THREADS && self.share.position(index) < self.share.end {
                    rows[i][half] = Some(self.shared.row_numbers.load(index));
                }
            }
        }
        rows
    }

    /// U, negated, to where its rows were copied. A barrier follows each write.
    #[inline(always)]
    fn solve(&self) {
        // A warp a tile of 16 x 8 of a panel's rows of U; where panels have but 8 rows, its other half is not there.
        let width = (NB / fragment::COLUMNS) as u32;
        let (tile_row, column) = (warp::index() / width * fragment::ROWS, warp::index() % width * 8);
        let u = (self.shared.upper(0).offset(column), row_length::<T, NB>());
        let row = |s: u32, half: usize| (tile_row + fragment::row() + 8 * half as u32, s * NB as u32);
        let rows = |s: u32| {
            let mut rows: LaneRows<1> = [[None; 2]];
            for half in 0..2 {
                let (row, first) = row(s, half);
                if row < NB as u32 && s < self.panels {
                    rows[0][half] = Some(self.shared.pivot_numbers.load(first + row));
                }
            }
            rows
        };
        let mut l = load_l::<T, NB, 1>(self.work, &rows(1), self.begin);
        self.substitute(0);
        let mut s = 1;
        while s < self.panels {
            let at = |_: usize, half: usize| {
                let (row, first) = row(s, half);
                self.shared.upper(first + row).offset(column)
            };
            let own = rows(s);
            let mut sum = load::<T, 1>(&own, 1, at);
            subtract::<T, NB, 1>(&mut sum, 1, &mut l, self.work, (&own, &rows(s + 1)), (self.begin, s), u);
            store::<T, 1>(&sum, &own, 1, at);
            sync_threads();
            self.substitute(s);
            s += 1;
        }
    }

    /// Panel `s`'s rows of U, negated, from those of A without the panels before: a thread a column. Ends with a
    /// barrier.
    #[inline(always)]
    fn substitute(&self, s: u32) {
        let column = thread::index();
        if column < NB as u32 {
            let at = |i: usize| self.shared.upper(s * NB as u32 + i as u32).offset(column);
            let mut u = [T::ZERO; NB];
            for i in 0..NB {
                u[i] = at(i).load(0);
            }
            for j in 0..NB - 1 {
                let l: [T; NB] = T::load_row(self.shared.triangle(s).offset((j * NB) as u32), j + 1);
                for i in j + 1..NB {
                    u[i] = u[i].sub_mul(l[i], u[j]);
                }
            }
            for i in 0..NB {
                at(i).store(0, -u[i]);
            }
        }
        sync_threads();
    }

    /// The rows of U to the workspace, each block of the cluster its share. When no block reads what was there any
    /// more.
    #[inline(always)]
    pub fn store(&self, (rank, blocks): (u32, u32)) {
        let mut e = rank * THREADS + thread::index();
        while e < (self.k - self.begin) * NB as u32 {
            let (i, j) = (e / NB as u32, e % NB as u32);
            let u = -self.shared.upper(i).load(j);
            self.work.at(self.shared.pivot_numbers.load(i), self.k).store(j as i64, u);
            e += blocks * THREADS;
        }
    }
}
