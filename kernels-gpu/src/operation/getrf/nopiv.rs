//! LU without interchanges, of any order: left-looking, in panels of columns, one thread block per matrix.
//!
//! As in [`global`](super::global), but rows stay where they are. Pivots may be boosted.

use numbers::status::NON_FINITE;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use crate::collective::thread_group::largest_of;
use crate::memory::row_panel::{self, BYTES, RowPanel, with_panel_columns};
use crate::memory::vector::Vectorized;
use crate::operation::GetrfNopivArgs;
use crate::operation::getrf::finished::{PanelStorage, store_row};
use crate::operation::getrf::global::threads;
use crate::operation::getrf::panel::eliminate;
use crate::shape::{Problem, Shape, quotient};
use numbers::matrix::{GlobalMatrix, View};
use numbers::pivot::{Boost, larger};
use numbers::scalar::{Scalar, ScalarKind};

/// What a block keeps in shared memory.
struct SharedStorage<T: Scalar> {
    squares: Shared<T>,       // three squares of as many rows as a panel has columns
    panel: Shared<T>,         // rows of a panel from the diagonal on
    largest: Shared<T::Real>, // of each warp: shape (32)
}

#[inline(always)]
fn shared_storage<T: Vectorized>(layout: &mut Layout, n: u32) -> SharedStorage<T> {
    SharedStorage {
        squares: layout.packed(3 * row_panel::square_numbers::<T>()),
        panel: layout.packed(row_panel::numbers::<T>(n, BYTES)),
        largest: layout.packed(32),
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
pub fn getrf<T: Vectorized>(args: GetrfNopivArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(|layout| shared_storage::<T>(layout, n)) };
    let (a, lu, t) = (args.a.matrix(b), args.lu.matrix(b), thread::index());
    let pivots = args.pivots.offset(b as i64 * n as i64);
    let mut i = t;
    while i < n {
        pivots.store(i as i64, i);
        i += block::dim();
    }
    let largest = if args.threshold > 0.0 { largest(&a, shared.largest, n) } else { T::Real::ZERO };
    let boost = Boost::new(args.threshold, largest);

    let (mut status, mut k0) = (0, 0);
    while k0 < n && status == 0 {
        sync_threads();
        let columns = with_panel_columns!(
            |nb| k0.is_multiple_of(nb) && row_panel::fits::<T>(nb, n - k0, n, BYTES),
            NB => {
                let storage = PanelStorage::<T, NB>::new(shared.panel, shared.squares);
                storage.apply_finished(&lu, k0, n, |i| a.load_part(i, k0, T::ZERO, |column| column < n));
                status = factor_panel(&storage.panel, k0, n, boost);
                let mut i = t;
                while i < n - k0 {
                    store_row(&lu, k0 + i, k0, n, &storage.panel.load_row(i));
                    i += block::dim();
                }
                NB as u32
            }
        );
        k0 += columns;
    }
    if status != 0 {
        sync_threads();
        fill(&lu, n);
    }
    if t == 0 {
        args.status.store(b as i64, status);
    }
}

/// The largest magnitude of an element. Ends with a barrier.
#[inline(always)]
fn largest<T: Scalar>(a: &GlobalMatrix<T>, of_warps: Shared<T::Real>, n: u32) -> T::Real {
    let (mut largest, mut row) = (T::Real::ZERO, thread::index());
    while row < n {
        let mut col = 0;
        while col < n {
            largest = larger(largest, a.load(row, col).abs1());
            col += 1;
        }
        row += block::dim();
    }
    largest = largest_of::<_, 32>(largest);
    if warp::lane() == 0 {
        of_warps.store(warp::index(), largest);
    }
    sync_threads();
    let mut w = 0;
    while w < block::dim() / warp::SIZE {
        largest = larger(largest, of_warps.load(w));
        w += 1;
    }
    largest
}

/// Factors a panel in place, whose first row is row `k0` of `n`: its status. Begins and ends with a barrier.
#[inline(always)]
fn factor_panel<T: Vectorized, const NB: usize>(
    panel: &RowPanel<T, NB>,
    k0: u32,
    n: u32,
    boost: Boost<T::Real>,
) -> i32 {
    let (t, count) = (thread::index(), n - k0);
    let width = if count < NB as u32 { count } else { NB as u32 };
    let mut status = 0;
    sync_threads();
    let mut c = 0;
    while c < width {
        // Thread t owns rows t, t + threads, ..., and so it has updated this one.
        if t == c {
            panel.store(c, c, boost.apply(panel.load(c, c)));
        }
        sync_threads();
        let pivot = panel.load(c, c);
        if status == 0 {
            status = if !pivot.is_finite() {
                NON_FINITE
            } else if pivot == T::ZERO {
                (k0 + c) as i32 + 1
            } else {
                0
            };
        }
        let u = panel.load_row_from(c, c);
        let mut i = t;
        while i < count {
            if i > c {
                eliminate(panel, i, c, pivot, &u);
            }
            i += block::dim();
        }
        c += 1;
    }
    sync_threads();
    status
}

/// Makes all of a matrix NaN.
#[inline(always)]
fn fill<T: Scalar>(lu: &GlobalMatrix<T>, n: u32) {
    let mut e = thread::index();
    while e < n * n {
        let j = quotient(e, n);
        lu.store(e - j * n, j, T::NAN);
        e += block::dim();
    }
}
