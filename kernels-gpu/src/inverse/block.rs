//! Inverse from LU of any order by one block a matrix, in shared memory where it fits, else in device memory.
//!
//! A thread owns rows of W; the panel's part of a row is in registers, the panel of U or L in shared memory.

use simt::shared::{self, Shared};
use simt::{block, sync_threads, thread};

use crate::copy::copy;
use crate::inverse::InverseArgs;
use crate::lu::NON_FINITE;
use crate::lu::block::{leading_dimension, threads};
use crate::lu::panel::{NB, panel_width};
use crate::matrix::{GlobalMatrix, SharedMatrix, View};
use crate::permutation;
use crate::scalar::{Scalar, ScalarKind};
use crate::shape::{Problem, Shape, shared_bytes};
use crate::vote::any_thread;

/// What follows W in shared memory.
#[derive(Clone, Copy)]
struct Scratch<T> {
    panel: Shared<T>,         // shape (n, nb): rows of U or L
    permutation: Shared<u32>, // shape (n)
    flags: Shared<u32>,       // shape (32)
}

const fn scratch_bytes(n: u32, kind: ScalarKind) -> u64 {
    n as u64 * (panel_width(n, kind.size()) * kind.size()) as u64 + 4 * (n as u64 + 32)
}

impl<T: Scalar> Scratch<T> {
    /// # Safety
    /// As for [`shared::array`].
    #[inline(always)]
    unsafe fn at(offset: u32, n: u32) -> Self {
        let permutation = offset + n * panel_width(n, T::KIND.size()) * T::KIND.size();
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                panel: shared::array(offset),
                permutation: shared::array(permutation),
                flags: shared::array(permutation + 4 * n),
            }
        }
    }
}

/// Shape of [`inverse_shared`].
#[must_use]
pub fn shared_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let n = problem.n;
    let matrix = (n as u64 * leading_dimension(n) as u64).saturating_mul(kind.size() as u64);
    let bytes = matrix.saturating_add(scratch_bytes(n, kind));
    Shape { blocks: problem.batch, threads: threads(n), shared_bytes: shared_bytes(bytes) }
}

/// W in shared memory.
#[inline(always)]
pub fn inverse_shared<T: Scalar>(args: InverseArgs<T>) {
    let n = args.n;
    let ld = leading_dimension(n);
    // SAFETY: `shared_shape` asks for these bytes.
    let (elements, scratch) = unsafe { (shared::array(0), Scratch::at(n * ld * size_of::<T>() as u32, n)) };
    let b = args.first + block::index() as u64;
    invert(&args, b, &SharedMatrix { elements, leading_dimension: ld }, &scratch);
}

/// Shape of [`inverse_global`].
#[must_use]
pub fn global_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    Shape {
        blocks: problem.batch,
        threads: threads(problem.n),
        shared_bytes: shared_bytes(scratch_bytes(problem.n, kind)),
    }
}

/// W in device memory.
#[inline(always)]
pub fn inverse_global<T: Scalar>(args: InverseArgs<T>) {
    // SAFETY: `global_shape` asks for these bytes.
    let scratch = unsafe { Scratch::at(0, args.n) };
    let b = args.first + block::index() as u64;
    let matrix = args.work.offset(b as i64 * args.n as i64 * args.n as i64);
    invert(&args, b, &GlobalMatrix::column_major(matrix, args.n), &scratch);
}

#[inline(always)]
fn invert<T: Scalar>(args: &InverseArgs<T>, b: u64, w: &impl View<T>, scratch: &Scratch<T>) {
    let n = args.n;
    let mut status = args.lu_status.load(b as i64);
    if status == 0 {
        let lu = args.lu.matrix(b);
        copy(&lu, w, n, n, lu.rows_are_close());
        permutation::from_pivots(args.pivots.offset(b as i64 * n as i64), scratch.permutation, n);

        let nb = panel_width(n, T::KIND.size());
        let mut j0 = 0;
        while j0 < n {
            solve_upper(w, scratch.panel, j0, n, nb);
            j0 += nb;
        }
        let mut finite = true;
        while j0 > 0 {
            j0 -= nb;
            finite &= solve_lower(w, scratch.panel, j0, n, nb);
        }
        if any_thread(!finite, scratch.flags) {
            status = NON_FINITE;
        }
    }

    sync_threads(); // `status` may be `lu_status`, which all threads have read by now
    let inverse = args.inverse.matrix(b);
    let permuted = Permuted { matrix: inverse, permutation: scratch.permutation };
    if status == 0 {
        copy(w, &permuted, n, n, inverse.rows_are_close());
    } else {
        copy(&AllNan, &inverse, n, n, inverse.rows_are_close());
    }
    if thread::index() == 0 {
        args.status.store(b as i64, status);
    }
}

