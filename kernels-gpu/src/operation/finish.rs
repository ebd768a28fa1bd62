//! The last kernel of a solve: the final status, and NaN in the results that failed. One block per matrix.

use simt::global::Global;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{Pod, block, sync_threads, thread, warp};

use crate::collective::vote::{any_bits, any_thread, smallest};
use crate::shape::{Problem, Shape, row_threads};
use numbers::matrix::{GlobalMatrix, Matrices, View};
use numbers::scalar::{Scalar, ScalarKind};
use numbers::status::{NON_FINITE, side_not_finite};

/// Arguments of the finish kernel.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FinishArgs<T: Pod> {
    /// The results, rows x cols; all NaN where the final status is not 0.
    pub x: Matrices<T>,
    /// Upper triangles with the pivots on their diagonals, rows x rows.
    pub a: Matrices<T>,
    /// The status so far, unless it is taken from the pivots: shape (batch).
    pub before: Global<i32>,
    /// The final status: the one so far, or where that is 0 and the result is not finite, [`NON_FINITE`], or
    /// [`side_not_finite`] if columns are for themselves: shape (batch). May be `before`.
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Rows of each result.
    pub rows: u32,
    /// Columns of each result.
    pub cols: u32,
    /// 1 to take the status from the pivots: the index of the first zero counted from 1, or 0.
    pub look_at_pivots: u32,
    /// 1 where columns are solutions, each for itself: one that is not finite does not spoil the others.
    pub by_columns: u32,
}

/// Most threads of a block.
pub const MAX_THREADS: u32 = 1024;

/// Flags of votes: shape (32).
#[inline(always)]
fn flags(layout: &mut Layout) -> Shared<u32> {
    layout.packed(32)
}

/// The launch shape of [`finish`]: one block per matrix.
#[must_use]
pub fn shape(problem: &Problem, _: ScalarKind) -> Shape {
    let threads = row_threads(if problem.n > 0 { problem.n } else { 1 }, MAX_THREADS);
    Shape { blocks: problem.batch, cluster: 1, threads, shared_bytes: Layout::bytes(flags) }
}

/// The body of the kernel.
#[inline(always)]
pub fn finish<T: Scalar>(args: FinishArgs<T>) {
    finish_as::<T, false>(args);
}

/// The same for results of triangular matrices `a`, which are upper ones: if an element of their triangles is not finite,
/// with the diagonal if the status is taken from it, neither is the result. There is no status before.
#[inline(always)]
pub fn trtrs<T: Scalar>(args: FinishArgs<T>) {
    finish_as::<T, true>(args);
}

#[inline(always)]
fn finish_as<T: Scalar, const IS_TRIANGLE: bool>(args: FinishArgs<T>) {
    let FinishArgs { rows, cols, .. } = args;
    let matrix = args.first + block::index() as u64;
    let (x, a) = (args.x.matrix(matrix), args.a.matrix(matrix));
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let flags = unsafe { Layout::place(flags) };

    let mut is_infinite = false; // an element of a triangle's diagonal, which makes an unknown zero
    let mut status = if args.look_at_pivots == 0 {
        if IS_TRIANGLE { 0 } else { args.before.load(matrix as i64) }
    } else {
        // Thread t owns pivots t, t + threads, ...
        let mut zero = rows;
        let mut i = thread::index();
        while i < rows && zero == rows {
            let pivot = a.load(i, i);
            is_infinite |= IS_TRIANGLE && !pivot.is_finite();
            if pivot == T::ZERO {
                zero = i;
            }
            i += block::dim();
        }
        zero = smallest(zero, flags);
        sync_threads(); // all have read the flags
        if zero < rows { zero as i32 + 1 } else { 0 }
    };

    let is_singular = status != 0;
    let (columns, by_columns) = (Columns { x, rows, cols, flags }, args.by_columns != 0);
    let own = if status == 0 { columns.first_that_is_bad(by_columns) } else { cols };
    let first_bad = smallest(own, flags); // and all have read the status
    let mut all_are_bad = status != 0;
    if first_bad < cols {
        status = if by_columns { side_not_finite(first_bad) } else { NON_FINITE };
        all_are_bad = !by_columns;
    }
    if IS_TRIANGLE && !is_singular {
        sync_threads(); // all have read the flags
        let is_suspect = any_thread(is_infinite, flags) || first_bad < cols || cols == 0;
        sync_threads();
        if is_suspect && any_thread(!is_finite_above(&a, rows, is_infinite), flags) {
            (status, all_are_bad) = (NON_FINITE, true);
        }
    }
    if all_are_bad {
        columns.for_each(|i, j| x.store(i, j, T::NAN));
    }
    if thread::index() == 0 {
        args.status.store(matrix as i64, status);
    }
}

