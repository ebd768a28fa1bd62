//! Inversion of a Hermitian matrix by bordering, one step: from the inverse W of the leading t x t block to that of the
//! leading (t + 1) x (t + 1) block, which has the column r and the corner rho besides.
//!
//! With q = -W r and beta = rho + r^H q, W becomes `[W + q q^H / beta, q / beta; q^H / beta, 1 / beta]`. All that is
//! stored is exactly Hermitian. A matrix whose status is not 0 is left alone.

use simt::global::Global;
use simt::shared::{self, Shared};
use simt::{Pod, block, sync_threads, thread, warp};

use crate::kernels::grid::{Tile, split, tiles};
use crate::kernels::sum::{block_sum, warp_sum};
use kernels_gpu::shape::{Problem, Shape, row_threads};
use numbers::matrix::{Matrices, View};
use numbers::scalar::{Scalar, ScalarKind, c64};
use numbers::status::NON_FINITE;

/// Most threads of a block.
pub const THREADS: u32 = 256;
/// Most blocks of a matrix in the first stage of a dot product.
pub const DOT_BLOCKS: u32 = 32;
/// Rows and columns of a tile.
const D: u32 = 16;

/// Arguments of the bordering kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BorderArgs<T: Pod> {
    /// Hermitian matrices, n x n; the upper triangle is read, and of the diagonal the real part.
    pub a: Matrices<T>,
    /// Their inverses, n x n, W in the leading t x t block. May be `a`.
    pub inverse: Matrices<T>,
    /// Scratch for q q^H, n x n.
    pub outer: Matrices<T>,
    /// q: shape (batch, n).
    pub q: Global<T>,
    /// r: shape (batch, n).
    pub r: Global<T>,
    /// The dot product's first stage: shape (batch, 32).
    pub partial: Global<T>,
    /// beta, real: shape (batch).
    pub beta: Global<T>,
    /// 0, the first t + 1 where beta is 0, or [`NON_FINITE`]: shape (batch). Set at step 0, then kept up.
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// The step.
    pub t: u32,
}

impl<T: Scalar> BorderArgs<T> {
    /// Whether all is well so far with matrix `b`.
    #[inline(always)]
    fn good(&self, b: u64) -> bool {
        self.status.load(b as i64) == 0
    }

    /// The vector of matrix `b`.
    #[inline(always)]
    fn of(&self, vectors: Global<T>, b: u64) -> Global<T> {
        vectors.offset(b as i64 * self.n as i64)
    }
}

/// Shape of [`product`] where `problem.n` is t: a block a row.
#[must_use]
pub fn product_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let t = problem.n;
    let threads = row_threads(t, THREADS);
    Shape { blocks: problem.batch.saturating_mul(t as u64), cluster: 1, threads, shared_bytes: 32 * kind.size() }
}

/// q = -W r.
#[inline(always)]
pub fn product<T: Scalar>(args: BorderArgs<T>) {
    let t = args.t;
    let (matrix, i) = split(t);
    let b = args.first + matrix;
    let (w, r) = (args.inverse.matrix(b), args.of(args.r, b));
    // SAFETY: `product_shape` asks for these bytes.
    let partial = unsafe { shared::array(0) }; // shape (32)

    let good = args.good(b);
    let mut sum = T::ZERO;
    let mut j = thread::index();
    while j < t && good {
        // Row i is the conjugate of column i: that which is close in memory is read.
        let x = if w.rows_are_close() { w.load(j, i).conj() } else { w.load(i, j) };
        sum = sum.sub_mul(x, r.load(j as i64));
        j += block::dim();
    }
    let sum = block_sum(sum, partial);
    if thread::index() == 0 && good {
        args.of(args.q, b).store(i as i64, sum);
    }
}

/// Blocks of a matrix in the first stage of a dot product of `t` elements: none is without elements.
#[inline(always)]
const fn dot_blocks(t: u32) -> u32 {
    if t < DOT_BLOCKS * THREADS { t.div_ceil(THREADS) } else { DOT_BLOCKS }
}

/// Shape of [`dot`] where `problem.n` is t.
#[must_use]
pub fn dot_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let blocks = problem.batch.saturating_mul(dot_blocks(problem.n) as u64);
    Shape { blocks, cluster: 1, threads: THREADS, shared_bytes: 32 * kind.size() }
}

/// The first stage of r^H q: a sum a block.
#[inline(always)]
pub fn dot<T: Scalar>(args: BorderArgs<T>) {
    let (matrix, part) = split(dot_blocks(args.t));
    let b = args.first + matrix;
    let (r, q) = (args.of(args.r, b), args.of(args.q, b));
    // SAFETY: `dot_shape` asks for these bytes.
    let partial = unsafe { shared::array(0) }; // shape (32)

    let good = args.good(b);
    let mut sum = T::ZERO;
    let mut i = part * THREADS + thread::index();
    while i < args.t && good {
        sum = sum.sub_mul(-r.load(i as i64).conj(), q.load(i as i64));
        i += DOT_BLOCKS * THREADS;
    }
    let sum = block_sum(sum, partial);
    if thread::index() == 0 {
        args.partial.store(b as i64 * DOT_BLOCKS as i64 + part as i64, sum);
    }
}

