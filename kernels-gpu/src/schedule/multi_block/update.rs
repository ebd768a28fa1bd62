//! A tile of the trailing matrix updated by a panel: U12 = L11^-1 A12 (`xTRSM`) and A22 -= L21 U12 (`xGEMM`).
//!
//! A block has 128 candidate rows and 64 columns. A thread a column solves for U12, which all blocks of these columns do anew, as
//! it takes less time than to wait for another launch; the one with the first rows stores it. Then each of 8 warps updates
//! 32 x 32 elements, from registers to registers, by matrix instructions.

use simt::hint::opaque;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{sync_threads, thread, warp};

use crate::collective::fragment;
use crate::numbers::mma::Mma;
use crate::numbers::scalar::ScalarKind;
use crate::schedule::multi_block::{COLUMNS, StepArgs, Workspace, pivot_rows};
use crate::shape::{Problem, Shape, quotient};

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Rows of a tile.
pub const TILE_ROWS: u32 = 128;
/// Columns of a tile.
pub const TILE_COLUMNS: u32 = 64;
/// Rows, and columns, of a warp's part: two tiles of a matrix instruction high, four wide.
const PART: u32 = 32;

/// What a block keeps in shared memory.
struct SharedStorage<T> {
    l: Shared<T>,         // shape (TILE_ROWS, L_ROW)
    negated_u: Shared<T>, // shape (NB, U_ROW)
    triangle: Shared<T>,  // L11: shape (NB, NB)
}

/// From a row of L to the next, and from a row of U to the next: so that lanes of a fragment are in different banks.
const fn row_lengths<T, const NB: usize>() -> (u32, u32) {
    (NB as u32 + 4, TILE_COLUMNS + 32 / size_of::<T>() as u32)
}

#[inline(always)]
fn shared_storage<T: Mma, const NB: usize>(layout: &mut Layout) -> SharedStorage<T> {
    let (l_row, u_row) = row_lengths::<T, NB>();
    SharedStorage {
        l: layout.array(TILE_ROWS * l_row),
        negated_u: layout.array(NB as u32 * u_row),
        triangle: layout.array((NB * NB) as u32),
    }
}

/// Tiles of `rows` candidates.
const fn row_tiles(rows: u32) -> u32 {
    rows.div_ceil(TILE_ROWS)
}

/// Tiles of `rows` candidates and `columns` columns.
#[must_use]
pub const fn tiles(rows: u32, columns: u32) -> u64 {
    row_tiles(rows) as u64 * columns.div_ceil(TILE_COLUMNS) as u64
}

/// The launch for `batch` matrices, `rows` candidates and `columns` columns: a block a tile.
#[must_use]
pub fn shape<T: Mma, const NB: usize>(rows: u32, columns: u32, batch: u64) -> Shape {
    let blocks = batch * tiles(rows, columns);
    Shape { blocks, threads: THREADS, shared_bytes: Layout::bytes(shared_storage::<T, NB>), cluster: 1 }
}

/// As [`shape`], for the first panel.
#[must_use]
pub fn entry_shape<T: Mma, const NB: usize>(problem: &Problem, _: ScalarKind) -> Shape {
    Shape { blocks: problem.batch.saturating_mul(tiles(problem.n, problem.n)), ..shape::<T, NB>(1, 1, 1) }
}

/// The rows of the trailing matrix that a lane has elements of: two in each of two tiles.
type LaneRows = [Option<u32>; 4];

