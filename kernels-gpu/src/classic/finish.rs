//! The last step where a failed matrix's result is all NaN: the final status, and the NaNs. One block a matrix.

use simt::global::Global;
use simt::shared;
use simt::{Pod, block, thread, warp};

use crate::lu::NON_FINITE;
use crate::lu::panel::{CANDIDATES_BYTES, Candidates};
use crate::matrix::{GlobalMatrix, Matrices, View};
use crate::scalar::{Real, Scalar};
use crate::vote::any_thread;

/// Arguments of the finish kernel.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FinishArgs<T: Pod> {
    /// The results, rows x cols; all NaN where the status becomes other than 0.
    pub x: Matrices<T>,
    /// Upper triangles whose diagonals are the pivots, rows x rows.
    pub a: Matrices<T>,
    /// The status so far, not read where it is taken from the pivots: shape (batch).
    pub before: Global<i32>,
    /// The final status: the one so far, or [`NON_FINITE`] where that is 0 and the result is not finite. May be `before`. Shape
    /// (batch).
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Rows of each result.
    pub rows: u32,
    /// Columns of each result.
    pub cols: u32,
    /// 1 where the status is yet to be taken from the pivots: the first zero one counted from 1, or 0.
    pub look_at_pivots: u32,
}

/// The body of the kernel.
#[inline(always)]
pub fn finish<T: Scalar>(args: FinishArgs<T>) {
    let FinishArgs { rows, cols, .. } = args;
    let matrix = args.first + block::index() as u64;
    let (x, a) = (args.x.matrix(matrix), args.a.matrix(matrix));
    // SAFETY: `pivot::shape`, which is this kernel's too, asks for these bytes; the flags' shape is (32).
    let (candidates, flags) = unsafe { (Candidates::at(0), shared::array(CANDIDATES_BYTES)) };

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
        let zero = candidates.elect(key, zero, 0);
        if zero < rows { zero as i32 + 1 } else { 0 }
    };

    let mut finite = true;
    if status == 0 {
        each(&x, rows, cols, |i, j| finite &= x.load(i, j).is_finite());
    }
    if any_thread(!finite, flags) {
        status = NON_FINITE;
    }
    if status != 0 {
        each(&x, rows, cols, |i, j| x.store(i, j, T::NAN));
    }
    if thread::index() == 0 {
        args.status.store(matrix as i64, status);
    }
}

/// Calls `visit` for all elements: lanes run along the index that is close in memory, warps across.
#[inline(always)]
fn each<T: Scalar>(x: &GlobalMatrix<T>, rows: u32, cols: u32, mut visit: impl FnMut(u32, u32)) {
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
