//! Batched inversion from LU (Journal of Software 34, 2023): X U = I gives W = U^-1, then X L = W, then the columns of
//! X are permuted.
//!
//! A block a matrix. A thread owns a row of W, whose part in the current panel of `NB` columns is in its registers
//! (where there are more rows than threads, every `block::dim()`-th); the panel's blocks of U or L are in shared
//! memory. Columns outside the panel are corrected for it *timely*, after it is solved, or *delayed*, just before they
//! are solved themselves. A launch does all panels (*static*) or one (*dynamic*).

pub mod columns;
pub mod lower;
pub mod upper;

use simt::global::Global;
use simt::shared::{self, Shared};
use simt::{Pod, block};

use kernels_gpu::operation::getrf::global::threads;
use kernels_gpu::shape::{Problem, Shape, shared_bytes};
use numbers::matrix::{GlobalMatrix, Matrices};
use numbers::scalar::{Scalar, ScalarKind};

/// Arguments of the two triangular steps.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TriangleArgs<T: Pod> {
    /// U, and L below the diagonal, n x n.
    pub lu: Matrices<T>,
    /// W, n x n; not `lu`. The first step leaves what is below its diagonal.
    pub w: Matrices<T>,
    /// Of the factorization: shape (batch). Matrices whose status is not 0 are left alone.
    pub lu_status: Global<i32>,
    /// Of the inverse, which may be `lu_status`: shape (batch).
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// First panel of this launch.
    pub panel: u32,
    /// One past its last.
    pub panel_end: u32,
}

/// Shape of a triangular step, with a thread and `NB` elements of shared memory a row. (A launch that is about fewer of
/// the panel's rows or columns is given as many instead.)
#[must_use]
pub fn shape<const NB: usize>(problem: &Problem, kind: ScalarKind) -> Shape {
    let rows = (problem.n as u64).next_multiple_of(NB as u64);
    let bytes = 4 * 32 + rows * NB as u64 * kind.size() as u64;
    Shape { blocks: problem.batch, cluster: 1, threads: threads(problem.n), shared_bytes: shared_bytes(bytes) }
}

/// This block's matrices and shared memory.
#[derive(Clone, Copy)]
struct Block<T> {
    lu: GlobalMatrix<T>,
    w: GlobalMatrix<T>,
    /// For a vote: shape (32).
    flags: Shared<u32>,
    /// The panel's blocks of U or L, `NB` elements a row or column. Where the last panel is narrower they go on as
    /// those of the identity, so that no loop has to look at its width: shape (n rounded up, NB).
    panel: Shared<T>,
}

impl<T: Scalar> Block<T> {
    #[inline(always)]
    fn new(args: &TriangleArgs<T>) -> Self {
        let b = args.first + block::index() as u64;
        // SAFETY: `shape` asks for these bytes.
        let (flags, panel) = unsafe { (shared::array(0), shared::array(4 * 32)) };
        Self { lu: args.lu.matrix(b), w: args.w.matrix(b), flags, panel }
    }
}

/// First column and width of a panel.
#[inline(always)]
fn columns_of<const NB: usize>(panel: u32, n: u32) -> (u32, u32) {
    let j0 = panel * NB as u32;
    (j0, if n - j0 < NB as u32 { n - j0 } else { NB as u32 })
}
