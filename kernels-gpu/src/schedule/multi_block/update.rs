//! A tile of C -= L U (`xGEMM`): C and L are rows of a list, U the pivot rows of L's columns.
//!
//! A block has 128 rows and 64 columns of C, each of its 8 warps 32 x 32, in registers from the first to the last
//! product. L and U pass through shared memory in stages of `DEPTH` columns of L, of which `STAGES - 1` are on their way
//! while one is multiplied.
//!
//! Where there are too few such tiles for all multiprocessors, blocks have a quarter of that, each warp 16 x 16: with the
//! same numbers, as each is the same sum.
//!
//! Const generics: `I` and `J`, tiles of a matrix instruction of a warp, so many high and so many wide.

use simt::hint::opaque;
use simt::layout::Layout;
use simt::pipeline;
use simt::shared::Shared;
use simt::{sync_threads, thread, warp};

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::multi_block::product::{Rows, add_product};
use crate::schedule::multi_block::{COLUMNS, StepArgs, Workspace};
use crate::shape::{Problem, Shape, quotient};
use numbers::scalar::ScalarKind;

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Rows of a tile.
pub const TILE_ROWS: u32 = tile(2, 4).0;
/// Columns of a tile.
pub const TILE_COLUMNS: u32 = tile(2, 4).1;
/// Rows, and columns, of a warp's part.
pub const PART: u32 = part(2, 4).0;
/// Columns of L at most.
pub const MAX_WIDTH: u32 = 512;
/// Tiles side by side that blocks take before they go on to the rows below, so that those at work at the same time find
/// both L and U in the L2.
const BAND: u32 = 8;

/// Rows and columns of a warp's part.
pub(super) const fn part(i: usize, j: usize) -> (u32, u32) {
    (fragment::ROWS * i as u32, (fragment::COLUMNS * j) as u32)
}

/// Rows and columns of a tile: parts of 4 x 2 warps.
pub(super) const fn tile(i: usize, j: usize) -> (u32, u32) {
    (4 * part(i, j).0, 2 * part(i, j).1)
}

/// From a row of L to the next, and from a row of U to the next: so that lanes of a fragment are in different banks.
const fn row_lengths<T, const DEPTH: u32, const J: usize>() -> (u32, u32) {
    (DEPTH + 4, tile(1, J).1 + 32 / size_of::<T>() as u32)
}

/// What a block keeps in shared memory.
struct SharedStorage<T, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize> {
    l: Shared<T>,             // shape (STAGES, tile().0, row_lengths().0)
    u: Shared<T>,             // shape (STAGES, DEPTH, row_lengths().1)
    row_numbers: Shared<u32>, // those of C: shape (tile().0)
    u_numbers: Shared<u32>,   // those of U: shape (MAX_WIDTH)
}

#[inline(always)]
fn shared_storage<T: Mma, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize>(
    layout: &mut Layout,
) -> SharedStorage<T, DEPTH, STAGES, I, J> {
    let (l_row, u_row) = row_lengths::<T, DEPTH, J>();
    SharedStorage {
        l: layout.array(STAGES * tile(I, J).0 * l_row),
        u: layout.array(STAGES * DEPTH * u_row),
        row_numbers: layout.array(tile(I, J).0),
        u_numbers: layout.array(MAX_WIDTH),
    }
}

impl<T: Mma, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize>
    SharedStorage<T, DEPTH, STAGES, I, J>
{
    /// L of a stage: shape (tile().0, DEPTH).
    #[inline(always)]
    fn l_rows(&self, slot: u32) -> Rows<T> {
        let length = row_lengths::<T, DEPTH, J>().0;
        Rows { first: self.l.offset(slot * tile(I, J).0 * length), length }
    }

    /// U of a stage: shape (DEPTH, tile().1).
    #[inline(always)]
    fn u_rows(&self, slot: u32) -> Rows<T> {
        let length = row_lengths::<T, DEPTH, J>().1;
        Rows { first: self.u.offset(slot * DEPTH * length), length }
    }
}

/// Tiles of so many rows and columns.
#[must_use]
pub const fn tiles<const I: usize, const J: usize>(rows: u32, columns: u32) -> u64 {
    rows.div_ceil(tile(I, J).0) as u64 * columns.div_ceil(tile(I, J).1) as u64
}

/// The launch for as many as there are at most: a block a tile.
#[must_use]
pub fn entry_shape<T: Mma, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    let shared_bytes = Layout::bytes(shared_storage::<T, DEPTH, STAGES, I, J>);
    let blocks = problem.batch.saturating_mul(tiles::<I, J>(problem.n, problem.n));
    Shape { blocks, threads: THREADS, shared_bytes, cluster: 1 }
}