/// Whether what this thread looks at of the elements above the diagonal is finite, and the diagonal, of which it knows.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn is_finite_above<T: Scalar>(a: &GlobalMatrix<T>, n: u32, diagonal_is_infinite: bool) -> bool {
    let mut is_finite = !diagonal_is_infinite;
    let mut j = warp::index();
    while j < n {
        let mut i = warp::lane();
        while i < j {
            is_finite &= a.load(i, j).is_finite();
            i += warp::SIZE;
        }
        j += block::dim() / warp::SIZE;
    }
    is_finite
}

/// The results of a matrix.
struct Columns<T> {
    x: GlobalMatrix<T>,
    rows: u32,
    cols: u32,
    flags: Shared<u32>, // shape (32)
}

impl<T: Scalar> Columns<T> {
    /// The first column that is not finite, of those that this thread looks at, or how many there are. Where they are to
    /// be spoilt, those that are not finite become NaN. By all threads, neighbours of which have neighbours in memory.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn first_that_is_bad(&self, spoil: bool) -> u32 {
        let (lane, warps) = (warp::lane(), block::dim() / warp::SIZE);
        let mut first_bad = self.cols;
        if self.x.rows_are_close() {
            // A warp a column.
            let mut j = warp::index();
            while j < self.cols {
                let mut finite = true;
                let mut i = lane;
                while i < self.rows {
                    finite &= self.x.load(i, j).is_finite();
                    i += warp::SIZE;
                }
                if warp::any(warp::ALL, !finite) {
                    first_bad = if j < first_bad { j } else { first_bad };
                    i = lane;
                    while spoil && i < self.rows {
                        self.x.store(i, j, T::NAN);
                        i += warp::SIZE;
                    }
                }
                j += warps;
            }
        } else {
            // A lane a column, of which each warp has some rows.
            let mut first = 0;
            while first < self.cols {
                let j = first + lane;
                let mut finite = true;
                let mut i = warp::index();
                while j < self.cols && i < self.rows {
                    finite &= self.x.load(i, j).is_finite();
                    i += warps;
                }
                let bad = any_bits(warp::ballot(warp::ALL, !finite), self.flags);
                sync_threads(); // all have read the flags
                if bad != 0 {
                    let found = first + bad.trailing_zeros();
                    first_bad = if found < first_bad { found } else { first_bad };
                    i = warp::index();
                    while spoil && bad >> lane & 1 != 0 && i < self.rows {
                        self.x.store(i, j, T::NAN);
                        i += warps;
                    }
                }
                first += warp::SIZE;
            }
        }
        first_bad
    }

    /// Calls `visit` for all elements. Neighbouring lanes have neighbours in memory.
    #[inline(always)]
    fn for_each(&self, visit: impl Fn(u32, u32)) {
        let rows_first = self.x.rows_are_close();
        let (fast, slow) = if rows_first { (self.rows, self.cols) } else { (self.cols, self.rows) };
        let mut s = warp::index();
        while s < slow {
            let mut f = warp::lane();
            while f < fast {
                if rows_first {
                    visit(f, s);
                } else {
                    visit(s, f);
                }
                f += warp::SIZE;
            }
            s += block::dim() / warp::SIZE;
        }
    }
}
