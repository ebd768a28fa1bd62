//! Matrices put together from triangles of others: a block has some lines of a matrix.

use simt::{Pod, block};

pub use super::identity::{THREADS, shape};

use super::identity::{LINES, each};
use crate::shape::quotient;
use numbers::matrix::{Matrices, View};
use numbers::scalar::Scalar;

/// Arguments of the kernel.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TriangleArgs<T: Pod> {
    /// Whose lower triangles, with the diagonals, become those of the results, n x n.
    pub lower: Matrices<T>,
    /// Whose upper triangles become those of the results, n x n.
    pub upper: Matrices<T>,
    /// The results, n x n. May be either of the others.
    pub to: Matrices<T>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}

/// The body of the kernel.
#[inline(always)]
pub fn triangle<T: Scalar>(args: TriangleArgs<T>) {
    let n = args.n;
    let blocks = n.div_ceil(LINES); // of a matrix
    let matrix = quotient(block::index(), blocks);
    let (b, first) = (args.first + matrix as u64, (block::index() - matrix * blocks) * LINES);
    let (lower, upper, to) = (args.lower.matrix(b), args.upper.matrix(b), args.to.matrix(b));
    each(&to, first, n, |i, j| to.store(i, j, if j <= i { lower.load(i, j) } else { upper.load(i, j) }));
}
