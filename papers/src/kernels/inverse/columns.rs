//! The last step: the columns of X, permuted as the rows of A were, are A^-1.

use simt::global::Global;
use simt::shared::{self, Shared};
use simt::{Pod, block, thread};

use kernels_gpu::collective::permutation;
use kernels_gpu::operation::getrf::global::threads;
use kernels_gpu::shape::{Problem, Shape, shared_bytes};
use numbers::matrix::{GlobalMatrix, Matrices, View};
use numbers::scalar::{Scalar, ScalarKind};

/// Arguments of the column kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ColumnsArgs<T: Pod> {
    /// X, n x n; the kernel that swaps does not read it.
    pub x: Matrices<T>,
    /// The inverses, n x n; X itself for the kernel that swaps.
    pub inverse: Matrices<T>,
    /// Sequential row interchanges of the factorization: shape (batch, n).
    pub pivots: Global<u32>,
    /// Inverses of matrices whose status is not 0 become NaN: shape (batch).
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}

/// Shape of both kernels.
#[must_use]
pub fn shape(problem: &Problem, _: ScalarKind) -> Shape {
    Shape {
        blocks: problem.batch,
        cluster: 1,
        threads: threads(problem.n),
        shared_bytes: shared_bytes(4 * problem.n as u64),
    }
}

/// Each column of X is written to where it belongs.
#[inline(always)]
pub fn gather<T: Scalar>(args: ColumnsArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for these bytes.
    let rows: Shared<u32> = unsafe { shared::array(0) }; // shape (n)
    permutation::from_pivots(args.pivots.offset(b as i64 * n as i64), rows, n);
    let (x, inverse) = (args.x.matrix(b), args.inverse.matrix(b));
    let good = args.status.load(b as i64) == 0;
    each_row(n, |i| {
        let mut j = 0;
        while j < n {
            inverse.store(i, rows.load(j), if good { x.load(i, j) } else { T::NAN });
            j += 1;
        }
    });
}

/// One interchange after the other, the last first, in place.
#[inline(always)]
pub fn swap<T: Scalar>(args: ColumnsArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let inverse: GlobalMatrix<T> = args.inverse.matrix(b);
    let pivots = args.pivots.offset(b as i64 * n as i64);
    let good = args.status.load(b as i64) == 0;
    each_row(n, |i| {
        let mut k = n;
        while k > 0 {
            k -= 1;
            if good {
                let pivot = pivots.load(k as i64);
                let (x, y) = (inverse.load(i, k), inverse.load(i, pivot));
                inverse.store(i, k, y);
                if pivot != k {
                    inverse.store(i, pivot, x);
                }
            } else {
                inverse.store(i, k, T::NAN);
            }
        }
    });
}

/// A row a thread.
#[inline(always)]
fn each_row(n: u32, one: impl Fn(u32)) {
    let mut i = thread::index();
    while i < n {
        one(i);
        i += block::dim();
    }
}
