//! X = L^-1 B, or U^-1 B, with a triangle of up to `WIDTH` columns (`xTRSM`), in place in the workspace.
//!
//! A block has 32 columns of B, and takes its rows in strips of 32: matrix instructions subtract the product with the
//! strips that are solved, then four lanes a column substitute. The next strip of the triangle is on its way meanwhile.

use simt::layout::Layout;
use simt::pipeline;
use simt::shared::Shared;
use simt::{sync_threads, thread, warp};

use crate::collective::divisors::Divisors;
use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::multi_block::args::{UNIT_DIAGONAL, UPPER};
use crate::schedule::multi_block::product::{Rows, add_product};
use crate::schedule::multi_block::{COLUMNS, StepArgs, Workspace};
use crate::shape::{Problem, Shape};
use numbers::scalar::{Scalar, ScalarKind};

/// Threads of a block.
pub const THREADS: u32 = 128;
/// Columns of B of a block.
pub const TILE_COLUMNS: u32 = COLUMNS;
/// Rows of a strip: two tiles of a matrix instruction.
const STRIP: usize = 32;
/// Those that a lane has in a substitution.
const SHARE: usize = 8;
/// Vectors of a thread that are copied at a time.
const TOGETHER: u32 = 4;

/// From a row of the triangle to the next, and from a row of B to the next: so that lanes of a fragment are in
/// different banks.
const fn row_lengths<T, const WIDTH: u32>() -> (u32, u32) {
    (WIDTH + 4, TILE_COLUMNS + 32 / size_of::<T>() as u32)
}

/// What a block keeps in shared memory.
struct SharedStorage<T: Scalar, const WIDTH: u32> {
    strips: Shared<T>,      // two strips of the triangle: shape (2, STRIP, row_lengths().0)
    multipliers: Shared<T>, // of one's block on the diagonal, column after column: shape (STRIP, STRIP)
    divisors: Divisors<T>,  // the diagonal of this block: shape (STRIP)
    x: Shared<T>,           // B, and then X: shape (WIDTH, row_lengths().1)
    rows: Shared<u32>,      // the rows of both: shape (WIDTH)
}

#[inline(always)]
fn shared_storage<T: Mma, const WIDTH: u32>(layout: &mut Layout) -> SharedStorage<T, WIDTH> {
    let (strip_row, x_row) = row_lengths::<T, WIDTH>();
    SharedStorage {
        strips: layout.array(2 * STRIP as u32 * strip_row),
        multipliers: layout.array((STRIP * STRIP) as u32),
        divisors: Divisors::array(layout, STRIP as u32),
        x: layout.array(WIDTH * x_row),
        rows: layout.array(WIDTH),
    }
}

impl<T: Mma, const WIDTH: u32> SharedStorage<T, WIDTH> {
    /// A strip of the triangle: shape (STRIP, WIDTH).
    #[inline(always)]
    fn strip_rows(&self, strip: u32) -> Rows<T> {
        let length = row_lengths::<T, WIDTH>().0;
        Rows { first: self.strips.offset(strip % 2 * STRIP as u32 * length), length }
    }

    /// B, and then X: shape (WIDTH, TILE_COLUMNS).
    #[inline(always)]
    fn x_rows(&self) -> Rows<T> {
        Rows { first: self.x, length: row_lengths::<T, WIDTH>().1 }
    }
}

/// Blocks for so many columns of B.
#[must_use]
pub const fn tiles(columns: u32) -> u64 {
    columns.div_ceil(TILE_COLUMNS) as u64
}

/// The launch for `batch` matrices and `columns` columns.
#[must_use]
pub fn shape<T: Mma, const WIDTH: u32>(columns: u32, batch: u64) -> Shape {
    let blocks = batch.saturating_mul(tiles(columns));
    Shape { blocks, threads: THREADS, shared_bytes: Layout::bytes(shared_storage::<T, WIDTH>), cluster: 1 }
}

/// As [`shape`], for as many as there are at most.
#[must_use]
pub fn entry_shape<T: Mma, const WIDTH: u32>(problem: &Problem, _: ScalarKind) -> Shape {
    shape::<T, WIDTH>(problem.n, problem.batch)
}

