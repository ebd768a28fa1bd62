//! Batches of small positive definite matrices, worked on side by side.

use std::slice;

use numbers::det_product::DetParts;
use numbers::element::RealOf;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use simt::global::Global;

use crate::element::Element;
use crate::error::Result;
use crate::groups::{each, statuses_of};
use crate::lanes;
use crate::transfer::{at, from};
use numbers::factors::CholeskyFactors;

/// As [`super::batch::factor`].
///
/// # Safety
/// As there.
pub(super) unsafe fn factor<T: Element>(
    a: Matrices<T>,
    factors: CholeskyFactors<T::Scalar>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, 0, |isa, workspace, first, count| unsafe {
        let status = slice::from_raw_parts_mut(at(factors.status, first), count);
        lanes::cholesky::<T>(isa, workspace, from(a, first), from(factors.l, first), n, status);
    })
}

/// As [`super::batch::solve`].
///
/// # Safety
/// As there.
pub(super) unsafe fn solve<T: Element>(
    a: Matrices<T>,
    conjugated: bool,
    (b, x): (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let (n, rhs) = (size.n as usize, size.rhs as usize);
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, rhs, |isa, workspace, first, count| unsafe {
        let [a, b, x] = [a, b, x].map(|matrices| from(matrices, first));
        let status = slice::from_raw_parts_mut(at(status, first), count);
        lanes::cholesky_solve::<T>(isa, workspace, a, conjugated, b, x, n, rhs, status);
    })
}

/// As [`super::batch::solve_from_factors`].
///
/// # Safety
/// As there.
pub(super) unsafe fn solve_from_factors<T: Element>(
    factors: CholeskyFactors<T::Scalar>,
    conjugated: bool,
    (b, x): (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let (n, rhs) = (size.n as usize, size.rhs as usize);
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, rhs, |isa, workspace, first, count| unsafe {
        let (l, b, x) = (from(factors.l, first), from(b, first), from(x, first));
        let status = statuses_of(factors.status, status, first, count);
        lanes::cholesky_solve_factored::<T>(isa, workspace, l, conjugated, b, x, n, rhs, status);
    })
}

/// As [`super::batch::invert`].
///
/// # Safety
/// As there.
pub(super) unsafe fn invert<T: Element>(
    a: Matrices<T>,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, 0, |isa, workspace, first, count| unsafe {
        let status = slice::from_raw_parts_mut(at(status, first), count);
        lanes::cholesky_inverse::<T>(isa, workspace, from(a, first), from(out, first), n, status);
    })
}

/// As [`super::batch::invert_from_factors`].
///
/// # Safety
/// As there.
pub(super) unsafe fn invert_from_factors<T: Element>(
    factors: CholeskyFactors<T::Scalar>,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, 0, |isa, workspace, first, count| unsafe {
        let status = statuses_of(factors.status, status, first, count);
        lanes::cholesky_inverse_factored::<T>(isa, workspace, from(factors.l, first), from(out, first), n, status);
    })
}

/// As [`super::batch::det`].
///
/// # Safety
/// As there.
pub(super) unsafe fn det<T: Element>(
    a: Matrices<T>,
    det: DetParts<T::Scalar, RealOf<T>>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, 0, |isa, workspace, first, count| unsafe {
        let (det, status) = (det.from(first as i64), slice::from_raw_parts_mut(at(status, first), count));
        lanes::cholesky_det::<T>(isa, workspace, from(a, first), n, det, status);
    })
}
