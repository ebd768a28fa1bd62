//! Gaussian elimination of the augmented system (A B): one column a launch, divided among threads in four ways.
//!
//! In each, row i becomes row i - (`A[i][k] / A[k][k]`) row k, for i > k, right of column k; `A[i][k]` becomes 0. Where
//! `A[k][k]` is 0 nothing happens.

use simt::shared::{self, Shared};
use simt::{Pod, block, sync_threads, thread};

use crate::kernels::grid::split;
use kernels_gpu::shape::{Problem, Shape, quotient, shared_bytes};
use numbers::matrix::{GlobalMatrix, Matrices, View};
use numbers::scalar::{Scalar, ScalarKind};

/// Most threads of a block.
pub const MAX_THREADS: u32 = 1024;
/// Threads of a block unless told otherwise.
pub const DEFAULT_THREADS: u32 = 256;

/// Arguments of the elimination kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct EliminateArgs<T: Pod> {
    /// The matrices, n x n, eliminated up to column k.
    pub a: Matrices<T>,
    /// Right-hand sides, n x rhs.
    pub b: Matrices<T>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// Right-hand sides of each.
    pub rhs: u32,
    /// The column.
    pub k: u32,
}

/// Shape of [`rows`] and [`rows_shared`] where `problem.n` rows are left below row k: a thread a row.
#[must_use]
pub fn rows_shape(problem: &Problem, threads: u32, staged: bool, kind: ScalarKind) -> Shape {
    let blocks = problem.batch.saturating_mul(problem.n.div_ceil(threads) as u64);
    Shape { blocks, cluster: 1, threads, shared_bytes: if staged { threads * kind.size() } else { 0 } }
}

/// Shape of [`columns`] and [`columns_shared`] where `problem.n` rows are left below row k: a block a row.
#[must_use]
pub fn columns_shape(problem: &Problem, threads: u32, staged: bool, kind: ScalarKind) -> Shape {
    let row = (problem.n as u64 + problem.rhs as u64) * kind.size() as u64;
    let blocks = problem.batch.saturating_mul(problem.n as u64);
    Shape { blocks, cluster: 1, threads, shared_bytes: if staged { shared_bytes(row) } else { 0 } }
}

/// A and B of matrix `first + matrix`.
#[inline(always)]
fn system<T: Scalar>(args: &EliminateArgs<T>, matrix: u64) -> (GlobalMatrix<T>, GlobalMatrix<T>) {
    let matrix = args.first + matrix;
    (args.a.matrix(matrix), args.b.matrix(matrix))
}

/// The matrix, and the row, of this thread, where each thread has a row below row k (n or more: none).
#[inline(always)]
fn thread_row<T: Scalar>(args: &EliminateArgs<T>) -> (u64, u32) {
    let left = args.n - args.k - 1;
    let (matrix, part) = split(quotient(left + block::dim() - 1, block::dim()));
    (matrix, args.k + 1 + part * block::dim() + thread::index())
}

/// A thread a row, all of it in device memory.
#[inline(always)]
pub fn rows<T: Scalar>(args: EliminateArgs<T>) {
    let EliminateArgs { n, k, rhs, .. } = args;
    let (matrix, i) = thread_row(&args);
    let (a, b) = system(&args, matrix);

    let pivot = a.load(k, k);
    if i < n && pivot != T::ZERO {
        let factor = a.load(i, k).divide(pivot.divisor());
        a.store(i, k, T::ZERO);
        let mut j = k + 1;
        while j < n {
            a.store(i, j, a.load(i, j).sub_mul(factor, a.load(k, j)));
            j += 1;
        }
        let mut c = 0;
        while c < rhs {
            b.store(i, c, b.load(i, c).sub_mul(factor, b.load(k, c)));
            c += 1;
        }
    }
}

