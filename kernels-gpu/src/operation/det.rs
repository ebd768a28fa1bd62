//! Determinant from LU factors, as a sign or phase and the logarithm of the magnitude: one warp per matrix.

use simt::global::Global;
use simt::{block, thread, warp};

use crate::shape::{Problem, Shape};
use numbers::det_product::LogProduct;
use numbers::matrix::{Matrices, View};
use numbers::scalar::{Real, Scalar, ScalarKind};

/// Threads of a block.
pub const THREADS: u32 = 128;

/// Arguments of the determinant kernel.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DetArgs<T: Scalar> {
    /// Factors from an LU kernel, n x n.
    pub lu: Matrices<T>,
    /// Their pivots: shape (batch, n).
    pub pivots: Global<u32>,
    /// Their status: shape (batch).
    pub status: Global<i32>,
    /// det A / |det A|; 0 where A is singular, NaN where the factors are not finite: shape (batch).
    pub phase: Global<T>,
    /// log |det A|; minus infinity where A is singular: shape (batch).
    pub log_abs: Global<T::Real>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
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
        product = product.times(args.lu.matrix(matrix).load(k, k).to_c64());
        if args.pivots.load(b * n as i64 + k as i64) != k {
            product = product.negate();
        }
        k += warp::SIZE;
    }
    let product = of_warp(product);

    if active && warp::lane() == 0 {
        let finite = args.status.load(b) >= 0;
        let (phase, log_abs) = (T::from_c64(product.phase()), T::Real::from_f64(product.log_abs()));
        args.phase.store(b, if finite { phase } else { T::NAN });
        args.log_abs.store(b, if finite { log_abs } else { T::Real::NAN });
    }
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
