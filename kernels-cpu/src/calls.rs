//! What there is to call, for matrices in host memory. Work is done by rayon's threads; statuses are as LAPACK's `info`,
//! with the codes of [`numbers::status`].
//!
//! Each function is `unsafe` for the same reason: what is named lies in host memory, for the batch and of its sizes,
//! initialised where it is read, and apart from each other but for what may be the same; nobody else touches it
//! meanwhile; and pivots that are given are below n. Each fails only where there is no memory for its workspaces, before
//! it has written anything.

use numbers::det_product::DetParts;
use numbers::element::{Arithmetic, Element, RealOf};
use numbers::factors::{CholeskyFactors, Factors};
use numbers::matrix::Matrices;
use numbers::op::Substitutions;
use numbers::problem::Problem;
use numbers::refine::{Correction, RefineArgs};
use numbers::scalar::Scalar;
use simt::global::Global;

use crate::error::Result;
use crate::mat::Mat;
use crate::table::{arithmetic, double, stored};

/// PA = LU (LAPACK `xGETRF`); `factors.lu` may be `a`.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn factor<T: Element>(a: Matrices<T>, factors: Factors<T::Scalar>, size: Problem) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().factor)(a.cast(), factors.cast(), size) }
}

/// A = LU without interchanges; `factors.lu` may be `a`, and is all NaN where the status is not 0. Pivots smaller than the
/// largest element times `threshold` are boosted; with 0, none is.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn factor_without_interchanges<T: Element>(
    a: Matrices<T>,
    factors: Factors<T::Scalar>,
    threshold: f64,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().factor_nopiv)(a.cast(), factors.cast(), threshold, size) }
}

/// A X = B (`xGESV`, without its factors); `x` may be `b`. X is all NaN where the status is not 0, as where X itself is not
/// finite.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn solve<T: Element>(
    a: Matrices<T>,
    b: Matrices<T>,
    x: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().solve)(a.cast(), b.cast(), x.cast(), status, size) }
}

/// op(A) X = B from factors (`xGETRS`); `x` may be `b`, and `status` theirs. X is all NaN where the status is not 0, as where
/// the factors' is not or X itself is not finite.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn solve_from_factors<T: Element>(
    factors: Factors<T::Scalar>,
    how: Substitutions,
    (b, x): (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().solve_from_factors)(factors.cast(), how, (b.cast(), x.cast()), status, size) }
}

/// T X = B of triangular matrices (`xTRTRS`), which are where factors have them: U, or L, whose diagonal is all ones;
/// `x` may be `b`. The status is the first zero on the diagonal, from 1. X is NaN as from factors.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn solve_triangular<T: Element>(
    t: Matrices<T>,
    how: Substitutions,
    (b, x): (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().solve_triangular)(t.cast(), how, (b.cast(), x.cast()), status, size) }
}

/// T^-1 of such matrices (`xTRTRI`), with zeros in the other triangle; `out` may be `t`. It is all NaN where the status is
/// not 0.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn invert_triangular<T: Element>(
    t: Matrices<T>,
    how: Substitutions,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().invert_triangular)(t.cast(), how, out.cast(), status, size) }
}

/// Determinants of such matrices: themselves, their phases and the logarithms of their magnitudes.
///
/// # Safety
/// As for all: see the [module](self).
pub unsafe fn det_triangular<T: Element>(
    t: Matrices<T>,
    how: Substitutions,
    det: DetParts<T::Scalar, RealOf<T>>,
    status: Global<i32>,
    size: Problem,
) {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().det_triangular)(t.cast(), how, det.cast(), status, size) }
}

/// A^-1 (`xGETRI`); `out` may be `a`. It is all NaN where the status is not 0.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn invert<T: Element>(a: Matrices<T>, out: Matrices<T>, status: Global<i32>, size: Problem) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().invert)(a.cast(), out.cast(), status, size) }
}

/// A^-1 from factors; `status` may be theirs. It is all NaN where the status is not 0.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn invert_from_factors<T: Element>(
    factors: Factors<T::Scalar>,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().invert_from_factors)(factors.cast(), out.cast(), status, size) }
}

/// Determinants: themselves, their phases and the logarithms of their magnitudes.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn det<T: Element>(
    a: Matrices<T>,
    det: DetParts<T::Scalar, RealOf<T>>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().det)(a.cast(), det.cast(), status, size) }
}

/// As [`det`], from factors.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn det_from_factors<S: Arithmetic>(
    factors: Factors<S>,
    det: DetParts<S, S::Real>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (arithmetic::<S>().det_from_factors)(factors.cast(), det.cast(), size) }
}

/// A = L L^H (`xPOTRF`), of the lower triangles; `factors.l` may be `a`, and is all NaN where the status is not 0.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn cholesky<T: Element>(a: Matrices<T>, factors: CholeskyFactors<T::Scalar>, size: Problem) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().cholesky)(a.cast(), factors.cast(), size) }
}

/// A X = B by Cholesky factorization (`xPOSV`, without its factors), or of the conjugate matrices; `x` may be `b`. X is all
/// NaN where the status is not 0.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn cholesky_solve<T: Element>(
    a: Matrices<T>,
    conjugated: bool,
    (b, x): (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().cholesky_solve)(a.cast(), conjugated, (b.cast(), x.cast()), status, size) }
}

