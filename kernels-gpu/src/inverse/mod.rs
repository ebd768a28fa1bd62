//! Inversion from LU factors, A^-1 = U^-1 L^-1 P (LAPACK `xGETRI`).
//!
//! First W U = I, then W L = U^-1, panel by panel and each panel corrected just before it is solved, as in the batched
//! inversion of the Journal of Software 34 (2023). W overwrites the factors. Last its columns are permuted.

pub mod block;
pub mod small;
pub mod warp;

use simt::Pod;
use simt::global::Global;

use crate::matrix::Matrices;

/// Arguments of the inversion kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct InverseArgs<T: Pod> {
    /// Factors from an LU kernel, n x n.
    pub lu: Matrices<T>,
    /// Their pivots: shape (batch, n).
    pub pivots: Global<u32>,
    /// Status of the factorization: shape (batch).
    pub lu_status: Global<i32>,
    /// The inverses, n x n; all NaN where the status is not 0.
    pub inverse: Matrices<T>,
    /// Status of the inverse: the factorization's, or `NON_FINITE` where the inverse overflows. May be `lu_status`. Shape
    /// (batch).
    pub status: Global<i32>,
    /// Room for matrices that do not fit in shared memory: shape (batch, n, n), or null. May be the factors themselves
    /// where they are compact and column-major.
    pub work: Global<T>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}

/// Arguments of the kernels that invert in one launch.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct InvertArgs<T: Pod> {
    /// The matrices, n x n.
    pub a: Matrices<T>,
    /// Their inverses, n x n; all NaN where the status is not 0. May be `a`.
    pub inverse: Matrices<T>,
    /// 0, or k where the k-th pivot is the first exact zero, or `NON_FINITE`: shape (batch).
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}
