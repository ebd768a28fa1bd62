//! LU of any order: left-looking, in panels of columns, one thread block per matrix.
//!
//! A panel has 16 columns, or as many as its rows from the diagonal on leave room for in shared memory: the first ones
//! of a large matrix are narrow, but there is little left of these. For each panel:
//!
//! 1. its columns are read, their rows in the order that interchanges have led to by now;
//! 2. the finished columns, which stream by once, update it (`finished`);
//! 3. all threads factor it (`panel`), and it is stored;
//! 4. its interchanges are applied to the finished columns (`interchange`).
//!
//! For orders that no schedule in registers or shared memory covers.

use numbers::status::NON_FINITE;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread};

use crate::collective::vote::any_thread;
use crate::memory::copy::copy;
use crate::memory::row_panel::{self, BYTES, with_panel_columns};
use crate::memory::vector::Vectorized;
use crate::operation::GetrfArgs;
use crate::operation::getrf::finished::{PanelStorage, store_row};
use crate::operation::getrf::interchange;
use crate::operation::getrf::panel::{Candidates, factor_panel};
use crate::shape::{Problem, Shape, quotient, row_threads};
use numbers::matrix::{GlobalMatrix, Part, RowsPermuted, SharedMatrix, View};
use numbers::scalar::{Scalar, ScalarKind};

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
    squares: Shared<T>, // three squares of as many rows as a panel has columns
    panel: Shared<T>,   // rows of a panel from the diagonal on
    candidates: Candidates<T::Real>,
    pivots: Shared<u32>, // of the panel: shape (16)
    rows: Shared<u32>,   // which row of A is at each position by now: shape (n)
    flags: Shared<u32>,  // shape (32)
}

#[inline(always)]
fn shared_storage<T: Vectorized>(layout: &mut Layout, n: u32, bytes: u32) -> SharedStorage<T> {
    SharedStorage {
        squares: layout.packed(3 * row_panel::square_numbers::<T>()),
        panel: layout.packed(row_panel::numbers::<T>(n, bytes)),
        candidates: Candidates::new(layout),
        pivots: layout.packed(16),
        rows: layout.packed(n),
        flags: layout.packed(32),
    }
}

/// The launch shape of [`getrf`]: one block per matrix.
#[must_use]
pub fn shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let n = problem.n;
    let shared_bytes = with_scalar!(kind, T => shared_bytes::<T>(n, BYTES));
    Shape { blocks: problem.batch, cluster: 1, threads: threads(n), shared_bytes }
}

/// The shared memory of [`within`] so many bytes.
#[must_use]
pub fn shared_bytes<T: Vectorized>(n: u32, bytes: u32) -> u32 {
    Layout::bytes(|layout| shared_storage::<T>(layout, n, bytes))
}

/// The body of the kernel.
#[inline(always)]
pub fn getrf<T: Vectorized>(args: GetrfArgs<T>) {
    within::<T, BYTES>(&args);
}

/// Factors this block's matrix. A panel and the order of its rows take so many bytes, or what one column takes.
#[inline(always)]
pub fn within<T: Vectorized, const BYTES: u32>(args: &GetrfArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: the launch asked for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(|layout| shared_storage::<T>(layout, n, BYTES)) };
    let (a, lu, t) = (args.a.matrix(b), args.lu.matrix(b), thread::index());
    let pivots = args.pivots.offset(b as i64 * n as i64);

    let mut i = t;
    while i < n {
        shared.rows.store(i, i);
        i += block::dim();
    }
    let (mut finite, mut zero_pivot) = (true, 0);
    let mut k0 = 0;
    while k0 < n {
        sync_threads();
        let columns = with_panel_columns!(
            |nb| k0.is_multiple_of(nb) && row_panel::fits::<T>(nb, n - k0, n, BYTES),
            NB => {
                let (zero, is_finite) = step::<T, NB, BYTES>(&a, &lu, &shared, k0, n);
                finite &= is_finite;
                if zero_pivot == 0 {
                    zero_pivot = zero;
                }
                NB as u32
            }
        );
        if t < columns && k0 + t < n {
            pivots.store((k0 + t) as i64, shared.pivots.load(t));
        }
        k0 += columns;
    }

    let status = if any_thread(!finite, shared.flags) { NON_FINITE } else { zero_pivot as i32 };
    if t == 0 {
        args.status.store(b as i64, status);
    }
}

/// The panel of `NB` columns from `k0` on. A barrier must come before and after.
///
/// Returns the first column with a zero pivot, counted from 1, or 0, and whether what this thread stores is finite.
#[inline(always)]
fn step<T: Vectorized, const NB: usize, const BYTES: u32>(
    a: &GlobalMatrix<T>,
    lu: &GlobalMatrix<T>,
    shared: &SharedStorage<T>,
    k0: u32,
    n: u32,
) -> (u32, bool) {
    let storage = PanelStorage::<T, NB>::new(shared.panel, shared.squares);
    let (panel, pivots, rows) = (storage.panel, shared.pivots, shared.rows);
    let end = if n - k0 < NB as u32 { n } else { k0 + NB as u32 };

    // Of more rows than threads some are stored before all are read: these must not be in the place of others.
    let in_order = n > block::dim();
    if in_order {
        let room = SharedMatrix { elements: shared.panel, leading_dimension: n };
        let columns = quotient(row_panel::numbers::<T>(n, BYTES), n);
        bring_to_order(a, lu, &room, rows, (k0, end, columns), n);
    }
    let mut finite = storage.apply_finished(lu, k0, n, |i| {
        let (from, row) = if in_order { (*lu, i) } else { (*a, rows.load(i)) };
        from.load_part(row, k0, T::ZERO, |column| column < n) // zeros, so that no update looks at the width
    });

    let zero_pivot = factor_panel(&panel, (k0, end - k0, n), pivots, rows, &shared.candidates);
    let mut i = thread::index();
    while i < n - k0 {
        finite &= store_row(lu, k0 + i, k0, n, &panel.load_row(i));
        i += block::dim();
    }
    interchange::apply::<T, NB>(lu, k0, end - k0, pivots);
    (zero_pivot, finite)
}

/// Columns `first..end` of A to those of the factors, their rows in order, so many at a time.
#[inline(always)]
fn bring_to_order<T: Vectorized>(
    a: &GlobalMatrix<T>,
    lu: &GlobalMatrix<T>,
    room: &SharedMatrix<T>, // shape (columns, n)
    rows: Shared<u32>,
    (first, end, columns): (u32, u32, u32),
    n: u32,
) {
    let mut col = first;
    while col < end {
        let count = if end - col < columns { end - col } else { columns };
        let from = RowsPermuted { view: Part { whole: *a, row: 0, col }, permutation: rows };
        copy(&from, room, n, count, a.rows_are_close());
        sync_threads();
        copy(room, &Part { whole: *lu, row: 0, col }, n, count, lu.rows_are_close());
        sync_threads();
        col += count;
    }
}