/// As [`cholesky_solve`], from factors (`xPOTRS`).
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn cholesky_solve_from_factors<T: Element>(
    factors: CholeskyFactors<T::Scalar>,
    conjugated: bool,
    (b, x): (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe {
        (stored::<T>().cholesky_solve_from_factors)(factors.cast(), conjugated, (b.cast(), x.cast()), status, size)
    }
}

/// A^-1 by Cholesky factorization (`xPOTRI`), both triangles; `out` may be `a`. It is all NaN where the status is not 0.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn cholesky_invert<T: Element>(
    a: Matrices<T>,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().cholesky_invert)(a.cast(), out.cast(), status, size) }
}

/// As [`cholesky_invert`], from factors.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn cholesky_invert_from_factors<T: Element>(
    factors: CholeskyFactors<T::Scalar>,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().cholesky_invert_from_factors)(factors.cast(), out.cast(), status, size) }
}

/// As [`det`], by Cholesky factorization.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn cholesky_det<T: Element>(
    a: Matrices<T>,
    det: DetParts<T::Scalar, RealOf<T>>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (stored::<T>().cholesky_det)(a.cast(), det.cast(), status, size) }
}

/// As [`cholesky_det`], from factors.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn cholesky_det_from_factors<S: Arithmetic>(
    factors: CholeskyFactors<S>,
    det: DetParts<S, S::Real>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (arithmetic::<S>().cholesky_det_from_factors)(factors.cast(), det.cast(), size) }
}

/// Matrices put together from the lower triangles of some, with the diagonals, and the upper ones of others. `to` may be
/// either.
///
/// # Safety
/// As for all: see the [module](self).
///
/// # Errors
/// There is too little memory.
pub unsafe fn put_together<S: Arithmetic>(
    (lower, upper): (Matrices<S>, Matrices<S>),
    to: Matrices<S>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (arithmetic::<S>().put_together)((lower.cast(), upper.cast()), to.cast(), size) }
}

/// Matrices in single precision, and the norms of their groups of rows: the first step of a solution by factors in single
/// precision (`DSGESV`).
///
/// # Safety
/// As for all, see the [module](self); and `T` is f64 or c64, and `L` is f32 or c32 beside it: no others are known.
pub unsafe fn to_single<T: Arithmetic, L: Correction<T>>(args: &RefineArgs<T, L>, size: Problem) {
    // SAFETY: the caller's promise; the table's function is that of this type and its single precision.
    unsafe { (double::<T>().to_single)(std::ptr::from_ref(args).cast(), size) }
}

/// Right-hand sides in single precision, and solutions that are 0.
///
/// # Safety
/// As for all, see the [module](self); and `T` is f64 or c64, and `L` is f32 or c32 beside it: no others are known.
pub unsafe fn start<T: Arithmetic, L: Correction<T>>(args: &RefineArgs<T, L>, size: Problem) {
    // SAFETY: the caller's promise; the table's function is that of this type and its single precision.
    unsafe { (double::<T>().start)(std::ptr::from_ref(args).cast(), size) }
}

/// Residuals of right-hand sides that are not done, for corrections in single precision.
///
/// # Safety
/// As for all, see the [module](self); and `T` is f64 or c64, and `L` is f32 or c32 beside it: no others are known.
pub unsafe fn residual_of_single<T: Arithmetic, L: Correction<T>>(args: &RefineArgs<T, L>, size: Problem) {
    // SAFETY: the caller's promise; the table's function is that of this type and its single precision.
    unsafe { (double::<T>().residual)(std::ptr::from_ref(args).cast(), size) }
}

/// Adds corrections and decides on the next, by norms.
///
/// # Safety
/// As for all, see the [module](self); and `T` is f64 or c64, and `L` is f32 or c32 beside it: no others are known.
pub unsafe fn norm_wise<T: Arithmetic, L: Correction<T>>(args: &RefineArgs<T, L>, size: Problem) {
    // SAFETY: the caller's promise; the table's function is that of this type and its single precision.
    unsafe { (double::<T>().norm_wise)(std::ptr::from_ref(args).cast(), size) }
}

/// Residuals of right-hand sides that are not done and, where they are wanted, magnitudes (`xGERFS`).
///
/// # Safety
/// As for all: see the [module](self).
pub unsafe fn residual<T: Arithmetic>(args: &RefineArgs<T>, size: Problem) {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (arithmetic::<T>().residual)(std::ptr::from_ref(args).cast(), size) }
}

/// Adds corrections and decides on the next, component by component.
///
/// # Safety
/// As for all: see the [module](self).
pub unsafe fn component_wise<T: Arithmetic>(args: &RefineArgs<T>, size: Problem) {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (arithmetic::<T>().component_wise)(std::ptr::from_ref(args).cast(), size) }
}

/// The statuses of solutions, from those of their factors: a solution that is not finite has one that says so, and
/// becomes all NaN.
///
/// # Safety
/// As for all: see the [module](self).
pub unsafe fn finish<T: Arithmetic>(lu_status: Global<i32>, x: Matrices<T>, status: Global<i32>, size: Problem) {
    // SAFETY: the caller's promise; the table's function is that of this type.
    unsafe { (arithmetic::<T>().finish)(lu_status, x.cast(), status, size) }
}

/// `a * b`, by the definition: what results are judged by shares nothing with what they come from.
///
/// # Panics
/// If the shapes do not fit.
#[must_use]
pub fn multiply<T: Arithmetic>(a: &Mat<T>, b: &Mat<T>) -> Mat<T> {
    let mut product = Mat::from_fn(a.nrows(), b.ncols(), |_, _| <T as Scalar>::ZERO);
    // SAFETY: the table's function is that of this type.
    unsafe {
        let [a, b] = [a, b].map(|matrix| std::ptr::from_ref(matrix).cast());
        (arithmetic::<T>().multiply)(a, b, std::ptr::from_mut(&mut product).cast());
    }
    product
}
