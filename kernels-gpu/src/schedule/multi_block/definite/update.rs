//! A tile of A22 -= U12^H U12 (`xHERK`), where it reaches above the diagonal.
//!
//! As [`update`](crate::schedule::multi_block::update), whose tiles these are, but for the left factor: both are rows of
//! U, and one is transposed when it is loaded from shared memory.

use simt::hint::opaque;
use simt::layout::Layout;
use simt::pipeline;
use simt::shared::Shared;
use simt::{sync_threads, thread, warp};

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::multi_block::product::{Adjoint, Rows, add_product};
use crate::schedule::multi_block::update::{THREADS, in_bands, part, tile, tiles};
use crate::schedule::multi_block::{StepArgs, Workspace};
use crate::shape::{Problem, Shape};
use numbers::scalar::ScalarKind;

/// From a row of `columns` numbers to the next: so that lanes of a fragment are in different banks.
const fn row_length<T>(columns: u32) -> u32 {
    columns + 32 / size_of::<T>() as u32
}

/// What a block keeps in shared memory.
struct SharedStorage<T, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize> {
    left: Shared<T>,  // U in the columns that are C's rows: shape (STAGES, DEPTH, row_length(tile().0))
    right: Shared<T>, // U in C's columns: shape (STAGES, DEPTH, row_length(tile().1))
}

#[inline(always)]
fn shared_storage<T: Mma, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize>(
    layout: &mut Layout,
) -> SharedStorage<T, DEPTH, STAGES, I, J> {
    SharedStorage {
        left: layout.array(STAGES * DEPTH * row_length::<T>(tile(I, J).0)),
        right: layout.array(STAGES * DEPTH * row_length::<T>(tile(I, J).1)),
    }
}

impl<T: Mma, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize>
    SharedStorage<T, DEPTH, STAGES, I, J>
{
    /// Of a stage: shape (DEPTH, tile().0).
    #[inline(always)]
    fn left_rows(&self, slot: u32) -> Rows<T> {
        let length = row_length::<T>(tile(I, J).0);
        Rows { first: self.left.offset(slot * DEPTH * length), length }
    }

    /// Of a stage: shape (DEPTH, tile().1).
    #[inline(always)]
    fn right_rows(&self, slot: u32) -> Rows<T> {
        let length = row_length::<T>(tile(I, J).1);
        Rows { first: self.right.offset(slot * DEPTH * length), length }
    }
}

/// The launch for as many tiles as there are at most.
#[must_use]
pub fn entry_shape<T: Mma, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    let shared_bytes = Layout::bytes(shared_storage::<T, DEPTH, STAGES, I, J>);
    let blocks = problem.batch.saturating_mul(tiles::<I, J>(problem.n, problem.n));
    Shape { blocks, threads: THREADS, shared_bytes, cluster: 1 }
}

/// The body of the kernel: rows `begin_row..end_row`, columns `begin..end_column`, whole blocks of columns. U12 is in rows
/// `column..column + width`.
#[inline(always)]
pub fn update<T: Mma, const DEPTH: u32, const STAGES: u32, const I: usize, const J: usize>(args: StepArgs<T>) {
    let (tile_rows, tile_columns) = const { tile(I, J) };
    let row_tiles = (args.end_row - args.begin_row).div_ceil(tile_rows);
    let column_tiles = (args.end_column - args.begin).div_ceil(tile_columns);
    let (b, share) = args.share(row_tiles * column_tiles);
    let (row_tile, column_tile) = in_bands(share, (row_tiles, column_tiles));
    let row = args.begin_row + row_tile * tile_rows;
    let column = args.begin + column_tile * tile_columns;
    if column + tile_columns <= row {
        return;
    }
    // SAFETY: `entry_shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T, DEPTH, STAGES, I, J>) };
    let work = args.workspace(b);
    let stages = args.width.div_ceil(DEPTH);
    let load_stage = |stage: u32| {
        if stage < stages {
            let slot = stage % STAGES;
            let first = stage * DEPTH;
            load::<T, DEPTH>(&work, (shared.left_rows(slot), tile_rows), &args, (first, row));
            load::<T, DEPTH>(&work, (shared.right_rows(slot), tile_columns), &args, (first, column));
        }
        pipeline::commit();
    };
    for stage in 0..STAGES - 1 {
        load_stage(stage);
    }

    // This warp's part, negated, so that products are added.
    let first = (warp::index() % 4 * part(I, J).0, warp::index() / 4 * part(I, J).1);
    let (part_row, part_column) = (row + first.0 + fragment::row(), column + first.1);
    let is_there = part_column < args.end_column;
    let mut c = [[T::ZEROS; J]; I];
    if is_there {
        visit::<I>(part_row, args.end_row, |i, half, row| {
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
            let factors = (Adjoint(shared.left_rows(slot).part(0, first.0)), shared.right_rows(slot).part(0, first.1));
            add_product::<T, I, J, true>(&mut c, factors, DEPTH, false);
        }
        stage += 1;
    }
    if is_there {
        visit::<I>(part_row, args.end_row, |i, half, row| {
            for j in 0..J {
                let at = work.at(row, part_column + 8 * j as u32).offset(fragment::column() as i64);
                T::store_global_pair(at, [-T::get(&c[i][j], 2 * half), -T::get(&c[i][j], 2 * half + 1)]);
            }
        });
    }
}

/// Calls `f` for each row of a lane that there is, with its tile, and which half of the tile it is in.
#[inline(always)]
fn visit<const I: usize>(part_row: u32, end_row: u32, mut f: impl FnMut(usize, usize, u32)) {
    for r in 0..2 * I {
        let row = part_row + 8 * r as u32;
        if row < end_row {
            f(r / 2, r % 2, opaque(row)); // else addresses are kept from load to store
        }
    }
}

/// Begins to load `width` columns of U of a stage, from row `first` of U12 and from column `column` on; zeros where there
/// is none.
#[inline(always)]
fn load<T: Mma, const DEPTH: u32>(
    work: &Workspace<T>,
    (to, width): (Rows<T>, u32),
    args: &StepArgs<T>,
    (first, column): (u32, u32),
) {
    let vectors = width / T::VECTOR as u32; // of a row
    for e in 0..DEPTH * vectors / THREADS {
        let at = e * THREADS + thread::index();
        let (k, v) = (at / vectors, at % vectors);
        let (to, from) = (to.part(k, 0).first, column + v * T::VECTOR as u32);
        if first + k < args.width && from < args.end_column {
            T::copy_vector(to, v, work.at(args.column + first + k, from), 0);
        } else {
            T::store_vector(to, v, &[T::ZERO; 4], 0);
        }
    }
}
