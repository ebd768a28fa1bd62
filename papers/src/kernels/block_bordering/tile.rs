//! A tile of a product, 128 x 64, by a block of threads: as the tiles of an [`update`](kernels_gpu::schedule::multi_block),
//! but of factors that may be stored as their transposes, and whose rows are where they belong.

use simt::global::Global;
use simt::hint::opaque;
use simt::layout::Layout;
use simt::pipeline;
use simt::shared::Shared;
use simt::{sync_threads, thread, warp};

use kernels_gpu::collective::fragment;
use kernels_gpu::collective::mma::Mma;
use kernels_gpu::schedule::multi_block::product::{Factor, Rows, add_product};
use kernels_gpu::schedule::multi_block::update::{PART, TILE_COLUMNS, TILE_ROWS};
use kernels_gpu::shape::Shape;

pub(super) use kernels_gpu::schedule::multi_block::update::THREADS;

/// Stages in shared memory.
const STAGES: u32 = 2;

/// Columns of the left factor of a stage.
pub(super) const fn depth<T>() -> u32 {
    if size_of::<T>() > 8 { 16 } else { 32 }
}

/// From a row of `depth` numbers to the next, and from a row of `columns` numbers to the next: so that lanes of a
/// fragment are in different banks.
pub(super) const fn row_lengths<T>(columns: u32) -> (u32, u32) {
    (depth::<T>() + 4, columns + 32 / size_of::<T>() as u32)
}

/// Numbers of a factor in a stage, `lines` rows or columns of it, as it is or transposed.
const fn numbers<T>(lines: u32) -> u32 {
    let (short, long) = row_lengths::<T>(lines);
    let (tall, wide) = (lines * short, depth::<T>() * long);
    if tall > wide { tall } else { wide }
}

/// What a block keeps in shared memory: `depth` columns of the left factor, and as many rows of the right one, twice.
pub(super) struct Stages<T> {
    left: Shared<T>,  // shape (STAGES, numbers(TILE_ROWS))
    right: Shared<T>, // shape (STAGES, numbers(TILE_COLUMNS))
}

#[inline(always)]
pub(super) fn stages<T: Mma>(layout: &mut Layout) -> Stages<T> {
    Stages {
        left: layout.array(STAGES * numbers::<T>(TILE_ROWS)),
        right: layout.array(STAGES * numbers::<T>(TILE_COLUMNS)),
    }
}

impl<T: Mma> Stages<T> {
    /// The left factor of a stage: shape (TILE_ROWS, depth), or, transposed, (depth, TILE_ROWS).
    #[inline(always)]
    pub(super) fn left(&self, stage: u32, is_transposed: bool) -> Rows<T> {
        rows(self.left, stage, TILE_ROWS, is_transposed)
    }

    /// The right factor of a stage: shape (depth, TILE_COLUMNS), or, transposed, (TILE_COLUMNS, depth).
    #[inline(always)]
    pub(super) fn right(&self, stage: u32, is_transposed: bool) -> Rows<T> {
        rows(self.right, stage, TILE_COLUMNS, !is_transposed)
    }
}

/// A factor of a stage, with rows of `depth` numbers or of `lines`.
#[inline(always)]
fn rows<T: Mma>(factor: Shared<T>, stage: u32, lines: u32, are_long: bool) -> Rows<T> {
    let (short, long) = row_lengths::<T>(lines);
    Rows { first: factor.offset(stage % STAGES * numbers::<T>(lines)), length: if are_long { long } else { short } }
}

/// The launch of a kernel with stages, of so many blocks.
#[must_use]
pub fn shape<T: Mma>(blocks: u64) -> Shape {
    Shape { blocks, threads: THREADS, shared_bytes: Layout::bytes(stages::<T>), cluster: 1 }
}

/// Begins to load `rows` x `columns` numbers; zeros beyond as many of both as `there` are.
#[inline(always)]
pub(super) fn load<T: Mma>(
    to: Rows<T>,
    (rows, columns): (u32, u32),
    there: (u32, u32),
    from: impl Fn(u32, u32) -> Global<T>,
) {
    let vectors = columns / T::VECTOR as u32; // of a row
    for e in 0..rows * vectors / THREADS {
        let at = e * THREADS + thread::index();
        let at = if size_of::<T>() > 8 { opaque(at) } else { at }; // else addresses are kept from stage to stage
        let (i, v) = (at / vectors, at % vectors);
        let (to, j) = (to.part(i, 0).first, v * T::VECTOR as u32);
        if i < there.0 && j < there.1 {
            T::copy_vector(to, v, from(i, j), 0);
        } else {
            T::store_vector(to, v, &[T::ZERO; 4], 0);
        }
    }
}

/// Loads each stage while the one before is multiplied.
#[inline(always)]
pub(super) fn in_stages(stages: u32, load: impl Fn(u32), mut multiply: impl FnMut(u32)) {
    let begin = |stage| {
        if stage < stages {
            load(stage);
        }
        pipeline::commit();
    };
    begin(0);
    let mut stage = 0;
    while stage < stages {
        begin(stage + 1);
        pipeline::wait_prior::<1>();
        sync_threads();
        multiply(stage);
        sync_threads(); // the next stage but one may overwrite this one
        stage += 1;
    }
}

/// `c += a b` of a stage, by a warp; numbers of b may be subnormal.
#[inline(always)]
pub(super) fn multiply<T: Mma>(c: &mut Part<T>, factors: (impl Factor<T>, impl Factor<T>)) {
    // Of the largest numbers there are registers for one product at a time: LLVM is not to unroll the loop.
    let depth = if size_of::<T>() > 8 { opaque(depth::<T>()) } else { depth::<T>() };
    add_product::<T, 2, 4, false>(c, factors, depth, false);
}

/// A warp's part of a tile: 32 x 32.
pub(super) type Part<T> = [[<T as Mma>::Tile; 4]; 2];

/// First row and column of this warp's part of a tile.
#[inline(always)]
pub(super) fn part() -> (u32, u32) {
    (warp::index() % 4 * PART, warp::index() / 4 * PART)
}

/// Calls `f` for each pair of neighbours of a lane that there is, in tiles with so many rows and columns, a multiple of
/// 32: with the tile in the part and the number of the first in it, and row and column in the whole tile.
#[inline(always)]
pub(super) fn each_pair((rows, columns): (u32, u32), mut f: impl FnMut((usize, usize, usize), u32, u32)) {
    let (part_row, part_column) = part();
    if part_column >= columns {
        return;
    }
    for r in 0..4 {
        let row = part_row + 8 * r as u32 + fragment::row();
        if row < rows {
            let row = opaque(row); // else addresses are kept from load to store
            for j in 0..4 {
                f((r / 2, j, 2 * (r % 2)), row, part_column + 8 * j as u32 + fragment::column());
            }
        }
    }
}
