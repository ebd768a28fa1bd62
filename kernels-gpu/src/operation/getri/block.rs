//! Inverse from LU factors of any order, one block per matrix: in shared memory if it fits, else in device memory.
//!
//! Each thread takes whole rows of W. Its row of the current panel is in registers, the panel of U or L in shared
//! memory.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread};

use crate::collective::permutation;
use crate::collective::vote::any_thread;
use crate::memory::copy::copy;
use crate::memory::matrix::{GlobalMatrix, SharedMatrix, View};
use crate::numbers::scalar::{Scalar, ScalarKind};
use crate::operation::GetriArgs;
use crate::operation::NON_FINITE;
use crate::operation::getrf::global::{leading_dimension, threads};
use crate::operation::getrf::panel::{NB, panel_width};
use crate::shape::{Problem, Shape};

/// What a block keeps in shared memory, apart from W.
#[derive(Clone, Copy)]
struct SharedStorage<T> {
    panel: Shared<T>,         // of U or L, row by row: shape (n, panel_width)
    permutation: Shared<u32>, // shape (n)
    flags: Shared<u32>,       // shape (32)
}

#[inline(always)]
fn shared_storage<T: Scalar>(layout: &mut Layout, n: u32) -> SharedStorage<T> {
    SharedStorage {
        panel: layout.packed(n * panel_width(n, T::KIND.size())),
        permutation: layout.packed(n),
        flags: layout.packed(32),
    }
}

/// W, where it is in shared memory, too; shape (n, leading_dimension).
#[inline(always)]
fn shared_matrix<T: Scalar>(layout: &mut Layout, n: u32) -> SharedMatrix<T> {
    let ld = leading_dimension(n);
    SharedMatrix { elements: layout.packed(n.saturating_mul(ld)), leading_dimension: ld }
}

/// The launch shape of [`getri_shared`]: one block per matrix.
#[must_use]
pub fn shared_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let n = problem.n;
    let shared_bytes = with_scalar!(kind, T => {
        Layout::bytes(|layout| (shared_matrix::<T>(layout, n), shared_storage::<T>(layout, n)))
    });
    Shape { blocks: problem.batch, cluster: 1, threads: threads(n), shared_bytes }
}

/// The body of the kernel with W in shared memory.
#[inline(always)]
pub fn getri_shared<T: Scalar>(args: GetriArgs<T>) {
    let n = args.n;
    // SAFETY: `shared_shape` asks for this layout's bytes; barriers separate writes from reads.
    let (w, shared) = unsafe { Layout::place(|layout| (shared_matrix(layout, n), shared_storage(layout, n))) };
    let b = args.first + block::index() as u64;
    invert(&args, b, &w, &shared);
}

/// The launch shape of [`getri_global`]: one block per matrix.
#[must_use]
pub fn global_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let n = problem.n;
    let shared_bytes = with_scalar!(kind, T => Layout::bytes(|layout| shared_storage::<T>(layout, n)));
    Shape { blocks: problem.batch, cluster: 1, threads: threads(n), shared_bytes }
}

/// The body of the kernel with W in device memory.
#[inline(always)]
pub fn getri_global<T: Scalar>(args: GetriArgs<T>) {
    // SAFETY: `global_shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(|layout| shared_storage(layout, args.n)) };
    let b = args.first + block::index() as u64;
    let matrix = args.work.offset(b as i64 * args.n as i64 * args.n as i64);
    invert(&args, b, &GlobalMatrix::column_major(matrix, args.n), &shared);
}

/// Inverts matrix `b` in `w`.
#[inline(always)]
fn invert<T: Scalar>(args: &GetriArgs<T>, b: u64, w: &impl View<T>, shared: &SharedStorage<T>) {
    let n = args.n;
    let mut status = args.lu_status.load(b as i64);
    if status == 0 {
        let lu = args.lu.matrix(b);
        copy(&lu, w, n, n, lu.rows_are_close());
        permutation::from_pivots(args.pivots.offset(b as i64 * n as i64), shared.permutation, n);

        let nb = panel_width(n, T::KIND.size());
        let mut j0 = 0;
        while j0 < n {
            solve_upper(w, shared.panel, j0, n, nb);
            j0 += nb;
        }
        let mut finite = true;
        while j0 > 0 {
            j0 -= nb;
            finite &= solve_lower(w, shared.panel, j0, n, nb);
        }
        if any_thread(!finite, shared.flags) {
            status = NON_FINITE;
        }
    }

    sync_threads(); // `status` may be `lu_status`, which all threads must have read
    let inverse = args.inverse.matrix(b);
    let permuted = ColumnsPermuted { matrix: inverse, permutation: shared.permutation };
    if status == 0 {
        copy(w, &permuted, n, n, inverse.rows_are_close());
    } else {
        copy(&AllNan, &inverse, n, n, inverse.rows_are_close());
    }
    if thread::index() == 0 {
        args.status.store(b as i64, status);
    }
}

/// A panel of U^-1, from column `j0` on: W1 = (I1 - W0 U01) U11^-1. Ends with a barrier.
#[inline(always)]
fn solve_upper<T: Scalar>(w: &impl View<T>, panel: Shared<T>, j0: u32, n: u32, nb: u32) {
    let width = if n - j0 < nb { n - j0 } else { nb };
    copy_panel(w, panel, 0, j0, j0 + width, width, nb);
    let at = |k: u32, c: usize| panel.load(k * nb + c as u32);

    let mut i = thread::index();
    while i < j0 + width {
        let mut row = [T::ZERO; NB]; // row i of the panel of W: shape (NB)
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

/// A panel of U^-1 L^-1, from column `j0` on: W1 = (W1 - W2 L21) L11^-1. Ends with a barrier.
///
/// Returns whether this thread's elements are finite.
#[inline(always)]
fn solve_lower<T: Scalar>(w: &impl View<T>, panel: Shared<T>, j0: u32, n: u32, nb: u32) -> bool {
    let width = if n - j0 < nb { n - j0 } else { nb };
    copy_panel(w, panel, j0, j0, n, width, nb);
    let at = |k: u32, c: usize| panel.load((k - j0) * nb + c as u32);

    let mut finite = true;
    let mut i = thread::index();
    while i < n {
        let mut row = [T::ZERO; NB]; // row i of the panel of W: shape (NB)
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

/// Copies rows `row..end` of columns `col..col + width` to the panel, row by row. Ends with a barrier.
#[inline(always)]
fn copy_panel<T: Scalar>(w: &impl View<T>, panel: Shared<T>, row: u32, col: u32, end: u32, width: u32, nb: u32) {
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
struct ColumnsPermuted<T> {
    matrix: GlobalMatrix<T>,
    permutation: Shared<u32>, // shape (n)
}

impl<T: Scalar> View<T> for ColumnsPermuted<T> {
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
