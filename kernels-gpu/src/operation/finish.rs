//! The last kernel of a solve: the final status, and NaN in all results of a matrix that failed. One block per matrix.

use simt::global::Global;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{Pod, block, thread, warp};

use crate::collective::vote::any_thread;
use crate::operation::getrf::panel::Candidates;
use crate::shape::{Problem, Shape, row_threads};
use numbers::matrix::{GlobalMatrix, Matrices, View};
use numbers::scalar::{Real, Scalar, ScalarKind};
use numbers::status::NON_FINITE;

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
    /// The final status: the one so far, or [`NON_FINITE`] where that is 0 and the result is not finite: shape (batch).
    /// May be `before`.
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
}

/// Most threads of a block.
pub const MAX_THREADS: u32 = 1024;

/// What a block keeps in shared memory: candidates for a pivot, or for the first zero pivot, and flags of shape (32).
#[inline(always)]
pub(crate) fn shared_storage<T: Scalar>(layout: &mut Layout) -> (Candidates<T::Real>, Shared<u32>) {
    (Candidates::new(layout), layout.packed(32))
}

/// The launch shape of [`finish`]: one block per matrix.
#[must_use]
pub fn shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let threads = row_threads(if problem.n > 0 { problem.n } else { 1 }, MAX_THREADS);
    let shared_bytes = with_scalar!(kind, T => Layout::bytes(shared_storage::<T>));
    Shape { blocks: problem.batch, cluster: 1, threads, shared_bytes }
}

/// The body of the kernel.
#[inline(always)]
pub fn finish<T: Scalar>(args: FinishArgs<T>) {
    let FinishArgs { rows, cols, .. } = args;
    let matrix = args.first + block::index() as u64;
    let (x, a) = (args.x.matrix(matrix), args.a.matrix(matrix));
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let (candidates, flags) = unsafe { Layout::place(shared_storage::<T>) };

    let mut status = if args.look_at_pivots == 0 {
        args.before.load(matrix as i64)
    } else {
        // Thread t owns pivots t, t + threads, ...
        let (none, found) = (T::Real::from_f64(0.0), T::Real::from_f64(1.0));
        let mut key = none;
        let mut zero = rows;
        let mut i = thread::index();
        while i < rows && key == none {
            if a.load(i, i) == T::ZERO {
                (key, zero) = (found, i);
            }
            i += block::dim();
        }
        let zero = candidates.largest(key, zero, 0);
        if zero < rows { zero as i32 + 1 } else { 0 }
    };

    let mut finite = true;
    if status == 0 {
        for_each(&x, rows, cols, |i, j| finite &= x.load(i, j).is_finite());
    }
    if any_thread(!finite, flags) {
        status = NON_FINITE;
    }
    if status != 0 {
        for_each(&x, rows, cols, |i, j| x.store(i, j, T::NAN));
    }
    if thread::index() == 0 {
        args.status.store(matrix as i64, status);
    }
}

/// Calls `visit` for all elements of a matrix. Neighbouring lanes have neighbours in memory.
#[inline(always)]
fn for_each<T: Scalar>(x: &GlobalMatrix<T>, rows: u32, cols: u32, mut visit: impl FnMut(u32, u32)) {
    let rows_first = x.rows_are_close();
    let (fast, slow) = if rows_first { (rows, cols) } else { (cols, rows) };
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