/// Columns j0.. of U^-1, one panel: W1 = (I1 - W0 U01) U11^-1. Ends with a barrier.
#[inline(always)]
fn solve_upper<T: Scalar>(w: &impl View<T>, panel: Shared<T>, j0: u32, n: u32, nb: u32) {
    let width = if n - j0 < nb { n - j0 } else { nb };
    stage(w, panel, 0, j0, j0 + width, width, nb);
    let at = |k: u32, c: usize| panel.load(k * nb + c as u32);

    let mut i = thread::index();
    while i < j0 + width {
        let mut row = [T::ZERO; NB]; // row i of the panel of W
        let mut k = i;
        while k < j0 {
            let x = w.load(i, k);
            for c in 0..NB {
                if (c as u32) < width {
                    row[c] = row[c].sub_mul(x, at(k, c));
                }
            }
            k += 1;
        }
        for c in 0..NB {
            if (c as u32) < width {
                if i == j0 + c as u32 {
                    row[c] = T::ONE;
                }
                for r in 0..c {
                    row[c] = row[c].sub_mul(row[r], at(j0 + r as u32, c));
                }
                row[c] = row[c].divide(at(j0 + c as u32, c).divisor());
                if i <= j0 + c as u32 {
                    w.store(i, j0 + c as u32, row[c]);
                }
            }
        }
        i += block::dim();
    }
    sync_threads();
}

/// Columns j0.. of U^-1 L^-1, one panel: W1 = (W1 - W2 L21) L11^-1. Ends with a barrier. Whether this thread's are finite.
#[inline(always)]
fn solve_lower<T: Scalar>(w: &impl View<T>, panel: Shared<T>, j0: u32, n: u32, nb: u32) -> bool {
    let width = if n - j0 < nb { n - j0 } else { nb };
    stage(w, panel, j0, j0, n, width, nb);
    let at = |k: u32, c: usize| panel.load((k - j0) * nb + c as u32);

    let mut finite = true;
    let mut i = thread::index();
    while i < n {
        let mut row = [T::ZERO; NB]; // row i of the panel of W
        for c in 0..NB {
            if (c as u32) < width && i <= j0 + c as u32 {
                row[c] = w.load(i, j0 + c as u32);
            }
        }
        let mut k = j0 + width;
        while k < n {
            let x = w.load(i, k);
            for c in 0..NB {
                if (c as u32) < width {
                    row[c] = row[c].sub_mul(x, at(k, c));
                }
            }
            k += 1;
        }
        for c in (0..NB).rev() {
            if (c as u32) < width {
                for r in c + 1..NB {
                    if (r as u32) < width {
                        row[c] = row[c].sub_mul(row[r], at(j0 + r as u32, c));
                    }
                }
                finite &= row[c].is_finite();
                w.store(i, j0 + c as u32, row[c]);
            }
        }
        i += block::dim();
    }
    sync_threads();
    finite
}

/// Copies `width` columns from `col` of rows `row..end` to the panel, a row after the other. Ends with a barrier.
#[inline(always)]
fn stage<T: Scalar>(w: &impl View<T>, panel: Shared<T>, row: u32, col: u32, end: u32, width: u32, nb: u32) {
    let mut k = row + thread::index();
    while k < end {
        for c in 0..NB {
            if (c as u32) < width {
                panel.store((k - row) * nb + c as u32, w.load(k, col + c as u32));
            }
        }
        k += block::dim();
    }
    sync_threads();
}

/// Column j of the view is column `permutation[j]` of the matrix.
#[derive(Clone, Copy)]
struct Permuted<T> {
    matrix: GlobalMatrix<T>,
    permutation: Shared<u32>, // shape (n)
}

impl<T: Scalar> View<T> for Permuted<T> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T {
        self.matrix.load(i, self.permutation.load(j))
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, i: u32, j: u32, value: T) {
        self.matrix.store(i, self.permutation.load(j), value);
    }
}

/// A matrix of NaN.
#[derive(Clone, Copy)]
struct AllNan;

impl<T: Scalar> View<T> for AllNan {
    #[inline(always)]
    fn load(&self, _: u32, _: u32) -> T {
        T::NAN
    }

    #[inline(always)]
    fn store(&self, _: u32, _: u32, _: T) {}
}
