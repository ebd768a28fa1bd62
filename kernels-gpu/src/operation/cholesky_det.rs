//! Determinant from Cholesky factors, and its logarithm: one warp per matrix.

use simt::global::Global;
use simt::{block, warp};

use crate::operation::det::{THREADS, of_warp, store};
use numbers::det_product::{DetParts, LogProduct};
use numbers::matrix::{Matrices, View};
use numbers::scalar::Scalar;

/// Arguments of the kernel, whose launch is that of [`det`](crate::operation::det).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CholeskyDetArgs<T: Scalar> {
    /// Factors from a Cholesky kernel, n x n.
    pub l: Matrices<T>,
    /// Their status: shape (batch).
    pub status: Global<i32>,
    /// NaN where there are no factors.
    pub det: DetParts<T, T::Real>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}

/// The body of the kernel.
#[inline(always)]
pub fn det<T: Scalar>(args: CholeskyDetArgs<T>) {
    let matrix = args.first + (block::index() * (THREADS / warp::SIZE) + warp::index()) as u64;
    let active = matrix < args.end;
    // Lane l multiplies diagonal elements l, l + 32, ...
    let mut product = LogProduct::ONE;
    let mut k = warp::lane();
    while active && k < args.n {
        product = product.times(args.l.matrix(matrix).load(k, k).to_c64());
        k += warp::SIZE;
    }
    let product = of_warp(product);
    if active && warp::lane() == 0 {
        let b = matrix as i64;
        // Of L and of L^H.
        store(args.det, b, if args.status.load(b) == 0 { product.combine(product) } else { LogProduct::NAN });
    }
}