/// A thread a row, its factor in a register, row k in shared memory part by part.
#[inline(always)]
pub fn rows_shared<T: Scalar>(args: EliminateArgs<T>) {
    let EliminateArgs { n, k, rhs, .. } = args;
    let (matrix, i) = thread_row(&args);
    let (a, b) = system(&args, matrix);
    // SAFETY: `rows_shape` asks for these bytes.
    let row: Shared<T> = unsafe { shared::array(0) }; // shape (threads)

    let pivot = a.load(k, k);
    let mine = i < n && pivot != T::ZERO;
    let mut factor = T::ZERO;
    if mine {
        factor = a.load(i, k).divide(pivot.divisor());
        a.store(i, k, T::ZERO);
    }
    subtract_staged(&a, (k + 1, n), (i, k), mine, factor, row);
    subtract_staged(&b, (0, rhs), (i, k), mine, factor, row);
}

/// Row i -= factor times row k in columns `first..end`, if it is this thread's row. Two barriers a part.
#[inline(always)]
fn subtract_staged<T: Scalar>(
    view: &GlobalMatrix<T>,
    (first, end): (u32, u32),
    (i, k): (u32, u32),
    mine: bool,
    factor: T,
    row: Shared<T>,
) {
    let mut j = first; // first column of the part
    while j < end {
        let width = if end - j < block::dim() { end - j } else { block::dim() };
        if thread::index() < width {
            row.store(thread::index(), view.load(k, j + thread::index()));
        }
        sync_threads();
        let mut c = 0;
        while c < width && mine {
            view.store(i, j + c, view.load(i, j + c).sub_mul(factor, row.load(c)));
            c += 1;
        }
        sync_threads();
        j += width;
    }
}

/// A block a row, threads over its columns. The first threads have the right-hand sides, thread 0 also
/// `A[i][k]`.
#[inline(always)]
pub fn columns<T: Scalar>(args: EliminateArgs<T>) {
    let EliminateArgs { n, k, rhs, .. } = args;
    let (matrix, part) = split(n - k - 1);
    let (a, b) = system(&args, matrix);
    let i = k + 1 + part;

    let pivot = a.load(k, k);
    let good = pivot != T::ZERO;
    let factor = a.load(i, k).divide(pivot.divisor());
    let mut j = k + 1 + thread::index();
    while j < n && good {
        a.store(i, j, a.load(i, j).sub_mul(factor, a.load(k, j)));
        j += block::dim();
    }
    sync_threads(); // all have read A[i][k]
    let mut c = thread::index();
    while c < rhs && good {
        b.store(i, c, b.load(i, c).sub_mul(factor, b.load(k, c)));
        c += block::dim();
    }
    if thread::index() == 0 && good {
        a.store(i, k, T::ZERO);
    }
}

/// As [`columns`], with row k in shared memory.
#[inline(always)]
pub fn columns_shared<T: Scalar>(args: EliminateArgs<T>) {
    let EliminateArgs { n, k, rhs, .. } = args;
    let left = n - k - 1;
    let (matrix, part) = split(left);
    let (a, b) = system(&args, matrix);
    let i = k + 1 + part;
    // SAFETY: `columns_shape` asks for these bytes.
    let row: Shared<T> = unsafe { shared::array(0) }; // shape (n - k - 1 + rhs)

    let pivot = a.load(k, k);
    let good = pivot != T::ZERO;
    let factor = a.load(i, k).divide(pivot.divisor());
    let mut c = thread::index();
    while c < left {
        row.store(c, a.load(k, k + 1 + c));
        c += block::dim();
    }
    let mut c = thread::index();
    while c < rhs {
        row.store(left + c, b.load(k, c));
        c += block::dim();
    }
    sync_threads(); // row k is there, and all have read A[i][k]
    let mut c = thread::index();
    while c < left && good {
        let j = k + 1 + c;
        a.store(i, j, a.load(i, j).sub_mul(factor, row.load(c)));
        c += block::dim();
    }
    let mut c = thread::index();
    while c < rhs && good {
        b.store(i, c, b.load(i, c).sub_mul(factor, row.load(left + c)));
        c += block::dim();
    }
    if thread::index() == 0 && good {
        a.store(i, k, T::ZERO);
    }
}