/// The body of the kernel: columns `begin..end_column`, whole blocks of columns; the triangle is in columns
/// `column..column + width`. Both are in the pivot rows of these columns.
#[inline(always)]
pub fn triangle<T: Mma, const WIDTH: u32>(args: StepArgs<T>) {
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T, WIDTH>) };
    let tiles = (args.end_column - args.begin).div_ceil(TILE_COLUMNS);
    let (b, share) = args.share(tiles);
    let column = args.begin + share * TILE_COLUMNS;
    let work = args.workspace(b);

    if thread::index() < args.width {
        shared.rows.store(thread::index(), work.pivot_rows().load((args.column + thread::index()) as i64));
    }
    sync_threads();
    let strips = args.width.div_ceil(STRIP as u32);
    let strip_of = |step: u32| if args.has(UPPER) { strips - 1 - step } else { step };
    load_strip(&work, &shared, &args, strip_of(0));
    each_vector::<T, TILE_COLUMNS>(strips * STRIP as u32, |i, v| {
        let (to, first) = (shared.x_rows().part(i, 0).first, v * T::VECTOR as u32);
        if i < args.width {
            T::copy_vector(to, v, work.at(shared.rows.load(i), column + first), 0);
        } else {
            T::store_vector(to, v, &[T::ZERO; 4], 0);
        }
    });
    pipeline::commit();
    let mut step = 0;
    while step < strips {
        let strip = strip_of(step);
        if step + 1 < strips {
            load_strip(&work, &shared, &args, strip_of(step + 1));
        }
        pipeline::commit();
        pipeline::wait_prior::<1>();
        sync_threads();
        transpose_diagonal(&shared, strip, &args);
        let solved = if args.has(UPPER) { (strip + 1, strips) } else { (0, strip) };
        subtract_products(&shared, strip, solved, args.triangle_is_data());
        sync_threads();
        match (args.has(UPPER), args.has(UNIT_DIAGONAL)) {
            (true, true) => substitute::<T, WIDTH, true, true>(&shared, strip),
            (true, false) => substitute::<T, WIDTH, true, false>(&shared, strip),
            (false, true) => substitute::<T, WIDTH, false, true>(&shared, strip),
            (false, false) => substitute::<T, WIDTH, false, false>(&shared, strip),
        }
        sync_threads();
        step += 1;
    }
    each_vector::<T, TILE_COLUMNS>(args.width, |i, v| {
        let to = work.at(shared.rows.load(i), column + v * T::VECTOR as u32);
        T::store_global_vector(to, 0, T::load_vector(shared.x_rows().part(i, 0).first, v));
    });
}

/// Calls `f` with each of `rows` rows, of `LENGTH` numbers, and each of their vectors that are this thread's: some at a
/// time, as all of them would be too much code for the instruction cache.
#[inline(always)]
fn each_vector<T: Mma, const LENGTH: u32>(rows: u32, mut f: impl FnMut(u32, u32)) {
    let vectors = LENGTH / T::VECTOR as u32;
    let mut first = thread::index();
    while first < rows * vectors {
        for e in 0..TOGETHER {
            let at = first + e * THREADS;
            if at < rows * vectors {
                f(at / vectors, at % vectors);
            }
        }
        first += TOGETHER * THREADS;
    }
}

/// Begins to load a strip of the triangle: the columns of strips that are solved, and its own.
#[inline(always)]
fn load_strip<T: Mma, const WIDTH: u32>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, WIDTH>,
    args: &StepArgs<T>,
    strip: u32,
) {
    let (first, end) = if args.has(UPPER) { (strip, WIDTH / STRIP as u32) } else { (0, strip + 1) };
    each_vector::<T, WIDTH>(STRIP as u32, |i, v| {
        let (row, column) = (strip * STRIP as u32 + i, v * T::VECTOR as u32);
        let to = shared.strip_rows(strip).part(i, 0).first;
        let is_wanted = (first..end).contains(&(column / STRIP as u32));
        if is_wanted && row < args.width && column < args.width {
            T::copy_vector(to, v, work.at(shared.rows.load(row), args.column + column), 0);
        } else if is_wanted {
            T::store_vector(to, v, &[T::ZERO; 4], 0);
        }
    });
}

