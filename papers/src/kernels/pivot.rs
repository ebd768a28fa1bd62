//! Partial pivoting for one column, one block a matrix: search, interchange, and where L is kept, division by the
//! pivot.

use simt::global::Global;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{Pod, block, thread};

use kernels_gpu::collective::vote::any_thread;
use kernels_gpu::operation::finish;
use kernels_gpu::operation::getrf::panel::Candidates;
use kernels_gpu::shape::{Problem, Shape};
use numbers::matrix::{Matrices, View};
use numbers::pivot::pivot_key;
use numbers::scalar::{Real, Scalar, ScalarKind};
use numbers::status::NON_FINITE;

/// Most threads of a block.
pub const MAX_THREADS: u32 = finish::MAX_THREADS;

/// Most loads that a thread has under way.
const GROUP: usize = 4;

/// Loads that a thread has under way: what registers allow.
#[inline(always)]
const fn loads<T>() -> u32 {
    if size_of::<T>() < 16 { GROUP as u32 } else { 1 }
}

/// Arguments of the pivot kernel.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PivotArgs<T: Pod> {
    /// The matrices, n x n, eliminated up to column k.
    pub a: Matrices<T>,
    /// Right-hand sides, n x rhs, whose rows are interchanged too.
    pub b: Matrices<T>,
    /// The row that row k was interchanged with: shape (batch, n).
    pub pivots: Global<u32>,
    /// 0, the first zero pivot counted from 1, or [`NON_FINITE`]: shape (batch). Set at column 0, then kept up.
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// Right-hand sides of each, 0 if there are none.
    pub rhs: u32,
    /// The column.
    pub k: u32,
    /// 1 where L is kept: whole rows are interchanged, and the column below the diagonal is divided by the pivot.
    pub keep_l: u32,
}

/// Shape of the pivot kernel where `problem.n` rows are left: a block a matrix.
#[must_use]
pub fn shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let shared_bytes = kernels_gpu::with_scalar!(kind, T => Layout::bytes(shared_storage::<T>));
    Shape { shared_bytes, ..finish::shape(problem, kind) }
}

/// What a block keeps in shared memory: candidates for a pivot, and flags of shape (32).
#[inline(always)]
fn shared_storage<T: Scalar>(layout: &mut Layout) -> (Candidates<T::Real>, Shared<u32>) {
    (Candidates::new(layout), layout.packed(32))
}

/// The body of the kernel.
#[inline(always)]
pub fn pivot<T: Scalar>(args: PivotArgs<T>) {
    let PivotArgs { n, k, rhs, .. } = args;
    let matrix = args.first + block::index() as u64;
    let (a, b) = (args.a.matrix(matrix), args.b.matrix(matrix));
    let keep_l = args.keep_l != 0;
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let (candidates, flags) = unsafe { Layout::place(shared_storage::<T>) };

    // Thread t owns rows k + t, k + t + threads, ...
    let mut finite = true;
    let mut key = T::Real::from_f64(-1.0);
    let mut row = n;
    each_of_mine::<T>(k, n, |rows| {
        let mut x = [T::ZERO; GROUP];
        for u in 0..GROUP {
            if rows[u] < n {
                x[u] = a.load(rows[u], k);
            }
        }
        for u in 0..GROUP {
            finite &= x[u].is_finite();
            let candidate = pivot_key(x[u], rows[u] < n);
            if candidate > key {
                (key, row) = (candidate, rows[u]);
            }
        }
    });
    let pivot = candidates.largest(key, row, 0);

    // Thread t owns columns t, t + threads, ...; row k of U is final now.
    each_of_mine::<T>(if keep_l { 0 } else { k }, n, |cols| {
        let (mut upper, mut lower) = ([T::ZERO; GROUP], [T::ZERO; GROUP]);
        for u in 0..GROUP {
            if cols[u] < n {
                (upper[u], lower[u]) = (a.load(k, cols[u]), a.load(pivot, cols[u]));
            }
        }
        for u in 0..GROUP {
            finite &= lower[u].is_finite();
            if cols[u] < n && pivot != k {
                a.store(k, cols[u], lower[u]);
                a.store(pivot, cols[u], upper[u]);
            }
        }
    });
    let mut c = thread::index();
    while c < rhs && pivot != k {
        let upper = b.load(k, c);
        b.store(k, c, b.load(pivot, c));
        b.store(pivot, c, upper);
        c += block::dim();
    }
    let non_finite = any_thread(!finite, flags);

    // Thread t owns rows k + 1 + t, ...; a finite column over its largest element stays finite.
    let diagonal = a.load(k, k);
    if keep_l && diagonal != T::ZERO {
        let divisor = diagonal.divisor();
        each_of_mine::<T>(k + 1, n, |rows| {
            let mut x = [T::ZERO; GROUP];
            for u in 0..GROUP {
                if rows[u] < n {
                    x[u] = a.load(rows[u], k);
                }
            }
            for u in 0..GROUP {
                if rows[u] < n {
                    a.store(rows[u], k, x[u].divide(divisor));
                }
            }
        });
    }
    if thread::index() == 0 {
        args.pivots.store(matrix as i64 * n as i64 + k as i64, pivot);
        let earlier = if k == 0 { 0 } else { args.status.load(matrix as i64) };
        let status = match earlier {
            _ if non_finite => NON_FINITE,
            0 if diagonal == T::ZERO => k as i32 + 1,
            _ => earlier,
        };
        args.status.store(matrix as i64, status);
    }
}

/// Calls `visit` for the indices first + t, first + t + threads, ... of thread t, some at a time; those from `end` on
/// are none.
#[inline(always)]
fn each_of_mine<T>(first: u32, end: u32, mut visit: impl FnMut([u32; GROUP])) {
    let mut i = first + thread::index();
    while i < end {
        let mut group = [0; GROUP];
        for u in 0..GROUP {
            let index = i + u as u32 * block::dim();
            group[u] = if (u as u32) < loads::<T>() { index } else { u32::MAX };
        }
        visit(group);
        i += loads::<T>() * block::dim();
    }
}
