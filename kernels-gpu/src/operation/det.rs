//! Determinant from LU factors, and its sign or phase and the logarithm of its magnitude: one warp per matrix.

use simt::global::Global;
use simt::{block, thread, warp};

use crate::shape::{Problem, Shape};
use numbers::det_product::{DetParts, LogProduct};
use numbers::matrix::{Matrices, View};
use numbers::scalar::{Real, Scalar, ScalarKind};

/// Threads of a block.
pub const THREADS: u32 = 128;

/// Arguments of the determinant kernel.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DetArgs<T: Scalar> {
    /// Factors from an LU kernel, n x n, or triangular matrices.
    pub lu: Matrices<T>,
    /// Their pivots: shape (batch, n). Null where no rows are interchanged.
    pub pivots: Global<u32>,
    /// Their status: shape (batch).
    pub status: Global<i32>,
    /// NaN where the factors are not finite; shape (batch) each.
    pub det: DetParts<T, T::Real>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices; 0 for those whose diagonal is all ones, whatever is stored there.
    pub n: u32,
    /// 1 for determinants of the conjugate matrices.
    pub conjugated: u32,
}

/// The launch shape of [`det`]: one warp per matrix.
#[must_use]
pub fn shape(problem: &Problem, _: ScalarKind) -> Shape {
    Shape {
        blocks: problem.batch.div_ceil((THREADS / warp::SIZE) as u64),
        cluster: 1,
        threads: THREADS,
        shared_bytes: 0,
    }
}

/// The body of the kernel.
#[inline(always)]
pub fn det<T: Scalar>(args: DetArgs<T>) {
    let n = args.n;
    let matrix = args.first + (block::index() * (THREADS / warp::SIZE) + warp::index()) as u64;
    let b = matrix as i64;
    let active = matrix < args.end;

    // Lane l multiplies diagonal elements l, l + 32, ...
    let mut product = LogProduct::ONE;
    let mut k = thread::index() % warp::SIZE;
    while active && k < n {
        let pivot = args.lu.matrix(matrix).load(k, k);
        product = product.times(if args.conjugated != 0 { pivot.conj() } else { pivot }.to_c64());
        if !args.pivots.is_null() && args.pivots.load(b * n as i64 + k as i64) != k {
            product = product.negate();
        }
        k += warp::SIZE;
    }
    let product = of_warp(product);

    if active && warp::lane() == 0 {
        let product = match args.status.load(b) {
            0 => product,
            // What else a triangular matrix has on its diagonal does not matter.
            1.. if args.pivots.is_null() => LogProduct::ZERO,
            1.. => product,
            _ => LogProduct::NAN,
        };
        store(args.det, b, product);
    }
}

/// Stores the determinant of matrix b.
#[inline(always)]
pub(super) fn store<T: Scalar>(det: DetParts<T, T::Real>, b: i64, product: LogProduct) {
    det.value.store(b, T::from_c64(product.value()));
    det.phase.store(b, T::from_c64(product.phase()));
    det.log_abs.store(b, T::Real::from_f64(product.log_abs()));
}

/// The product of all lanes' products.
#[inline(always)]
pub(super) fn of_warp(mut product: LogProduct) -> LogProduct {
    let mut distance = warp::SIZE / 2;
    while distance > 0 {
        product = product.combine(LogProduct {
            mantissa: warp::shuffle_xor(warp::ALL, product.mantissa, distance),
            exponent: warp::shuffle_xor(warp::ALL, product.exponent, distance),
        });
        distance /= 2;
    }
    product
}
