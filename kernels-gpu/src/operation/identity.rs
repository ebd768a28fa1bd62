//! Unit matrices in the place of matrices whose inverses are then solved for: a block has some lines of a matrix, rows or
//! columns as they lie in memory.

use simt::{Pod, block, sync_threads, warp};

use crate::shape::{Problem, Shape, quotient};
use numbers::matrix::{GlobalMatrix, Matrices, View};
use numbers::scalar::{Scalar, ScalarKind};

/// Threads of a block.
pub const THREADS: u32 = 128;
/// Lines of a block.
pub(super) const LINES: u32 = 32;

/// Arguments of the kernel.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct IdentityArgs<T: Pod> {
    /// What is copied first, n x n.
    pub from: Matrices<T>,
    /// Where that goes, n x n.
    pub to: Matrices<T>,
    /// What then becomes unit matrices, n x n. May be `from`.
    pub unit: Matrices<T>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}

/// The launch.
#[must_use]
pub fn shape(problem: &Problem, _: ScalarKind) -> Shape {
    let blocks = problem.batch.saturating_mul(problem.n.div_ceil(LINES) as u64);
    Shape { blocks, cluster: 1, threads: THREADS, shared_bytes: 0 }
}

/// The body of the kernel.
#[inline(always)]
pub fn identity<T: Scalar>(args: IdentityArgs<T>) {
    let n = args.n;
    let blocks = n.div_ceil(LINES); // of a matrix
    let matrix = quotient(block::index(), blocks);
    let (b, first) = (args.first + matrix as u64, (block::index() - matrix * blocks) * LINES);
    let (from, to, unit) = (args.from.matrix(b), args.to.matrix(b), args.unit.matrix(b));
    each(&from, first, n, |i, j| to.store(i, j, from.load(i, j)));
    sync_threads(); // `unit` may be `from`, of which it has the same lines
    each(&unit, first, n, |i, j| unit.store(i, j, if i == j { T::ONE } else { T::ZERO }));
}

/// Calls `visit` for all elements of the lines from `first` on. Neighbouring lanes have neighbours in the memory of
/// `matrix`.
#[inline(always)]
pub(super) fn each<T: Scalar>(matrix: &GlobalMatrix<T>, first: u32, n: u32, visit: impl Fn(u32, u32)) {
    let rows_first = matrix.rows_are_close();
    let end = if n < first + LINES { n } else { first + LINES };
    let mut line = first + warp::index();
    while line < end {
        let mut at = warp::lane();
        while at < n {
            if rows_first {
                visit(at, line);
            } else {
                visit(line, at);
            }
            at += warp::SIZE;
        }
        line += block::dim() / warp::SIZE;
    }
}
