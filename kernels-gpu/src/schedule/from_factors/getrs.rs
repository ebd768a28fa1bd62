//! Solution with several right-hand sides: the kernel, and the shape of a launch.
//!
//! Right-hand sides are rows: those of B^T. Where they take one chunk, the interchanges are done as they are loaded, or
//! as they are stored. Where they take more, chunks are parked in X meanwhile, so the interchanges have a pass of their
//! own, before or after.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use crate::collective::mma::Mma;
use crate::collective::permutation;
use crate::memory::permute_columns::scatter_columns;
use crate::operation::GetrsArgs;
use crate::schedule::from_factors::ring::Ring;
use crate::schedule::from_factors::rows::{Rows, each_element, warp_rows};
use crate::schedule::from_factors::solve::solve;
use crate::schedule::from_factors::storage::SharedStorage;
use crate::schedule::from_factors::{MAX_ORDER, NB, min, panels};
use crate::shape::{Problem, Shape, quotient};
use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::ScalarKind;

/// Blocks that fill a large GPU.
const MANY_BLOCKS: u64 = 256;

/// The shape of a launch: blocks that share the right-hand sides of a matrix evenly, of one warp if there are few.
#[must_use]
pub fn shape<T: Mma, const PANELS: usize, const TILES: usize, const WARPS: usize>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    let n = problem.n;
    let all = if problem.rhs > 0 { problem.rhs.div_ceil(warp_rows(TILES)) } else { 1 };
    let mut warps = all.div_ceil(all.div_ceil(WARPS as u32));
    while warps > 1 && problem.batch.saturating_mul(all.div_ceil(warps) as u64) < MANY_BLOCKS {
        warps = warps.div_ceil(2);
    }
    let bytes = Layout::bytes(|layout| storage::<T, PANELS, WARPS>(layout, n));
    Shape {
        blocks: problem.batch.saturating_mul(all.div_ceil(warps) as u64),
        cluster: 1,
        threads: 32 * warps,
        shared_bytes: if n > MAX_ORDER { u32::MAX } else { bytes },
    }
}

/// Rows that a warp permutes at once: 32 bytes of each column.
const fn permuted_rows<T>() -> u32 {
    32 / size_of::<T>() as u32
}

/// What a block keeps in shared memory beside what all kernels of this schedule do.
struct Buffers<T> {
    /// Where column j goes: shape (n).
    to: Shared<u32>,
    /// Rows whose columns are permuted, of each warp; overlaps the ring: shape (WARPS, permuted_rows, n).
    rows: Shared<T>,
}

/// The arrays; buffers are there for orders above a chunk.
#[inline(always)]
fn storage<T: Mma, const PANELS: usize, const WARPS: usize>(
    layout: &mut Layout,
    n: u32,
) -> (SharedStorage<T, PANELS>, Buffers<T>) {
    let buffered = if panels(n) > PANELS as u32 { n } else { 0 };
    let (ring, rows) = layout.either(SharedStorage::<T, PANELS>::ring, |layout| {
        layout.array(WARPS as u32 * permuted_rows::<T>() * buffered)
    });
    let shared = SharedStorage::with_ring(ring, layout, n);
    (shared, Buffers { to: layout.packed(buffered), rows })
}

/// The body of the kernel.
#[inline(always)]
pub fn getrs<T: Mma, const PANELS: usize, const TILES: usize, const WARPS: usize>(args: GetrsArgs<T>) {
    solutions::<T, PANELS, TILES, WARPS, false>(args);
}

/// The same for a triangle alone.
#[inline(always)]
pub fn trtrs<T: Mma, const PANELS: usize, const TILES: usize, const WARPS: usize>(args: GetrsArgs<T>) {
    solutions::<T, PANELS, TILES, WARPS, true>(args);
}

