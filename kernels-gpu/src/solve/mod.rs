//! Solution of op(A) X = B from LU factors (LAPACK `xGETRS`).

pub mod block;
pub mod lanes;
pub mod small;
pub mod warp;

use simt::Pod;
use simt::global::Global;

use crate::matrix::Matrices;

/// Arguments of the solve kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SolveArgs<T: Pod> {
    /// Factors from an LU kernel, n x n.
    pub lu: Matrices<T>,
    /// Their pivots: shape (batch, n).
    pub pivots: Global<u32>,
    /// Their status: shape (batch).
    pub lu_status: Global<i32>,
    /// Right-hand sides, n x rhs.
    pub b: Matrices<T>,
    /// Solutions, n x rhs; all NaN where the status is not 0. May be `b`.
    pub x: Matrices<T>,
    /// Status of the solution: the factorization's, or [`NON_FINITE`](crate::lu::NON_FINITE) where X is not finite: shape
    /// (batch). Only the kernels for n <= 32 write it; where X is large, that is left to the finish kernel.
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// Right-hand sides of each matrix.
    pub rhs: u32,
    /// 1 to solve with the transposed matrix.
    pub transposed: u32,
    /// 1 to solve with the conjugate of the matrix.
    pub conjugated: u32,
}

/// Arguments of the kernels that factor and solve in one launch (LAPACK `xGESV`, without its factors).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FactorSolveArgs<T: Pod> {
    /// The matrices, n x n.
    pub a: Matrices<T>,
    /// Right-hand sides, n x rhs.
    pub b: Matrices<T>,
    /// Solutions, n x rhs; all NaN where the status is not 0. May be `b`.
    pub x: Matrices<T>,
    /// 0, or k where the k-th pivot is the first exact zero, or `NON_FINITE` where factors or solution are: shape (batch).
    pub status: Global<i32>,
    /// What the kernel needs meanwhile, at a multiple of 16 bytes: shape (batch, [`work_numbers`](crate::entry::Variant::work_numbers)).
    pub work: Global<T>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// Right-hand sides of each matrix.
    pub rhs: u32,
}
