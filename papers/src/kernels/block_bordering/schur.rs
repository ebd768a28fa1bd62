//! S = C - B^H W: first W from its slices, with a part of B^H W for some rows of W, then S from these parts.

use simt::layout::Layout;
use simt::pipeline;
use simt::shared::Shared;
use simt::{sync_threads, thread, warp};

use crate::kernels::block_bordering::BlockArgs;
use crate::kernels::block_bordering::tile::{Part, THREADS, each_pair, load, part, row_lengths};
use crate::kernels::bordering::real;
use kernels_gpu::collective::mma::Mma;
use kernels_gpu::schedule::multi_block::COLUMNS;
use kernels_gpu::schedule::multi_block::product::{Adjoint, Rows, add_product};
use kernels_gpu::schedule::multi_block::update::{TILE_COLUMNS, TILE_ROWS};
use kernels_gpu::shape::{Problem, Shape, quotient};
use numbers::scalar::{Scalar, ScalarKind};

/// Rows of W that a block of threads has.
pub const CHUNK: u32 = 64;
/// Numbers of W that a thread adds up.
const NUMBERS: usize = (CHUNK * TILE_COLUMNS / THREADS) as usize;

/// What a block keeps in shared memory.
struct SharedStorage<T> {
    b: Rows<T>, // shape (CHUNK, TILE_ROWS)
    w: Rows<T>, // shape (CHUNK, TILE_COLUMNS)
}

#[inline(always)]
fn shared_storage<T: Mma>(layout: &mut Layout) -> SharedStorage<T> {
    let (b_row, w_row) = (row_lengths::<T>(TILE_ROWS).1, row_lengths::<T>(TILE_COLUMNS).1);
    SharedStorage {
        b: Rows { first: layout.array(CHUNK * b_row), length: b_row },
        w: Rows { first: layout.array(CHUNK * w_row), length: w_row },
    }
}

/// The launch of [`schur`], a block a matrix.
#[must_use]
pub fn shape<T: Mma>(problem: &Problem, _: ScalarKind) -> Shape {
    let shared_bytes = Layout::bytes(shared_storage::<T>);
    Shape { blocks: problem.batch, threads: THREADS, shared_bytes, cluster: 1 }
}

/// The body of the kernel: a tile of the part of B^H W of a chunk. The first tile of a column stores W.
#[inline(always)]
pub fn schur<T: Mma>(args: BlockArgs<T>) {
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T>) };
    let step = args.step;
    let (column_tiles, corner_tiles) = (step.column_tiles(), step.corner_tiles());
    let (b, share) = args.share(step.chunks() * column_tiles * corner_tiles);
    let column_of_chunk = quotient(share, corner_tiles);
    let row = (share - column_of_chunk * corner_tiles) * TILE_ROWS;
    let chunk = quotient(column_of_chunk, column_tiles);
    let column = (column_of_chunk - chunk * column_tiles) * TILE_COLUMNS;
    let first = chunk * CHUNK;
    let (rows, columns) = (step.k - first, step.padded() - column);

    let (x, from) = (args.x(b), step.k + row);
    load(shared.b, (CHUNK, TILE_ROWS), (rows, step.padded() - row), |i, j| x.at(first + i, from + j));
    pipeline::commit();
    let (vectors, w) = (TILE_COLUMNS / T::VECTOR as u32, args.w(b));
    let place = |e: usize| {
        let at = e as u32 * THREADS + thread::index();
        (at / vectors, at % vectors)
    };
    let mut sums = [T::ZERO; NUMBERS];
    let mut slice = 0;
    while slice < step.slices() {
        let from = args.slice(b, slice);
        for e in 0..NUMBERS / T::VECTOR {
            let (i, v) = place(e);
            let j = v * T::VECTOR as u32;
            if i < rows && j < columns {
                let vector = T::load_global_vector(from.at(first + i, column + j), 0);
                for q in 0..T::VECTOR {
                    sums[e * T::VECTOR + q] = sums[e * T::VECTOR + q] + vector[q];
                }
            }
        }
        slice += 1;
    }
    for e in 0..NUMBERS / T::VECTOR {
        let (i, v) = place(e);
        let (to, j) = (shared.w.part(i, 0).first, v * T::VECTOR as u32);
        T::store_vector(to, v, &sums, e * T::VECTOR);
        if row == 0 && i < rows && j < columns {
            let mut vector = [T::ZERO; 4];
            for q in 0..T::VECTOR {
                vector[q] = sums[e * T::VECTOR + q];
            }
            T::store_global_vector(w.at(first + i, column + j), 0, vector);
        }
    }
    pipeline::wait_prior::<0>();
    sync_threads();

    let mut c: Part<T> = [[T::ZEROS; 4]; 2];
    let factors = (Adjoint(shared.b.part(0, part().0)), shared.w.part(0, part().1));
    add_product::<T, 2, 4, false>(&mut c, factors, CHUNK, true);
    let to = args.part(b, chunk);
    each_pair((step.padded() - row, columns), |(i, j, e), r, col| {
        let at = to.offset(((row + r) * step.block + column + col) as i64);
        T::store_global_pair(at, [T::get(&c[i][j], e), T::get(&c[i][j], e + 1)]);
    });
}

