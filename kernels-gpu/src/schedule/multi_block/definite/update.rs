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
use crate::numbers::mma::Mma;
use crate::numbers::scalar::ScalarKind;
use crate::schedule::multi_block::product::{Adjoint, Rows, add_product};
use crate::schedule::multi_block::update::{PART, THREADS, TILE_COLUMNS, TILE_ROWS, in_bands, tiles};
use crate::schedule::multi_block::{StepArgs, Workspace};
use crate::shape::{Problem, Shape};

/// From a row of `columns` numbers to the next: so that lanes of a fragment are in different banks.
const fn row_length<T>(columns: u32) -> u32 {
    columns + 32 / size_of::<T>() as u32
}

/// What a block keeps in shared memory.
struct SharedStorage<T, const DEPTH: u32, const STAGES: u32> {
    left: Shared<T>,  // U in the columns that are C's rows: shape (STAGES, DEPTH, row_length(TILE_ROWS))
    right: Shared<T>, // U in C's columns: shape (STAGES, DEPTH, row_length(TILE_COLUMNS))
}

#[inline(always)]
fn shared_storage<T: Mma, const DEPTH: u32, const STAGES: u32>(layout: &mut Layout) -> SharedStorage<T, DEPTH, STAGES> {
    SharedStorage {
        left: layout.array(STAGES * DEPTH * row_length::<T>(TILE_ROWS)),
        right: layout.array(STAGES * DEPTH * row_length::<T>(TILE_COLUMNS)),
    }
}

impl<T: Mma, const DEPTH: u32, const STAGES: u32> SharedStorage<T, DEPTH, STAGES> {
    /// Of a stage: shape (DEPTH, TILE_ROWS).
    #[inline(always)]
    fn left_rows(&self, slot: u32) -> Rows<T> {
        let length = row_length::<T>(TILE_ROWS);
        Rows { first: self.left.offset(slot * DEPTH * length), length }
    }

    /// Of a stage: shape (DEPTH, TILE_COLUMNS).
    #[inline(always)]
    fn right_rows(&self, slot: u32) -> Rows<T> {
        let length = row_length::<T>(TILE_COLUMNS);
        Rows { first: self.right.offset(slot * DEPTH * length), length }
    }
}

/// The launch for as many tiles as there are at most.
#[must_use]
pub fn entry_shape<T: Mma, const DEPTH: u32, const STAGES: u32>(problem: &Problem, _: ScalarKind) -> Shape {
    let shared_bytes = Layout::bytes(shared_storage::<T, DEPTH, STAGES>);
    let blocks = problem.batch.saturating_mul(tiles(problem.n, problem.n));
    Shape { blocks, threads: THREADS, shared_bytes, cluster: 1 }
}

/// The body of the kernel: rows `begin_row..end_row`, columns `begin..end_column`, whole blocks of columns. U12 is in rows
/// `column..column + width`.
#[inline(always)]
pub fn update<T: Mma, const DEPTH: u32, const STAGES: u32>(args: StepArgs<T>) {
    let row_tiles = (args.end_row - args.begin_row).div_ceil(TILE_ROWS);
    let column_tiles = (args.end_column - args.begin).div_ceil(TILE_COLUMNS);
    let (b, share) = args.share(row_tiles * column_tiles);
    let (row_tile, column_tile) = in_bands(share, (row_tiles, column_tiles));
    let row = args.begin_row + row_tile * TILE_ROWS;
    let column = args.begin + column_tile * TILE_COLUMNS;
    if column + TILE_COLUMNS <= row {
        return;
    }
    // SAFETY: `entry_shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T, DEPTH, STAGES>) };
    let work = args.workspace(b);
    let stages = args.width.div_ceil(DEPTH);
    let load_stage = |stage: u32| {
        if stage < stages {
            let slot = stage % STAGES;
            let first = stage * DEPTH;
            load::<T, DEPTH, TILE_ROWS>(&work, shared.left_rows(slot), &args, (first, row));
            load::<T, DEPTH, TILE_COLUMNS>(&work, shared.right_rows(slot), &args, (first, column));
        }
        pipeline::commit();
    };
    for stage in 0..STAGES - 1 {
        load_stage(stage);
    }

    // This warp's part, negated, so that products are added.
    let part = (warp::index() % 4 * PART, warp::index() / 4 * PART);
    let (part_row, part_column) = (row + part.0 + fragment::row(), column + part.1);
    let is_there = part_column < args.end_column;
    let mut c = [[T::ZEROS; 4]; 2];
    if is_there {
        visit(part_row, args.end_row, |i, half, row| {
            for j in 0..4 {
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
            let factors = (Adjoint(shared.left_rows(slot).part(0, part.0)), shared.right_rows(slot).part(0, part.1));
            add_product::<T, 2, 4, true>(&mut c, factors, DEPTH, false);
        }
        stage += 1;
    }
    if is_there {
        visit(part_row, args.end_row, |i, half, row| {
            for j in 0..4 {
                let at = work.at(row, part_column + 8 * j as u32).offset(fragment::column() as i64);
                T::store_global_pair(at, [-T::get(&c[i][j], 2 * half), -T::get(&c[i][j], 2 * half + 1)]);
            }
        });
    }
}

/// Calls `f` for each row of a lane that there is, with its tile, and which half of the tile it is in.
#[inline(always)]
fn visit(part_row: u32, end_row: u32, mut f: impl FnMut(usize, usize, u32)) {
    for r in 0..4 {
        let row = part_row + 8 * r as u32;
        if row < end_row {
            f(r / 2, r % 2, opaque(row)); // else addresses are kept from load to store
        }
    }
}

/// Begins to load `WIDTH` columns of U of a stage, from row `first` of U12 and from column `column` on; zeros where there
/// is none.
#[inline(always)]
fn load<T: Mma, const DEPTH: u32, const WIDTH: u32>(
    work: &Workspace<T>,
    to: Rows<T>,
    args: &StepArgs<T>,
    (first, column): (u32, u32),
) {
    let vectors = WIDTH / T::VECTOR as u32; // of a row
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
