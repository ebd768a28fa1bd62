//! LU of any order: right-looking, in panels of up to `NB` columns, one thread block per matrix.
//!
//! The matrix is copied to the output and factored there; only the current panel is in shared memory. As in LAPACK's
//! blocked `xGETRF`, for each panel:
//!
//! 1. the panel is copied to shared memory, factored by all threads (`xGETF2`), and copied back;
//! 2. its interchanges are applied to all other columns (`xLASWP`), and U12 = L11^-1 A12 (`xTRSM`), each thread taking
//!    whole columns;
//! 3. A22 -= L21 U12 (`xGEMM`): lanes take rows, warps take columns.
//!
//! For orders that no schedule in registers or shared memory covers.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use crate::collective::vote::any_thread;
use crate::memory::copy::copy;
use crate::memory::matrix::{GlobalMatrix, Part, SharedMatrix, View};
use crate::numbers::scalar::{Scalar, ScalarKind};
use crate::operation::getrf::panel::{Candidates, NB, factor_panel, panel_width};
use crate::operation::{GetrfArgs, NON_FINITE};
use crate::shape::{Problem, Shape, row_threads};

/// Most threads of a block.
pub const MAX_THREADS: u32 = 256;

/// Threads of a block for a matrix of order `n`: one per row, up to [`MAX_THREADS`].
#[must_use]
pub const fn threads(n: u32) -> u32 {
    row_threads(n, MAX_THREADS)
}

/// An odd leading dimension, which spreads both rows and columns over the banks of shared memory.
#[inline(always)]
#[must_use]
pub const fn leading_dimension(n: u32) -> u32 {
    n | 1
}

/// What a block keeps in shared memory.
struct SharedStorage<T: Scalar> {
    panel: SharedMatrix<T>, // shape (panel_width, leading_dimension)
    candidates: Candidates<T::Real>,
    pivots: Shared<u32>, // shape (n)
    flags: Shared<u32>,  // shape (32)
}

#[inline(always)]
fn shared_storage<T: Scalar>(layout: &mut Layout, n: u32) -> SharedStorage<T> {
    let ld = leading_dimension(n);
    SharedStorage {
        panel: SharedMatrix { elements: layout.packed(ld * panel_width(n, T::KIND.size())), leading_dimension: ld },
        candidates: Candidates::new(layout),
        pivots: layout.packed(n),
        flags: layout.packed(32),
    }
}

/// The launch shape of [`getrf`]: one block per matrix.
#[must_use]
pub fn shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let n = problem.n;
    let shared_bytes = with_scalar!(kind, T => Layout::bytes(|layout| shared_storage::<T>(layout, n)));
    Shape { blocks: problem.batch, cluster: 1, threads: threads(n), shared_bytes }
}

/// The body of the kernel.
#[inline(always)]
pub fn getrf<T: Scalar>(args: GetrfArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(|layout| shared_storage(layout, n)) };

    let (a, lu) = (args.a.matrix(b), args.lu.matrix(b));
    copy(&a, &lu, n, n, lu.rows_are_close());
    sync_threads();
    let status = factor(&lu, n, &shared);
    store_pivots(&args, b, status, &shared);
}

/// Factors `a` in place, and returns the status to all threads. Ends with a barrier.
#[inline(always)]
fn factor<T: Scalar>(a: &GlobalMatrix<T>, n: u32, shared: &SharedStorage<T>) -> i32 {
    let panel = &shared.panel;
    let mut status = 0;
    let mut finite = true;
    let nb = panel_width(n, T::KIND.size());
    let mut k0 = 0;
    while k0 < n {
        let width = if n - k0 < nb { n - k0 } else { nb };
        let rows = n - k0;
        let part = Part { whole: *a, row: k0, col: k0 };
        copy(&part, panel, rows, width, true);
        sync_threads();
        let zero_pivot = factor_panel(panel, rows, width, k0, shared.pivots, &shared.candidates);
        sync_threads();
        copy(panel, &part, rows, width, true);
        if zero_pivot > 0 && status == 0 {
            status = (k0 + zero_pivot) as i32;
        }
        sync_threads();
        swap_and_solve(a, panel, k0, width, n, shared.pivots);
        sync_threads();
        finite &= update_trailing(a, panel, k0, width, n);
        sync_threads();
        k0 += nb;
    }

    if any_thread(!finite, shared.flags) {
        status = NON_FINITE;
    }
    status
}

/// The panel's interchanges in all other columns, and U12 = L11^-1 A12. Each thread takes whole columns.
#[inline(always)]
fn swap_and_solve<T: Scalar>(a: &impl View<T>, panel: &impl View<T>, k0: u32, width: u32, n: u32, pivots: Shared<u32>) {
    let mut j = thread::index();
    while j < n {
        if j < k0 || j >= k0 + width {
            let mut u = [T::ZERO; NB];
            for q in 0..NB {
                let row = k0 + q as u32;
                if (q as u32) < width {
                    let pivot = pivots.load(row);
                    u[q] = a.load(pivot, j);
                    if pivot != row {
                        a.store(pivot, j, a.load(row, j));
                        a.store(row, j, u[q]);
                    }
                }
            }
            if j >= k0 {
                for q in 1..NB {
                    if (q as u32) < width {
                        for r in 0..q {
                            u[q] = u[q].sub_mul(panel.load(q as u32, r as u32), u[r]);
                        }
                        a.store(k0 + q as u32, j, u[q]);
                    }
                }
            }
        }
        j += block::dim();
    }
}

/// A22 -= L21 U12: lanes take rows, warps take columns. Returns whether this thread's part of L and U is finite.
#[inline(always)]
fn update_trailing<T: Scalar>(a: &impl View<T>, panel: &impl View<T>, k0: u32, width: u32, n: u32) -> bool {
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
                finite &= a.load(i, j).is_finite();
            } else {
                let mut c = a.load(i, j);
                for q in 0..NB {
                    if (q as u32) < width {
                        c = c.sub_mul(l[q], a.load(k0 + q as u32, j));
                    }
                }
                a.store(i, j, c);
            }
            j += warps;
        }
        i += warp::SIZE;
    }
    finite
}

/// Stores the pivots and the status.
#[inline(always)]
fn store_pivots<T: Scalar>(args: &GetrfArgs<T>, b: u64, status: i32, shared: &SharedStorage<T>) {
    let mut k = thread::index();
    while k < args.n {
        args.pivots.store(b as i64 * args.n as i64 + k as i64, shared.pivots.load(k));
        k += block::dim();
    }
    if thread::index() == 0 {
        args.status.store(b as i64, status);
    }
}
