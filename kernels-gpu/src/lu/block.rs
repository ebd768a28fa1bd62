//! LU of any order by one block a matrix: right-looking, panels of up to `NB` columns.
//!
//! The matrix is in the output itself; each panel is staged in shared memory.

use simt::shared::{self, Shared};
use simt::{block, sync_threads, thread, warp};

use crate::copy::copy;
use crate::lu::panel::{CANDIDATES_BYTES, Candidates, NB, factor_panel, panel_width};
use crate::lu::{LuArgs, NON_FINITE};
use crate::matrix::{GlobalMatrix, Part, SharedMatrix, View};
use crate::scalar::{Scalar, ScalarKind};
use crate::shape::{Problem, Shape, row_threads, shared_bytes};
use crate::vote::any_thread;

/// Most threads of a block.
pub const MAX_THREADS: u32 = 256;

/// Threads for a matrix of order `n`: a row each, up to [`MAX_THREADS`].
#[must_use]
pub const fn threads(n: u32) -> u32 {
    row_threads(n, MAX_THREADS)
}

/// An odd leading dimension, so that rows and columns both spread over the banks.
#[inline(always)]
#[must_use]
pub const fn leading_dimension(n: u32) -> u32 {
    n | 1
}

/// What follows the panel in shared memory.
#[derive(Clone, Copy)]
struct Scratch<T: Scalar> {
    candidates: Candidates<T::Real>,
    pivots: Shared<u32>, // shape (n)
    flags: Shared<u32>,  // shape (32)
}

const fn scratch_bytes(n: u32) -> u64 {
    CANDIDATES_BYTES as u64 + 4 * (n as u64 + 32)
}

impl<T: Scalar> Scratch<T> {
    /// # Safety
    /// As for [`shared::array`].
    #[inline(always)]
    unsafe fn at(offset: u32, n: u32) -> Self {
        let pivots = offset + CANDIDATES_BYTES;
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                candidates: Candidates::at(offset),
                pivots: shared::array(pivots),
                flags: shared::array(pivots + 4 * n),
            }
        }
    }
}

/// Shape of [`lu_global`].
#[must_use]
pub fn global_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let n = problem.n;
    let stage = leading_dimension(n) as u64 * (panel_width(n, kind.size()) * kind.size()) as u64;
    Shape { blocks: problem.batch, threads: threads(n), shared_bytes: shared_bytes(stage + scratch_bytes(n)) }
}

/// The matrix in device memory, its panels in shared memory one by one.
#[inline(always)]
pub fn lu_global<T: Scalar>(args: LuArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let ld = leading_dimension(n);
    // SAFETY: `global_shape` asks for these bytes.
    let (elements, scratch) =
        unsafe { (shared::array(0), Scratch::at(ld * panel_width(n, T::KIND.size()) * T::KIND.size(), n)) };
    let stage = SharedMatrix { elements, leading_dimension: ld };

    let (a, work) = (args.a.matrix(b), args.lu.matrix(b));
    copy(&a, &work, n, n, work.rows_are_close());
    sync_threads();
    let status = factor(&work, &stage, n, &scratch);
    finish(&args, b, status, &scratch);
}

/// Factors `work` in place; panels go through `panel`. Ends with a barrier. The status, the same for all.
#[inline(always)]
fn factor<T: Scalar>(work: &GlobalMatrix<T>, panel: &SharedMatrix<T>, n: u32, scratch: &Scratch<T>) -> i32 {
    let mut status = 0;
    let mut finite = true;
    let nb = panel_width(n, T::KIND.size());
    let mut k0 = 0;
    while k0 < n {
        let width = if n - k0 < nb { n - k0 } else { nb };
        let rows = n - k0;
        let part = Part { whole: *work, row: k0, col: k0 };
        copy(&part, panel, rows, width, true);
        sync_threads();
        let zero_pivot = factor_panel(panel, rows, width, k0, scratch.pivots, &scratch.candidates);
        sync_threads();
        copy(panel, &part, rows, width, true);
        if zero_pivot > 0 && status == 0 {
            status = (k0 + zero_pivot) as i32;
        }
        sync_threads();
        swap_and_solve(work, panel, k0, width, n, scratch.pivots);
        sync_threads();
        finite &= update(work, panel, k0, width, n);
        sync_threads();
        k0 += nb;
    }

    if any_thread(!finite, scratch.flags) {
        status = NON_FINITE;
    }
    status
}

/// A column a thread: the panel's row swaps, and right of the panel U12 = L11^-1 A12.
#[inline(always)]
fn swap_and_solve<T: Scalar>(
    work: &impl View<T>,
    panel: &impl View<T>,
    k0: u32,
    width: u32,
    n: u32,
    pivots: Shared<u32>,
) {
    let mut j = thread::index();
    while j < n {
        if j < k0 || j >= k0 + width {
            let mut u = [T::ZERO; NB];
            for q in 0..NB {
                let row = k0 + q as u32;
                if (q as u32) < width {
                    let pivot = pivots.load(row);
                    u[q] = work.load(pivot, j);
                    if pivot != row {
                        work.store(pivot, j, work.load(row, j));
                        work.store(row, j, u[q]);
                    }
                }
            }
            if j >= k0 {
                for q in 1..NB {
                    if (q as u32) < width {
                        for r in 0..q {
                            u[q] = u[q].sub_mul(panel.load(q as u32, r as u32), u[r]);
                        }
                        work.store(k0 + q as u32, j, u[q]);
                    }
                }
            }
        }
        j += block::dim();
    }
}

/// Trailing matrix -= L21 U12: a row a lane, columns over the warps. Whether this thread's rows are finite so far, the
/// factors' finished columns and rows included.
#[inline(always)]
fn update<T: Scalar>(work: &impl View<T>, panel: &impl View<T>, k0: u32, width: u32, n: u32) -> bool {
    let mut finite = true;
    let warps = block::dim() / warp::SIZE;
    let mut i = k0 + warp::lane();
    while i < n {
        let mut l = [T::ZERO; NB]; // row i of the panel
        for q in 0..NB {
            if (q as u32) < width {
                l[q] = panel.load(i - k0, q as u32);
                finite &= l[q].is_finite();
            }
        }
        let mut j = k0 + width + warp::index();
        while j < n {
            if i < k0 + width {
                finite &= work.load(i, j).is_finite();
            } else {
                let mut c = work.load(i, j);
                for q in 0..NB {
                    if (q as u32) < width {
                        c = c.sub_mul(l[q], work.load(k0 + q as u32, j));
                    }
                }
                work.store(i, j, c);
            }
            j += warps;
        }
        i += warp::SIZE;
    }
    finite
}

/// Stores the pivots and the status.
#[inline(always)]
fn finish<T: Scalar>(args: &LuArgs<T>, b: u64, status: i32, scratch: &Scratch<T>) {
    let mut k = thread::index();
    while k < args.n {
        args.pivots.store(b as i64 * args.n as i64 + k as i64, scratch.pivots.load(k));
        k += block::dim();
    }
    if thread::index() == 0 {
        args.status.store(b as i64, status);
    }
}
