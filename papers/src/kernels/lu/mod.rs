//! Batched block LU (Journal of Software 34, 2023): a block a matrix, in place, in one launch.
//!
//! A thread owns a row; where there are more rows than threads, every `block::dim()`-th. The panel of `NB` columns is
//! factored in shared memory; `left` and `right` differ in when the other columns are updated.

pub mod interchange;
pub mod left;
pub mod panel;
pub mod right;

use simt::global::Global;
use simt::hint::opaque;
use simt::shared::{self, Shared};
use simt::{Pod, block, sync_threads, thread, warp};

use kernels_gpu::collective::vote::any_thread;
use kernels_gpu::operation::getrf::global::threads;
use kernels_gpu::shape::{Problem, Shape, round_up, shared_bytes};
use numbers::matrix::{GlobalMatrix, Matrices, View};
use numbers::scalar::{Scalar, ScalarKind};
use numbers::status::NON_FINITE;

/// Arguments of the block LU kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BlockLuArgs<T: Pod> {
    /// The matrices, n x n; become U, and L below the diagonal.
    pub lu: Matrices<T>,
    /// Sequential row interchanges, zero-based: shape (batch, n).
    pub pivots: Global<u32>,
    /// As in [`GetrfArgs`](kernels_gpu::operation::GetrfArgs): shape (batch).
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// [`SEQUENTIAL`](interchange::SEQUENTIAL), [`GROUPED`](interchange::GROUPED) or
    /// [`DELAYED`](interchange::DELAYED).
    pub interchange: u32,
}

/// A panel in shared memory, row after row: a thread's row is one address and constant offsets.
#[derive(Clone, Copy)]
pub(super) struct PanelMatrix<T, const NB: usize> {
    /// Shape (n, stride).
    elements: Shared<T>,
}

impl<T: Scalar, const NB: usize> PanelMatrix<T, NB> {
    /// From a row to the next: odd, so that columns spread over the banks.
    const STRIDE: u32 = NB as u32 | 1;

    /// Row i: shape (NB).
    #[inline(always)]
    pub(super) fn row(&self, i: u32) -> Shared<T> {
        self.elements.offset(i * Self::STRIDE)
    }
}

impl<T: Scalar, const NB: usize> View<T> for PanelMatrix<T, NB> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T {
        self.row(i).load(j)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, i: u32, j: u32, value: T) {
        self.row(i).store(j, value);
    }
}

/// A block's shared memory.
#[derive(Clone, Copy)]
pub(super) struct Workspace<T: Scalar, const NB: usize> {
    /// The current panel.
    pub(super) panel: PanelMatrix<T, NB>,
    /// Candidates of the pivot search: shape (n).
    pub(super) keys: Shared<T::Real>,
    /// Their rows: shape (n).
    pub(super) tags: Shared<u32>,
    /// Row interchanges so far: shape (n).
    pub(super) pivots: Shared<u32>,
    /// Which row of A is at each position by now: shape (n).
    pub(super) rows: Shared<u32>,
    /// Of the final vote: shape (32).
    flags: Shared<u32>,
}

/// Bytes of a [`Workspace`] for matrices of order `n`, at the beginning of the block's shared memory.
const fn workspace_bytes<const NB: usize>(n: u32, kind: ScalarKind) -> u64 {
    // Rows by fours, so that what follows is aligned.
    let panel = round_up(n, 4) as u64 * ((NB as u32 | 1) * kind.size()) as u64;
    panel + 8 * round_up(n, 2) as u64 + 4 * (3 * n + warp::SIZE) as u64
}

impl<T: Scalar, const NB: usize> Workspace<T, NB> {
    /// # Safety
    /// The launch asked for [`workspace_bytes`].
    #[inline(always)]
    unsafe fn new(n: u32) -> Self {
        let keys = round_up(n, 4) * PanelMatrix::<T, NB>::STRIDE * T::KIND.size();
        let tags = keys + round_up(n, 2) * 8;
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                panel: PanelMatrix { elements: shared::array(0) },
                keys: shared::array(keys),
                tags: shared::array(tags),
                pivots: shared::array(tags + 4 * n),
                rows: shared::array(tags + 8 * n),
                flags: shared::array(tags + 12 * n),
            }
        }
    }
}

/// The order, for a launch's shared memory. Of larger ones the sums in 32 bits would wrap; that of this one is already
/// too much.
const fn bounded(n: u32) -> u32 {
    if n < 1 << 30 { n } else { 1 << 30 }
}

/// The launch for `bytes` of shared memory a block.
fn shape(problem: &Problem, bytes: u64) -> Shape {
    Shape { blocks: problem.batch, cluster: 1, threads: threads(problem.n), shared_bytes: shared_bytes(bytes) }
}

/// This block's matrix and its shared memory. Ends with a barrier.
#[inline(always)]
fn begin<T: Scalar, const NB: usize>(args: &BlockLuArgs<T>) -> (GlobalMatrix<T>, Workspace<T, NB>) {
    // SAFETY: the shapes of both kernels begin with these bytes.
    let work = unsafe { Workspace::new(args.n) };
    let mut i = thread::index();
    while i < args.n {
        work.rows.store(i, i);
        i += block::dim();
    }
    sync_threads();
    (args.lu.matrix(matrix(args)), work)
}

/// Stores the pivots and the status: whether this thread met only finite numbers, and the first column with a zero
/// pivot, counted from 1, or 0.
#[inline(always)]
fn finish<T: Scalar, const NB: usize>(args: &BlockLuArgs<T>, work: &Workspace<T, NB>, finite: bool, zero_pivot: u32) {
    let b = matrix(args) as i64;
    let status = if any_thread(!finite, work.flags) { NON_FINITE } else { zero_pivot as i32 };
    let mut k = thread::index();
    while k < args.n {
        args.pivots.store(b * args.n as i64 + k as i64, work.pivots.load(k));
        k += block::dim();
    }
    if thread::index() == 0 {
        args.status.store(b, status);
    }
}

/// This block's matrix in the batch.
#[inline(always)]
fn matrix<T: Pod>(args: &BlockLuArgs<T>) -> u64 {
    args.first + block::index() as u64
}

/// Stores rows `row..n` of the panel as columns `col..col + width`. Whether this thread's are finite.
#[inline(always)]
fn write_back<T: Scalar, const NB: usize>(
    panel: &PanelMatrix<T, NB>,
    a: &GlobalMatrix<T>,
    row: u32,
    col: u32,
    width: u32,
    n: u32,
) -> bool {
    let mut finite = true;
    let mut i = row + thread::index();
    while i < n {
        let col = opaque(col);
        for c in 0..NB as u32 {
            if c < width {
                let x = panel.load(i, c);
                finite &= x.is_finite();
                a.store(i, col + c, x);
            }
        }
        i += block::dim();
    }
    finite
}