/// Shape of [`beta`]: a warp a matrix.
#[must_use]
pub fn beta_shape(problem: &Problem, _: ScalarKind) -> Shape {
    Shape { blocks: problem.batch, cluster: 1, threads: DOT_BLOCKS, shared_bytes: 0 }
}

/// The second stage, and what beta says about the matrix.
#[inline(always)]
pub fn beta<T: Scalar>(args: BorderArgs<T>) {
    let t = args.t;
    let b = args.first + block::index() as u64;
    let mut sum = T::ZERO;
    if warp::lane() < dot_blocks(t) {
        sum = args.partial.load(b as i64 * DOT_BLOCKS as i64 + warp::lane() as i64);
    }
    let sum = warp_sum(sum);
    if warp::lane() == 0 {
        let rho = real(args.a.matrix(b).load(t, t));
        let beta = real(rho + sum);
        let status = match if t == 0 { 0 } else { args.status.load(b as i64) } {
            0 if !(rho + sum).is_finite() => NON_FINITE,
            0 if beta == T::ZERO => t as i32 + 1,
            earlier => earlier,
        };
        args.beta.store(b as i64, beta);
        args.status.store(b as i64, status);
    }
}

/// The real part.
#[inline(always)]
pub(super) fn real<T: Scalar>(x: T) -> T {
    T::from_c64(c64::new(x.to_c64().re, 0.0))
}

/// Shape of [`outer`], [`scale`] and [`add`], where `problem.n` is the order of what they compute: an element a thread.
#[must_use]
pub fn tile_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let tiles = tiles::<D>(problem.n) as u64;
    Shape {
        blocks: problem.batch.saturating_mul(tiles * tiles),
        cluster: 1,
        threads: D * D,
        shared_bytes: 2 * D * kind.size(),
    }
}

/// The matrix of this block, and this thread's tile of its leading `order` x `order` block.
#[inline(always)]
fn tile<T: Scalar>(args: &BorderArgs<T>, order: u32) -> (u64, Tile<D>) {
    let tiles = tiles::<D>(order);
    let (matrix, index) = split(tiles * tiles);
    let b = args.first + matrix;
    (b, Tile::new(index, tiles, args.inverse.matrix(b).rows_are_close()))
}

/// The outer product q q^H.
#[inline(always)]
pub fn outer<T: Scalar>(args: BorderArgs<T>) {
    let t = args.t;
    let (b, tile) = tile(&args, t);
    let q = args.of(args.q, b);
    // SAFETY: `tile_shape` asks for these bytes.
    // Shape (16) each.
    let (rows, cols): (Shared<T>, Shared<T>) = unsafe { (shared::array(0), shared::array(D * size_of::<T>() as u32)) };

    let good = args.good(b);
    let x = thread::index();
    if x < D {
        if tile.row + x < t && good {
            rows.store(x, q.load((tile.row + x) as i64));
        }
    } else if x < 2 * D && tile.col + x - D < t && good {
        cols.store(x - D, q.load((tile.col + x - D) as i64));
    }
    sync_threads();
    let (i, j) = (tile.row + tile.i, tile.col + tile.j);
    if i < t && j < t && good {
        // Not fused: (i, j) and (j, i) round alike.
        args.outer.matrix(b).store(i, j, rows.load(tile.i) * cols.load(tile.j).conj());
    }
}

/// q q^H / beta.
#[inline(always)]
pub fn scale<T: Scalar>(args: BorderArgs<T>) {
    let (b, tile) = tile(&args, args.t);
    let outer = args.outer.matrix(b);
    let (i, j) = (tile.row + tile.i, tile.col + tile.j);
    if i < args.t && j < args.t && args.good(b) {
        outer.store(i, j, outer.load(i, j).divide(args.beta.load(b as i64).divisor()));
    }
}

/// The new W, and the next step's r.
#[inline(always)]
pub fn add<T: Scalar>(args: BorderArgs<T>) {
    let t = args.t;
    let (b, tile) = tile(&args, t + 1);
    let (w, q) = (args.inverse.matrix(b), args.of(args.q, b));
    let (i, j) = (tile.row + tile.i, tile.col + tile.j);
    if i <= t && j <= t && args.good(b) {
        let divisor = args.beta.load(b as i64).divisor();
        let x = match (i < t, j < t) {
            (true, true) => w.load(i, j) + args.outer.matrix(b).load(i, j),
            (true, false) => q.load(i as i64).divide(divisor),
            (false, true) => q.load(j as i64).divide(divisor).conj(),
            (false, false) => T::ONE.divide(divisor),
        };
        w.store(i, j, x);
        if j == 0 && t + 1 < args.n {
            args.of(args.r, b).store(i as i64, args.a.matrix(b).load(i, t + 1));
        }
    }
}
