//! The factorization of a block on the diagonal, by a block of threads a matrix.

use simt::Pod;
use simt::global::Global;
use simt::layout::Layout;
use simt::{block, warp};

use crate::memory::matrix::{Strided, View};
use crate::numbers::mma::Mma;
use crate::numbers::scalar::ScalarKind;
use crate::operation::NON_FINITE;
use crate::schedule::cholesky::look_ahead::{self, Storage};
use crate::schedule::multi_block::{COLUMNS, StepArgs, Workspace};
use crate::shape::{Problem, Shape};

/// Columns of a block on the diagonal at most.
pub const MAX_WIDTH: u32 = look_ahead::MAX_ORDER;
/// Threads of a block.
pub const THREADS: u32 = look_ahead::WARPS * warp::SIZE;

/// The launch for blocks of order `problem.n`.
#[must_use]
pub fn entry_shape<T: Mma>(problem: &Problem, _: ScalarKind) -> Shape {
    let shared_bytes = Layout::bytes(|layout| Storage::<T>::new(layout, problem.n));
    Shape { blocks: problem.batch, threads: THREADS, shared_bytes, cluster: 1 }
}

/// The body of the kernel: the block of the columns `column..column + width`. The status is that of the first block that
/// has no factor.
#[inline(always)]
pub fn diagonal<T: Mma>(args: StepArgs<T>) {
    let b = args.first + block::index() as u64;
    // SAFETY: `entry_shape` asks for this layout's bytes; barriers separate writes from other threads' accesses.
    let shared = unsafe { Layout::place(|layout| Storage::<T>::new(layout, args.width)) };
    let part = OnDiagonal { work: args.workspace(b), first: args.column, is_transposed: false };
    let found = look_ahead::factor(&shared, &part, args.width);
    if warp::index() == 0 && warp::lane() == 0 {
        let before = if args.column == 0 { 0 } else { args.status.load(b as i64) };
        // Minors are counted from the first column of the matrix.
        let own = if found < NON_FINITE { found - args.column as i32 } else { found };
        args.status.store(b as i64, if before == 0 { own } else { before });
    }
}

/// What is on the diagonal of a workspace from row and column `first` on.
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