/// Parts whose numbers a lane has on their way at a time.
const AT_ONCE: usize = 4;
/// Warps of a block.
const WARPS: u32 = THREADS / warp::SIZE;

/// The sums of the warps: shape (WARPS, 32).
#[inline(always)]
fn of_warps<T: Scalar>(layout: &mut Layout) -> Shared<T> {
    layout.array(WARPS * warp::SIZE)
}

/// The launch of [`sum`], a block a matrix.
#[must_use]
pub fn sum_shape<T: Mma>(problem: &Problem, _: ScalarKind) -> Shape {
    Shape { blocks: problem.batch, threads: THREADS, shared_bytes: Layout::bytes(of_warps::<T>), cluster: 1 }
}

/// S: a block of threads has 32 numbers of a row, of which each warp adds up some parts. What is below the diagonal is
/// the conjugate of what is above it, and beyond the matrix are zeros.
#[inline(always)]
pub fn sum<T: Mma>(args: BlockArgs<T>) {
    // SAFETY: `sum_shape` asks for this layout's bytes; a barrier separates writes from reads.
    let of_warps = unsafe { Layout::place(of_warps::<T>) };
    let step = args.step;
    let groups = step.padded() / COLUMNS; // of a row
    let (b, share) = args.share(step.padded() * groups);
    let i = quotient(share, groups);
    let j = (share - i * groups) * COLUMNS + warp::lane();
    let (chunks, corner) = (step.chunks(), args.corner(b));
    let is_own = i <= j && j < step.width;

    let mut sum = T::ZERO;
    let mut chunk = warp::index();
    while chunk < chunks {
        let mut numbers = [T::ZERO; AT_ONCE];
        for q in 0..AT_ONCE {
            let chunk = chunk + q as u32 * WARPS;
            if is_own && chunk < chunks {
                numbers[q] = args.part(b, chunk).load((i * step.block + j) as i64);
            }
        }
        for q in 0..AT_ONCE {
            sum = sum + numbers[q];
        }
        chunk += AT_ONCE as u32 * WARPS;
    }
    of_warps.store(thread::index(), sum);
    sync_threads();
    if warp::index() > 0 {
        return;
    }
    if is_own {
        let mut sum = T::ZERO;
        for w in 0..WARPS {
            sum = sum + of_warps.load(w * warp::SIZE + warp::lane());
        }
        let c = args.x(b).at(step.k + i, step.k + j).load(0) - sum;
        let c = if i == j { real(c) } else { c };
        corner.store((i * step.block + j) as i64, c);
        if i != j {
            corner.store((j * step.block + i) as i64, c.conj());
        }
    } else if i >= step.width || j >= step.width {
        corner.store((i * step.block + j) as i64, T::ZERO);
    }
}
