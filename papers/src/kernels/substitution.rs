//! Forward and backward substitution: one block a matrix and right-hand side, which stays in shared memory.
//!
//! Panels of 32 rows, one after the other: all warps sum the products with the unknowns that are known, then one warp
//! solves the panel's triangle with shuffles.

use simt::global::Global;
use simt::shared::{self, Shared};
use simt::{Pod, block, sync_threads, thread, warp};

use crate::kernels::grid::split;
use crate::kernels::sum::warp_sum;
use kernels_gpu::collective::vote::any_thread;
use kernels_gpu::memory::copy::copy;
use kernels_gpu::shape::{Problem, Shape, row_threads, shared_bytes};
use numbers::matrix::{GlobalMatrix, Matrices, Part, SharedMatrix, View};
use numbers::scalar::{Scalar, ScalarKind};

/// Most threads of a block.
pub const MAX_THREADS: u32 = 512;
/// Rows of a panel: a lane each.
const PANEL: u32 = warp::SIZE;
/// Leading dimension of a panel's triangle.
const LD: u32 = PANEL + 1;
/// Most loads that a lane has under way.
const LOADS: usize = 16;

/// Arguments of the substitution kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SubstituteArgs<T: Pod> {
    /// Factors from an LU kernel, n x n, or upper triangles.
    pub lu: Matrices<T>,
    /// The factors' pivots, not read for upper triangles: shape (batch, n).
    pub pivots: Global<u32>,
    /// The factors' status, not read for upper triangles: shape (batch).
    pub status: Global<i32>,
    /// Right-hand sides, n x rhs.
    pub b: Matrices<T>,
    /// Solutions, n x rhs; all NaN where the status is not 0 or an upper triangle is not finite. May be `b`.
    pub x: Matrices<T>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// Right-hand sides of each matrix.
    pub rhs: u32,
}

/// Shape of the substitutions.
#[must_use]
pub fn shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let threads = row_threads(if problem.n > 0 { problem.n } else { 1 }, MAX_THREADS);
    let elements = (LD + threads / warp::SIZE) as u64 * PANEL as u64 + problem.n as u64;
    let bytes = elements * kind.size() as u64 + 4 * 32;
    Shape {
        blocks: problem.batch.saturating_mul(problem.rhs as u64),
        cluster: 1,
        threads,
        shared_bytes: shared_bytes(bytes),
    }
}

/// What a block has in shared memory.
#[derive(Clone, Copy)]
struct Stage<T> {
    triangle: SharedMatrix<T>, // shape (32, 33)
    sums: Shared<T>,           // shape (warps, 32): of a warp for a row of the panel
    x: Shared<T>,              // shape (n)
    flags: Shared<u32>,        // shape (32)
}

impl<T: Scalar> Stage<T> {
    /// # Safety
    /// The launch has the [`shape`] of order `n`.
    #[inline(always)]
    unsafe fn new(n: u32) -> Self {
        let size = size_of::<T>() as u32;
        let sums = PANEL * LD * size;
        let x = sums + block::dim() * size;
        // SAFETY: `shape` asks for these bytes.
        unsafe {
            Self {
                triangle: SharedMatrix { elements: shared::array(0), leading_dimension: LD },
                sums: shared::array(sums),
                x: shared::array(x),
                flags: shared::array(x + n * size),
            }
        }
    }

    /// Loads column `c` of `b`. One barrier.
    #[inline(always)]
    fn load(&self, b: &GlobalMatrix<T>, c: u32, n: u32) {
        let mut i = thread::index();
        while i < n {
            self.x.store(i, b.load(i, c));
            i += block::dim();
        }
        sync_threads();
    }

    /// Stores column `c` of `x`, as NaN unless `good`.
    #[inline(always)]
    fn store(&self, x: &GlobalMatrix<T>, c: u32, n: u32, good: bool) {
        let mut i = thread::index();
        while i < n {
            x.store(i, c, if good { self.x.load(i) } else { T::NAN });
            i += block::dim();
        }
    }

    /// Interchanges elements as the pivots say. One barrier.
    #[inline(always)]
    fn interchange(&self, pivots: Global<u32>, n: u32) {
        if warp::index() == 0 {
            let mut k0 = 0;
            while k0 < n {
                let k = k0 + warp::lane();
                let mine = if k < n { pivots.load(k as i64) } else { k };
                let mut q = 0;
                while q < warp::SIZE {
                    let pivot = warp::shuffle(warp::ALL, mine, q);
                    let k = k0 + q;
                    if warp::lane() == 0 && pivot != k {
                        let upper = self.x.load(k);
                        self.x.store(k, self.x.load(pivot));
                        self.x.store(pivot, upper);
                    }
                    q += 1;
                }
                k0 += warp::SIZE;
            }
        }
        sync_threads();
    }
}

/// A X = B from the factors of PA = LU.
#[inline(always)]
pub fn substitute_factors<T: Scalar>(args: SubstituteArgs<T>) {
    let n = args.n;
    let (matrix, c) = split(args.rhs);
    let b = args.first + matrix;
    let lu = args.lu.matrix(b);
    // SAFETY: the launch has the `shape` of its order.
    let stage = unsafe { Stage::new(n) };

    stage.load(&args.b.matrix(b), c, n);
    stage.interchange(args.pivots.offset(b as i64 * n as i64), n);
    substitute::<T, true>(&lu, &stage, n);
    substitute::<T, false>(&lu, &stage, n);
    stage.store(&args.x.matrix(b), c, n, args.status.load(b as i64) == 0);
}

