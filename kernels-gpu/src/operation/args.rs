//! The kernels' argument structs, one for each operation.

use simt::Pod;
use simt::global::Global;

use numbers::matrix::Matrices;

/// Arguments of the LU kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GetrfArgs<T: Pod> {
    /// The matrices, n x n.
    pub a: Matrices<T>,
    /// Their factors, n x n: U, and L below the diagonal. May be `a`.
    pub lu: Matrices<T>,
    /// Sequential row interchanges, zero-based: shape (batch, n).
    pub pivots: Global<u32>,
    /// 0, or k where `U[k-1][k-1]` is the first exact zero, or [`NON_FINITE`](numbers::status::NON_FINITE): shape (batch).
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}

/// Arguments of the LU kernels without interchanges.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GetrfNopivArgs<T: Pod> {
    /// The matrices, n x n.
    pub a: Matrices<T>,
    /// Their factors, n x n: U, and L below the diagonal; all NaN where the status is not 0. May be `a`.
    pub lu: Matrices<T>,
    /// Row k, for all k: shape (batch, n).
    pub pivots: Global<u32>,
    /// 0, or k where `U[k-1][k-1]` is zero, or [`NON_FINITE`](numbers::status::NON_FINITE) where it is not finite, for the first of these: shape
    /// (batch).
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// The least magnitude of a pivot, over that of the largest element: smaller ones are
    /// [boosted](numbers::pivot::Boost). 0 for none.
    pub threshold: f64,
    /// Order of the matrices.
    pub n: u32,
}

/// Arguments of the Cholesky kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PotrfArgs<T: Pod> {
    /// The matrices, n x n, of which only the lower triangles are read, and the real parts of their diagonals.
    pub a: Matrices<T>,
    /// Their factors, n x n: L, with zeros above the diagonal; all NaN where the status is not 0. May be `a`.
    pub l: Matrices<T>,
    /// 0, or [`not_positive`](numbers::status::not_positive), or [`NON_FINITE`](numbers::status::NON_FINITE) where a pivot is: shape (batch).
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}

/// Arguments of the solve kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GetrsArgs<T: Pod> {
    /// Factors from an LU kernel, n x n, or matrices of which a triangle is one of them.
    pub lu: Matrices<T>,
    /// The factors' pivots: shape (batch, n).
    pub pivots: Global<u32>,
    /// Their status: shape (batch).
    pub lu_status: Global<i32>,
    /// Right-hand sides, n x rhs.
    pub b: Matrices<T>,
    /// Solutions, n x rhs; all NaN where the status is not 0. May be `b`.
    pub x: Matrices<T>,
    /// Status of the solution: the factorization's, or [`NON_FINITE`](numbers::status::NON_FINITE) where X is not finite: shape (batch).
    /// Written by the kernels for n <= 32 only; for others, the finish kernel follows.
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
    /// With a triangle alone, 1 to do the forward substitution, which is with L, or with U^T; else the other one is done.
    pub forward: u32,
}

impl<T: Pod> GetrsArgs<T> {
    /// The status of the factors of matrix `b`; a triangle alone has none.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn lu_status_of<const IS_TRIANGLE: bool>(&self, b: u64) -> i32 {
        if IS_TRIANGLE { 0 } else { self.lu_status.load(b as i64) }
    }

    /// Whether the forward substitution, and whether the back substitution, is done: both, unless it is for a triangle
    /// alone.
    #[inline(always)]
    #[must_use]
    pub fn substitutions<const IS_TRIANGLE: bool>(&self) -> (bool, bool) {
        (!IS_TRIANGLE || self.forward != 0, !IS_TRIANGLE || self.forward == 0)
    }

    /// Whether a triangle that is alone has ones on its diagonal, whatever is stored there.
    #[inline(always)]
    #[must_use]
    pub fn is_unit(&self) -> bool {
        (self.forward != 0) == (self.transposed == 0)
    }
}

/// Arguments of the kernels that factor and solve in one launch (LAPACK `xGESV`, without its factors).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GesvArgs<T: Pod> {
    /// The matrices, n x n.
    pub a: Matrices<T>,
    /// Right-hand sides, n x rhs.
    pub b: Matrices<T>,
    /// Solutions, n x rhs; all NaN where the status is not 0. May be `b`.
    pub x: Matrices<T>,
    /// 0, or k where the k-th pivot is the first exact zero, or [`NON_FINITE`](numbers::status::NON_FINITE): shape (batch).
    pub status: Global<i32>,
    /// Workspace, aligned to 16 bytes: shape (batch, [`work_numbers`](crate::entry::Variant::work_numbers)).
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

/// Arguments of the inversion kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GetriArgs<T: Pod> {
    /// Factors from an LU kernel, n x n.
    pub lu: Matrices<T>,
    /// Their pivots: shape (batch, n).
    pub pivots: Global<u32>,
    /// Status of the factorization: shape (batch).
    pub lu_status: Global<i32>,
    /// The inverses, n x n; all NaN where the status is not 0.
    pub inverse: Matrices<T>,
    /// Status of the inverse: the factorization's, or [`NON_FINITE`](numbers::status::NON_FINITE) where the inverse overflows: shape (batch).
    /// May be `lu_status`.
    pub status: Global<i32>,
    /// Workspace for matrices that do not fit in shared memory: shape (batch, n, n), or null.
    /// May be the factors themselves if they are compact and column-major.
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
pub struct InverseArgs<T: Pod> {
    /// The matrices, n x n.
    pub a: Matrices<T>,
    /// Their inverses, n x n; all NaN where the status is not 0. May be `a`.
    pub inverse: Matrices<T>,
    /// 0, or k where the k-th pivot is the first exact zero, or [`NON_FINITE`](numbers::status::NON_FINITE): shape (batch).
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}