/// The body of the kernel: rows `begin_row..end_row` of the list, columns `begin..end_column`, whole blocks of columns.
/// L is in columns `column..column + width`.
#[inline(always)]
pub fn update<T: Mma, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize>(args: StepArgs<T>) {
    // SAFETY: `entry_shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T, DEPTH, STAGES, I, J>) };
    let (tile_rows, tile_columns) = const { tile(I, J) };
    let row_tiles = (args.end_row - args.begin_row).div_ceil(tile_rows);
    let column_tiles = (args.end_column - args.begin).div_ceil(tile_columns);
    let (b, share) = args.share(row_tiles * column_tiles);
    let (row_tile, column_tile) = in_bands(share, (row_tiles, column_tiles));
    let row = args.begin_row + row_tile * tile_rows;
    let column = args.begin + column_tile * tile_columns;
    let work = args.workspace(b);
    let rows = if args.end_row - row < tile_rows { args.end_row - row } else { tile_rows };

    if thread::index() < rows {
        shared.row_numbers.store(thread::index(), work.list(args.list).load((row + thread::index()) as i64));
    }
    let mut k = thread::index();
    while k < args.width {
        shared.u_numbers.store(k, work.pivot_rows().load((args.column + k) as i64));
        k += THREADS;
    }
    sync_threads();
    let stages = args.width.div_ceil(DEPTH);
    let load_stage = |stage: u32| {
        if stage < stages {
            let slot = stage % STAGES;
            load_l(&work, &shared, slot, rows, args.column + stage * DEPTH);
            load_u(&work, &shared, slot, &args, stage * DEPTH, column);
        }
        pipeline::commit();
    };
    for stage in 0..STAGES - 1 {
        load_stage(stage);
    }

    // This warp's part, negated, so that products are added.
    let first = (warp::index() % 4 * part(I, J).0, warp::index() / 4 * part(I, J).1);
    let (part_row, part_column) = (first.0 + fragment::row(), column + first.1);
    let is_there = part_column < args.end_column;
    let mut c = [[T::ZEROS; J]; I];
    if is_there {
        visit(part_row, rows, &shared, |i, half, row| {
            for j in 0..J {
                let at = work.at(row, part_column + 8 * j as u32).offset(fragment::column() as i64);
                let pair = T::load_global_pair(at);
                T::set(&mut c[i][j], 2 * half, -pair[0]);
                T::set(&mut c[i][j], 2 * half + 1, -pair[1]);
            }
        });
    }
    let mut stage = 0;
    while stage < stages {
        if STAGES == 2 {
            pipeline::wait_prior::<0>();
        } else {
            pipeline::wait_prior::<1>();
        }
        sync_threads(); // also after the stage before, which the one that is loaded now replaces
        load_stage(stage + STAGES - 1);
        if is_there {
            let slot = stage % STAGES;
            let l = shared.l_rows(slot).part(first.0, 0);
            let u = shared.u_rows(slot).part(0, first.1);
            add_product::<T, I, J, true>(&mut c, (l, u), DEPTH, args.triangle_is_data());
        }
        stage += 1;
    }
    if is_there {
        visit(part_row, rows, &shared, |i, half, row| {
            for j in 0..J {
                let at = work.at(row, part_column + 8 * j as u32).offset(fragment::column() as i64);
                T::store_global_pair(at, [-T::get(&c[i][j], 2 * half), -T::get(&c[i][j], 2 * half + 1)]);
            }
        });
    }
}

/// The row and the column of tile number `share`: along the rows of a band of tiles, then those of the next band.
#[inline(always)]
pub(super) fn in_bands(share: u32, (row_tiles, column_tiles): (u32, u32)) -> (u32, u32) {
    let band = quotient(share, BAND * row_tiles);
    let (first, share) = (band * BAND, share - band * BAND * row_tiles);
    let width = (column_tiles - first).min(BAND);
    let row = quotient(share, width);
    (row, first + share - row * width)
}

/// Calls `f` for each row of a lane that there is, with its tile, and which half of the tile it is in.
#[inline(always)]
fn visit<T, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize>(
    part_row: u32,
    rows: u32,
    shared: &SharedStorage<T, DEPTH, STAGES, I, J>,
    mut f: impl FnMut(usize, usize, u32),
) {
    for r in 0..2 * I {
        let at = part_row + 8 * r as u32;
        if at < rows {
            f(r / 2, r % 2, opaque(shared.row_numbers.load(at))); // else addresses are kept from load to store
        }
    }
}

/// L of a stage, from column `column` on; zeros where there is no row.
#[inline(always)]
fn load_l<T: Mma, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, DEPTH, STAGES, I, J>,
    slot: u32,
    rows: u32,
    column: u32,
) {
    let vectors = DEPTH / T::VECTOR as u32; // of a row
    for e in 0..tile(I, J).0 * vectors / THREADS {
        let at = e * THREADS + thread::index();
        let (r, v) = (at / vectors, at % vectors);
        let to = shared.l_rows(slot).part(r, 0).first;
        if r < rows {
            T::copy_vector(to, v, work.at(shared.row_numbers.load(r), column), v);
        } else {
            T::store_vector(to, v, &[T::ZERO; 4], 0);
        }
    }
}

/// U of a stage, from the pivot row of column `first` of L on; zeros where there is none.
#[inline(always)]
fn load_u<T: Mma, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, DEPTH, STAGES, I, J>,
    slot: u32,
    args: &StepArgs<T>,
    first: u32,
    column: u32,
) {
    let vectors = tile(I, J).1 / T::VECTOR as u32; // of a row
    for e in 0..DEPTH * vectors / THREADS {
        let at = e * THREADS + thread::index();
        let (k, v) = (at / vectors, at % vectors);
        let to = shared.u_rows(slot).part(k, 0).first;
        let from = column + v * T::VECTOR as u32;
        if first + k < args.width && from < args.end_column {
            T::copy_vector(to, v, work.at(shared.u_numbers.load(first + k), from), 0);
        } else {
            T::store_vector(to, v, &[T::ZERO; 4], 0);
        }
    }
}

const _: () = assert!(tile(1, 2).1.is_multiple_of(COLUMNS), "a warp's part is in one block of columns");