/// U X = B from upper triangles.
#[inline(always)]
pub fn substitute_upper<T: Scalar>(args: SubstituteArgs<T>) {
    let n = args.n;
    let (matrix, c) = split(args.rhs);
    let b = args.first + matrix;
    // SAFETY: the launch has the `shape` of its order.
    let stage = unsafe { Stage::new(n) };

    stage.load(&args.b.matrix(b), c, n);
    let finite = substitute::<T, false>(&args.lu.matrix(b), &stage, n);
    let good = !any_thread(!finite, stage.flags);
    stage.store(&args.x.matrix(b), c, n, good);
}

/// Solves for the right-hand side in the stage: with the unit lower triangle (`LOWER`) or the upper one. Two barriers a
/// panel. Whether this thread's elements of the triangle are finite.
#[inline(always)]
fn substitute<T: Scalar, const LOWER: bool>(f: &GlobalMatrix<T>, stage: &Stage<T>, n: u32) -> bool {
    let mut finite = true;
    let panels = n.div_ceil(PANEL);
    let mut p = 0;
    while p < panels {
        let row = PANEL * if LOWER { p } else { panels - 1 - p };
        let width = if n - row < PANEL { n - row } else { PANEL };
        let (first, end) = if LOWER { (0, row) } else { (row + width, n) };
        copy(&Part { whole: *f, row, col: row }, &stage.triangle, width, width, f.rows_are_close());
        finite &= if f.rows_are_close() {
            columns_to_sums(f, stage, row, width, first, end)
        } else {
            rows_to_sums(f, stage, row, width, first, end)
        };
        sync_threads();
        if warp::index() == 0 {
            finite &= solve_panel::<T, LOWER>(stage, row, width);
        }
        sync_threads();
        p += 1;
    }
    finite
}

/// A column a warp, a row a lane: minus the sums of this warp's products. Whether its elements are finite.
#[inline(always)]
fn columns_to_sums<T: Scalar>(
    f: &GlobalMatrix<T>,
    stage: &Stage<T>,
    row: u32,
    width: u32,
    first: u32,
    end: u32,
) -> bool {
    let lane = warp::lane();
    let (mut sum, mut finite) = (T::ZERO, true);
    if lane < width {
        let (first, step) = (first + warp::index(), block::dim() / warp::SIZE);
        (sum, finite) = sum_products(|j| f.load(row + lane, j), stage.x, first, step, end);
    }
    stage.sums.store(thread::index(), sum);
    finite
}

/// A row a warp, a column a lane: minus the sum of the products, in the warp 0 part of the sums; 0 in the other parts.
/// Whether this lane's elements are finite.
#[inline(always)]
fn rows_to_sums<T: Scalar>(f: &GlobalMatrix<T>, stage: &Stage<T>, row: u32, width: u32, first: u32, end: u32) -> bool {
    let mut all_finite = true;
    if warp::index() > 0 {
        stage.sums.store(thread::index(), T::ZERO);
    }
    let mut i = warp::index();
    while i < width {
        let (sum, finite) = sum_products(|j| f.load(row + i, j), stage.x, first + warp::lane(), warp::SIZE, end);
        let sum = warp_sum(sum);
        if warp::lane() == 0 {
            stage.sums.store(i, sum);
        }
        all_finite &= finite;
        i += block::dim() / warp::SIZE;
    }
    all_finite
}

/// Minus the sum of `load(j) * x[j]` for j = first, first + step, ... below `end`, and whether what it loads is finite.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn sum_products<T: Scalar>(load: impl Fn(u32) -> T, x: Shared<T>, first: u32, step: u32, end: u32) -> (T, bool) {
    let (mut sum, mut finite) = (T::ZERO, true);
    let mut j = first;
    while j < end {
        let mut f = [T::ZERO; LOADS];
        for u in 0..LOADS {
            if (u as u32) < loads::<T>() && j + u as u32 * step < end {
                f[u] = load(j + u as u32 * step);
            }
        }
        for u in 0..LOADS {
            if (u as u32) < loads::<T>() && j + u as u32 * step < end {
                finite &= f[u].is_finite();
                sum = sum.sub_mul(f[u], x.load(j + u as u32 * step));
            }
        }
        j += loads::<T>() * step;
    }
    (sum, finite)
}

/// Loads that a lane has under way: 64 bytes.
#[inline(always)]
const fn loads<T>() -> u32 {
    64 / size_of::<T>() as u32
}

/// One warp solves the panel's triangle, an unknown a lane. Whether its elements are finite.
#[inline(always)]
fn solve_panel<T: Scalar, const LOWER: bool>(stage: &Stage<T>, row: u32, width: u32) -> bool {
    let lane = warp::lane();
    let mine = lane < width;
    let mut finite = true;
    let (mut y, mut diagonal) = (T::ZERO, T::ONE);
    if mine {
        y = stage.x.load(row + lane);
        let mut w = 0;
        while w < block::dim() / warp::SIZE {
            y = y + stage.sums.load(w * warp::SIZE + lane);
            w += 1;
        }
        if !LOWER {
            diagonal = stage.triangle.load(lane, lane);
            finite &= diagonal.is_finite();
        }
    }
    let divisor = diagonal.divisor();
    let mut step = 0;
    while step < width {
        let q = if LOWER { step } else { width - 1 - step };
        if !LOWER && lane == q {
            y = y.divide(divisor);
        }
        let known = warp::shuffle(warp::ALL, y, q);
        if mine && if LOWER { lane > q } else { lane < q } {
            let x = stage.triangle.load(lane, q);
            finite &= x.is_finite();
            y = y.sub_mul(x, known);
        }
        step += 1;
    }
    if mine {
        stage.x.store(row + lane, y);
    }
    finite
}