#[inline(always)]
fn solutions<T: Mma, const PANELS: usize, const TILES: usize, const WARPS: usize, const IS_TRIANGLE: bool>(
    args: GetrsArgs<T>,
) {
    let n = args.n;
    let is_transposed = args.transposed != 0;
    let block_rows = warp_rows(TILES) * (block::dim() / warp::SIZE);
    let blocks = quotient(args.rhs + block_rows - 1, block_rows); // of a matrix
    let matrix = quotient(block::index(), blocks);
    let b = args.first + matrix as u64;
    let first = (block::index() - matrix * blocks) * block_rows;
    let count = min(args.rhs - first, block_rows);

    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let (shared, buffers) = unsafe { Layout::place(|layout| storage::<T, PANELS, WARPS>(layout, n)) };
    let lu = args.lu.matrix(b);
    let sides = args.b.matrix(b).transposed().rows_from(first);
    let solutions = args.x.matrix(b).transposed().rows_from(first);
    if args.lu_status_of::<IS_TRIANGLE>(b) != 0 {
        fill_with_nan(&solutions, count, n);
        return;
    }
    let is_parked = !IS_TRIANGLE && panels(n) > PANELS as u32;
    shared.divisors.prepare(&lu, n, NB * panels(n));
    if IS_TRIANGLE {
        sync_threads();
    } else {
        permutation::from_pivots(args.pivots.offset(b as i64 * n as i64), shared.permutation, n);
    }
    if is_parked && !is_transposed {
        let mut i = thread::index();
        while i < n {
            buffers.to.store(shared.permutation.load(i), i);
            i += block::dim();
        }
        sync_threads();
        permute::<T>((&sides, &solutions), buffers.to, buffers.rows, (count, n));
        sync_threads(); // the rows, and the ring, are those of other threads
    }
    let rows = SideRows {
        from: if is_parked && !is_transposed { solutions } else { sides },
        to: solutions,
        permutation: shared.permutation,
        is_permuted: !IS_TRIANGLE && !is_parked && !is_transposed,
        is_permuted_back: !IS_TRIANGLE && !is_parked && is_transposed,
        is_conjugated: args.conjugated != 0,
        row: warp::index() * warp_rows(TILES),
        rows: count,
        n,
    };
    // What is solved with from the left, is transposed for rows: its lower triangle, which is the first, is the upper one.
    let (_, is_lower) = args.substitutions::<IS_TRIANGLE>();
    if is_transposed {
        let mut ring = Ring::new(lu, shared.ring, 0, is_lower, n);
        solve::<T, PANELS, TILES, false, true, IS_TRIANGLE>(&rows, &mut ring, &shared.divisors, is_lower, n);
    } else {
        let mut ring = Ring::new(lu.transposed(), shared.ring, 0, is_lower, n);
        solve::<T, PANELS, TILES, true, false, IS_TRIANGLE>(&rows, &mut ring, &shared.divisors, is_lower, n);
    }
    if is_parked && is_transposed {
        sync_threads(); // all rows are there, and the ring may be overwritten
        permute::<T>((&solutions, &solutions), shared.permutation, buffers.rows, (count, n));
    }
}

/// Copies column j of a `count` x `n` matrix to column `to[j]` of another, or of itself.
#[inline(always)]
fn permute<T: Mma>(
    matrices: (&GlobalMatrix<T>, &GlobalMatrix<T>),
    to: Shared<u32>,
    buffers: Shared<T>,
    (count, n): (u32, u32),
) {
    let buffer = buffers.offset(warp::index() * permuted_rows::<T>() * n);
    match permuted_rows::<T>() {
        2 => scatter_columns::<T, 2>(matrices, to, buffer, (count, n)),
        4 => scatter_columns::<T, 4>(matrices, to, buffer, (count, n)),
        _ => scatter_columns::<T, 8>(matrices, to, buffer, (count, n)),
    }
}

/// Sets `count` x `n` elements to NaN.
#[inline(always)]
fn fill_with_nan<T: Mma>(x: &GlobalMatrix<T>, count: u32, n: u32) {
    let mut i = warp::index();
    while i < count {
        let mut j = warp::lane();
        while j < n {
            x.store(i, j, T::NAN);
            j += warp::SIZE;
        }
        i += block::dim() / warp::SIZE;
    }
}

/// Right-hand sides, and solutions, as the rows of this block; a warp's begin with `row`.
struct SideRows<T> {
    from: GlobalMatrix<T>,
    to: GlobalMatrix<T>,
    permutation: Shared<u32>, // shape (n)
    /// Whether column j of X is column `permutation[j]` of `from`, or of `to`.
    is_permuted: bool,
    is_permuted_back: bool,
    /// Whether right-hand sides and solutions are conjugated: conj(A) X = B where A conj(X) = conj(B).
    is_conjugated: bool,
    row: u32,
    rows: u32,
    n: u32,
}

impl<T: Mma> SideRows<T> {
    #[inline(always)]
    fn conjugated(&self, x: T) -> T {
        if self.is_conjugated { x.conj() } else { x }
    }
}

impl<T: Mma> Rows<T> for SideRows<T> {
    #[inline(always)]
    fn first_panel(&self) -> u32 {
        if self.row < self.rows { 0 } else { panels(self.n) }
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn right_sides(&self, t: usize, p: u32) -> T::Tile {
        let mut tile = T::ZEROS;
        each_element(t, p, |e, i, j| {
            if self.row + i < self.rows && j < self.n {
                let column = if self.is_permuted { self.permutation.load(j) } else { j };
                T::set(&mut tile, e, self.conjugated(self.from.load(self.row + i, column)));
            }
        });
        tile
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, t: usize, p: u32) -> T::Tile {
        let mut tile = T::ZEROS;
        each_element(t, p, |e, i, j| {
            if self.row + i < self.rows && j < self.n {
                T::set(&mut tile, e, self.conjugated(self.to.load(self.row + i, j)));
            }
        });
        tile
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, t: usize, p: u32, x: &T::Tile) {
        each_element(t, p, |e, i, j| {
            if self.row + i < self.rows && j < self.n {
                let column = if self.is_permuted_back { self.permutation.load(j) } else { j };
                self.to.store(self.row + i, column, self.conjugated(T::get(x, e)));
            }
        });
    }
}
