//! The factorization of a block on the diagonal, and the rows of U beside it, by a block of threads for 32 columns of
//! these: each factors the block for itself, so that none waits for another.
//!
//! All read A from the upper triangle. The factor L11 goes below the diagonal, where nobody reads A, and its diagonal to
//! a list of its own.

use simt::Pod;
use simt::global::Global;
use simt::layout::Layout;
use simt::{sync_threads, thread};

use crate::collective::mma::Mma;
use crate::schedule::cholesky::look_ahead::{self, ROWS_BELOW, Storage, Target};
use crate::schedule::multi_block::{COLUMNS, StepArgs, Workspace};
use crate::shape::{Problem, Shape};
use numbers::matrix::{Strided, View};
use numbers::scalar::ScalarKind;
use numbers::status::NON_FINITE;

/// Columns of a block on the diagonal at most.
pub const MAX_WIDTH: u32 = look_ahead::MAX_ORDER;
/// Threads of a block.
pub const THREADS: u32 = look_ahead::THREADS;

/// Blocks of threads for so many columns beside a block on the diagonal.
#[must_use]
pub const fn tiles(columns: u32) -> u64 {
    match columns.div_ceil(ROWS_BELOW) {
        0 => 1,
        tiles => tiles as u64,
    }
}

/// The launch for blocks of order `problem.n`, with `problem.rhs` columns beside each.
#[must_use]
pub fn entry_shape<T: Mma>(problem: &Problem, _: ScalarKind) -> Shape {
    let shared_bytes = Layout::bytes(|layout| Storage::<T>::new(layout, problem.n, problem.rhs > 0));
    Shape { blocks: problem.batch.saturating_mul(tiles(problem.rhs)), threads: THREADS, shared_bytes, cluster: 1 }
}

/// The body of the kernel: the block of the columns `column..column + width`, and what of the columns
/// `begin..end_column`, whole blocks of columns, is beside it. The status is that of the first block that has no factor.
#[inline(always)]
pub fn diagonal<T: Mma>(args: StepArgs<T>) {
    let columns = args.end_column - args.begin;
    let (b, share) = args.share(tiles(columns) as u32);
    // SAFETY: `entry_shape` asks for this layout's bytes; barriers separate writes from other threads' accesses.
    let shared = unsafe { Layout::place(|layout| Storage::<T>::new(layout, args.width, columns > 0)) };
    let (work, first) = (args.workspace(b), args.column);
    // Columns of U are rows below the transposed matrix.
    let a = OnDiagonal { work, first, is_transposed: true };
    let below = if columns > 0 { args.begin - first + share * ROWS_BELOW } else { 0 };
    let below = (below, (below + ROWS_BELOW).min(below + columns - share * ROWS_BELOW));
    let strict = OnDiagonal { work, first, is_transposed: false };
    let target = Target { strict, roots: work.roots().offset(first as i64) };
    let found = look_ahead::factor(&shared, &a, (args.width, below), (share == 0).then_some(&target));
    if columns == 0 {
        // `triangle` reads the whole triangle, and nobody reads A.
        sync_threads();
        if thread::index() < args.width {
            let root = target.roots.load(thread::index() as i64);
            strict.store(thread::index(), thread::index(), T::from_real(root));
        }
    }
    if share == 0 && thread::index() == 0 {
        let before = if args.column == 0 { 0 } else { args.status.load(b as i64) };
        // Minors are counted from the first column of the matrix.
        let own = if found < NON_FINITE { found - args.column as i32 } else { found };
        args.status.store(b as i64, if before == 0 { own } else { before });
    }
}

/// What is on the diagonal of a workspace from row and column `first` on, and right of it, or its transpose.
#[derive(Clone, Copy)]
struct OnDiagonal<T> {
    work: Workspace<T>,
    first: u32,
    is_transposed: bool,
}

impl<T: Pod> Strided<T> for OnDiagonal<T> {
    #[inline(always)]
    fn at(&self, i: u32, j: u32) -> Global<T> {
        let (i, j) = if self.is_transposed { (j, i) } else { (i, j) };
        self.work.at(self.first + i, self.first + j)
    }
    #[inline(always)]
    fn row_stride(&self) -> i64 {
        if self.is_transposed { 1 } else { COLUMNS as i64 }
    }
    #[inline(always)]
    fn col_stride(&self) -> i64 {
        if self.is_transposed { COLUMNS as i64 } else { 1 }
    }
    #[inline(always)]
    fn transposed(self) -> Self {
        Self { is_transposed: !self.is_transposed, ..self }
    }
}

impl<T: Pod> View<T> for OnDiagonal<T> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T {
        self.at(i, j).load(0)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, i: u32, j: u32, value: T) {
        self.at(i, j).store(0, value);
    }
}
