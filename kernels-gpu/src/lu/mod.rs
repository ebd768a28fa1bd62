//! LU factorization with partial pivoting, PA = LU (LAPACK `xGETRF`).

pub mod block;
pub mod key;
pub mod panel;
pub mod small;

use simt::Pod;
use simt::global::Global;

use crate::matrix::Matrices;

/// A status: some element of the factors (or of the inverse) is NaN or infinite.
pub const NON_FINITE: i32 = -1;

/// Arguments of the LU kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LuArgs<T: Pod> {
    /// The matrices, n x n.
    pub a: Matrices<T>,
    /// Their factors, n x n: U, and L below the diagonal. May be `a`.
    pub lu: Matrices<T>,
    /// Sequential row interchanges, zero-based: shape (batch, n).
    pub pivots: Global<u32>,
    /// 0, or k where `U[k-1][k-1]` is the first exact zero, or [`NON_FINITE`]: shape (batch).
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}
