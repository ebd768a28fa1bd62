//! Inverse from LU factors of any order, one block per matrix: in shared memory if it fits, else in device memory.
//!
//! W = U^-1, panel by panel from left to right, then X = W L^-1 from right to left, in the place of W; X with its
//! columns permuted is the inverse (LAPACK `xGETRI`).

use numbers::status::NON_FINITE;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread};

use crate::collective::permutation;
use crate::collective::vote::any_thread;
use crate::memory::copy::copy;
use crate::memory::row_panel::{self, BYTES, RowPanel, with_panel_columns};
use crate::memory::vector::Vectorized;
use crate::operation::GetriArgs;
use crate::operation::getrf::global::{leading_dimension, threads};
use crate::operation::getri::triangles;
use crate::shape::{Problem, Shape};
use numbers::matrix::{GlobalMatrix, SharedMatrix, View};
use numbers::scalar::{Scalar, ScalarKind};

/// What a panel and the permutation may take where W is in shared memory, too.
const FEW_BYTES: u32 = 12 * 1024;

/// What a block keeps in shared memory, apart from W.
#[derive(Clone, Copy)]
struct SharedStorage<T> {
    panel: Shared<T>,         // of U or L
    permutation: Shared<u32>, // shape (n)
    flags: Shared<u32>,       // shape (32)
}

#[inline(always)]
fn shared_storage<T: Vectorized>(layout: &mut Layout, n: u32, bytes: u32) -> SharedStorage<T> {
    SharedStorage {
        panel: layout.packed(row_panel::numbers::<T>(n, bytes)),
        permutation: layout.packed(n),
        flags: layout.packed(32),
    }
}

/// W, where it is in shared memory, too; shape (n, leading_dimension).
#[inline(always)]
fn shared_matrix<T: Scalar>(layout: &mut Layout, n: u32) -> SharedMatrix<T> {
    let ld = leading_dimension(n);
    SharedMatrix { elements: layout.array(n.saturating_mul(ld)), leading_dimension: ld }
}

/// The launch shape of [`getri_shared`]: one block per matrix.
#[must_use]
pub fn shared_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let n = problem.n;
    let shared_bytes = with_scalar!(kind, T => {
        Layout::bytes(|layout| (shared_storage::<T>(layout, n, FEW_BYTES), shared_matrix::<T>(layout, n)))
    });
    Shape { blocks: problem.batch, cluster: 1, threads: threads(n), shared_bytes }
}

/// The body of the kernel with W in shared memory.
#[inline(always)]
pub fn getri_shared<T: Vectorized>(args: GetriArgs<T>) {
    let n = args.n;
    // SAFETY: `shared_shape` asks for this layout's bytes; barriers separate writes from reads.
    let (shared, w) =
        unsafe { Layout::place(|layout| (shared_storage::<T>(layout, n, FEW_BYTES), shared_matrix(layout, n))) };
    let b = args.first + block::index() as u64;
    invert::<T, FEW_BYTES>(&args, b, &w, &shared);
}

/// The launch shape of [`getri_global`]: one block per matrix.
#[must_use]
pub fn global_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let n = problem.n;
    let shared_bytes = with_scalar!(kind, T => global_bytes::<T>(n, BYTES));
    Shape { blocks: problem.batch, cluster: 1, threads: threads(n), shared_bytes }
}

/// The shared memory of [`global_within`] so many bytes.
#[must_use]
pub fn global_bytes<T: Vectorized>(n: u32, bytes: u32) -> u32 {
    Layout::bytes(|layout| shared_storage::<T>(layout, n, bytes))
}

/// The body of the kernel with W in device memory.
#[inline(always)]
pub fn getri_global<T: Vectorized>(args: GetriArgs<T>) {
    global_within::<T, BYTES>(&args);
}

/// Inverts this block's matrix. A panel and the permutation take so many bytes, or what one column takes.
#[inline(always)]
pub fn global_within<T: Vectorized, const BYTES: u32>(args: &GetriArgs<T>) {
    let n = args.n;
    // SAFETY: the launch asked for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(|layout| shared_storage::<T>(layout, n, BYTES)) };
    let b = args.first + block::index() as u64;
    let w = GlobalMatrix::column_major(args.work.offset(b as i64 * n as i64 * n as i64), n);
    invert::<T, BYTES>(args, b, &w, &shared);
}

/// Inverts matrix `b` in `w`, which may be the factors themselves.
#[inline(always)]
fn invert<T: Vectorized, const BYTES: u32>(args: &GetriArgs<T>, b: u64, w: &impl View<T>, shared: &SharedStorage<T>) {
    let n = args.n;
    let mut status = args.lu_status.load(b as i64);
    if status == 0 {
        let lu = args.lu.matrix(b);
        permutation::from_pivots(args.pivots.offset(b as i64 * n as i64), shared.permutation, n);
        // Panels are as wide as there is room for the rows of U above, or of L below.
        let mut j0 = 0;
        while j0 < n {
            j0 += with_panel_columns!(|nb| row_panel::fits::<T>(nb, j0 + nb, n, BYTES), NB => {
                triangles::solve_upper(&lu, w, &RowPanel::<T, NB>::new(shared.panel), j0, n);
                NB as u32
            });
        }
        let mut finite = true;
        let mut end = n;
        while end > 0 {
            end = with_panel_columns!(|nb| row_panel::fits::<T>(nb, n - end + nb, n, BYTES), NB => {
                let j0 = end.saturating_sub(NB as u32);
                finite &= triangles::solve_lower(&lu, w, &RowPanel::<T, NB>::new(shared.panel), (j0, end), n);
                j0
            });
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