/// The body of the kernel.
#[inline(always)]
pub fn update<T: Mma, const NB: usize>(args: StepArgs<T>) {
    let (n, k) = (args.n, args.column);
    let first_row = k + NB as u32; // the position of the first candidate
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T, NB>) };
    let row_tiles = row_tiles(n - first_row);
    let (b, share) = args.share(row_tiles * (args.columns_end - args.begin).div_ceil(TILE_COLUMNS));
    let column_tile = quotient(share, row_tiles);
    let row_tile = share - column_tile * row_tiles;
    let (row, column) = (first_row + row_tile * TILE_ROWS, args.begin + column_tile * TILE_COLUMNS);
    let work = args.workspace(b);
    let candidates = work.candidates(k / NB as u32 + 1);

    // This warp's elements are on their way while U12 is solved for.
    let part_row = row + warp::index() % 4 * PART + fragment::row();
    let part_column = column + warp::index() / 4 * PART;
    let mut rows: LaneRows = [None; 4];
    for r in 0..4 {
        let position = part_row + 8 * r as u32;
        rows[r] = if position < n { Some(candidates.load(position as i64)) } else { None };
    }
    let is_there = |j: usize| part_column + 8 * (j as u32) < args.columns_end;
    let mut c = [[T::ZEROS; 4]; 2];
    visit(&rows, |i, half, row| {
        for j in 0..4 {
            if is_there(j) {
                let at = work.at(row, part_column + 8 * j as u32).offset(fragment::column() as i64);
                let pair = T::load_global_pair(at);
                T::set(&mut c[i][j], 2 * half, pair[0]);
                T::set(&mut c[i][j], 2 * half + 1, pair[1]);
            }
        }
    });

    load_l::<T, NB>(&work, &shared, row, n, k);
    pivot_rows::load_triangle::<T, NB>(&work, shared.triangle, k, THREADS);
    sync_threads();
    if thread::index() < TILE_COLUMNS {
        let own = column + thread::index();
        let u = pivot_rows::solve::<T, NB>(&work, shared.triangle, k, own, own < args.columns_end);
        for i in 0..NB {
            shared.negated_u.store(i as u32 * row_lengths::<T, NB>().1 + thread::index(), -u[i]);
        }
        if row_tile == 0 && own < n && own < args.columns_end {
            pivot_rows::store(&args.lu.matrix(b), &u, k, own);
        }
    }
    sync_threads();

    multiply::<T, NB>(&shared, &mut c);
    visit(&rows, |i, half, row| {
        for j in 0..4 {
            if is_there(j) {
                let at = work.at(row, part_column + 8 * j as u32).offset(fragment::column() as i64);
                T::store_global_pair(at, [T::get(&c[i][j], 2 * half), T::get(&c[i][j], 2 * half + 1)]);
            }
        }
    });
}

/// Calls `f` for each row of a lane that there is, with its tile, and which half of the tile it is in.
#[inline(always)]
fn visit(rows: &LaneRows, mut f: impl FnMut(usize, usize, u32)) {
    for r in 0..4 {
        if let Some(row) = rows[r] {
            f(r / 2, r % 2, opaque(row)); // else addresses are kept from load to store
        }
    }
}

/// L21 of the tile's rows, from position `row` on, to shared memory; zeros where there is none.
#[inline(always)]
fn load_l<T: Mma, const NB: usize>(work: &Workspace<T>, shared: &SharedStorage<T>, row: u32, n: u32, k: u32) {
    let vectors = (NB / T::VECTOR) as u32; // of a row
    let candidates = work.candidates(k / NB as u32 + 1);
    for e in 0..(TILE_ROWS * vectors).div_ceil(THREADS) {
        let at = e * THREADS + thread::index();
        let (r, v) = (at / vectors, at % vectors);
        let to = shared.l.offset(r * row_lengths::<T, NB>().0);
        if r < TILE_ROWS {
            if row + r < n {
                T::copy_vector(to, v, work.at(candidates.load((row + r) as i64), k), v);
            } else {
                T::store_vector(to, v, &[T::ZERO; 4], 0);
            }
        }
    }
    simt::pipeline::commit();
    simt::pipeline::wait_prior::<0>();
}

/// `c -= L21 U12`, a warp's part.
#[inline(always)]
fn multiply<T: Mma, const NB: usize>(shared: &SharedStorage<T>, c: &mut [[T::Tile; 4]; 2]) {
    let (l_row, u_row) = row_lengths::<T, NB>();
    let (row, k) = (warp::lane() / 4, warp::lane() % 4);
    let l = shared.l.offset((warp::index() % 4 * PART + row) * l_row + k);
    let u = shared.negated_u.offset(k * u_row + warp::index() / 4 * PART + row);
    for step in 0..(NB / 8) as u32 {
        let mut a = [T::ZEROS; 2];
        for i in 0..2 {
            for e in 0..4 {
                let at = (16 * i as u32 + 8 * (e % 2)) * l_row + 8 * step + 4 * (e / 2);
                T::set(&mut a[i], e as usize, l.load(at));
            }
        }
        for j in 0..4 {
            let mut b = T::NO_ROW;
            for half in 0..2 {
                let parts = u.load((8 * step + 4 * half) * u_row + 8 * j as u32).to_parts();
                for part in 0..T::PARTS {
                    b.as_mut()[part][half as usize] = parts[part];
                }
            }
            for i in 0..2 {
                T::multiply_parts::<false>(&mut c[i][j], &a[i], &b);
            }
        }
    }
}

const _: () = assert!(TILE_COLUMNS.is_multiple_of(COLUMNS), "a warp's part is in one block of columns");