/// The multipliers of a strip's block on the diagonal, column after column; zeros in its other half. And its divisors;
/// ones beyond the triangle.
#[inline(always)]
fn transpose_diagonal<T: Mma, const WIDTH: u32>(shared: &SharedStorage<T, WIDTH>, strip: u32, args: &StepArgs<T>) {
    let rows = shared.strip_rows(strip).part(0, strip * STRIP as u32);
    let is_upper = args.has(UPPER);
    let mut e = thread::index();
    while e < (STRIP * STRIP) as u32 {
        let (i, j) = (e % STRIP as u32, e / STRIP as u32);
        let is_multiplier = if is_upper { i < j } else { i > j };
        shared.multipliers.store(e, if is_multiplier { rows.part(i, j).first.load(0) } else { T::ZERO });
        e += THREADS;
    }
    let i = thread::index();
    if i < STRIP as u32 && !args.has(UNIT_DIAGONAL) {
        let is_there = strip * STRIP as u32 + i < args.width;
        shared.divisors.store(i, if is_there { rows.part(i, i).first.load(0) } else { T::ONE });
    }
}

/// B of the strip less the product of the triangle with X of the strips in `solved`; a warp has 16 x 16 of it.
#[inline(always)]
fn subtract_products<T: Mma, const WIDTH: u32>(
    shared: &SharedStorage<T, WIDTH>,
    strip: u32,
    solved: (u32, u32),
    is_data: bool,
) {
    if solved.0 == solved.1 {
        return;
    }
    let (row, column) = (warp::index() % 2 * 16, warp::index() / 2 * 16);
    let (first, depth) = (solved.0 * STRIP as u32, (solved.1 - solved.0) * STRIP as u32);
    let mut product = [[T::ZEROS; 2]; 1];
    let factors = (shared.strip_rows(strip).part(row, first), shared.x_rows().part(first, column));
    add_product::<T, 1, 2, false>(&mut product, factors, depth, is_data);
    let own = shared.x_rows().part(strip * STRIP as u32 + row + fragment::row(), column + fragment::column());
    for j in 0..2 {
        for half in 0..2 {
            let at = own.part(8 * half, 8 * j as u32).first;
            let (x, e) = (T::load_pair(at), 2 * half as usize);
            T::store_pair(at, [x[0] - T::get(&product[0][j], e), x[1] - T::get(&product[0][j], e + 1)]);
        }
    }
}

/// Substitution in a strip: a warp has eight columns, a lane a [`SHARE`] of the rows of one.
#[inline(always)]
fn substitute<T: Mma, const WIDTH: u32, const IS_UPPER: bool, const IS_UNIT: bool>(
    shared: &SharedStorage<T, WIDTH>,
    strip: u32,
) {
    let (column, group) = (warp::index() * 8 + warp::lane() % 8, warp::lane() / 8);
    let own = shared.x_rows().part(strip * STRIP as u32 + group * SHARE as u32, column);
    let mut x = [T::ZERO; SHARE];
    for i in 0..SHARE {
        x[i] = own.part(i as u32, 0).first.load(0);
    }
    let mut step = 0;
    while step < (STRIP / SHARE) as u32 {
        let owner = if IS_UPPER { (STRIP / SHARE) as u32 - 1 - step } else { step };
        for i in 0..SHARE {
            let i = if IS_UPPER { SHARE - 1 - i } else { i };
            let j = owner * SHARE as u32 + i as u32;
            let multipliers: [T; SHARE] =
                T::load_row(shared.multipliers.offset(j * STRIP as u32 + group * SHARE as u32), 0);
            if !IS_UNIT {
                let divided = shared.divisors.divide(x[i], j); // by all, as a branch would cost more
                x[i] = if group == owner { divided } else { x[i] };
            }
            let solved = warp::shuffle(warp::ALL, x[i], owner * 8 + warp::lane() % 8);
            for r in 0..SHARE {
                x[r] = x[r].sub_mul(multipliers[r], solved);
            }
        }
        step += 1;
    }
    for i in 0..SHARE {
        own.part(i as u32, 0).first.store(0, x[i]);
    }
}
