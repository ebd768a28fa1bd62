//! Batches in host memory, matrices in parallel over rayon's threads: for the CPU what kernels are for a GPU.

use std::{ptr, slice};

use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef};
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::Scalar;
use kernels_gpu::shape::Problem;
use rayon::prelude::*;
use simt::Pod;
use simt::global::Global;

use super::{det as of_factors, factor as lu, groups, inverse, is_finite, solve as by_factors};
use crate::element::Element;
use crate::error::Result;
use crate::fresh::Fresh;
use crate::launch::Factors;
use crate::layout::product;
use crate::op::Op;
use crate::status::Status;

/// PA = LU; `factors.lu` may be `a`.
///
/// # Safety
/// What is named lies in host memory, for the batch and of its sizes, apart from each other but for what may be the same, and
/// nobody else touches it meanwhile.
pub(crate) unsafe fn factor<T: Element>(a: Matrices<T>, factors: Factors<T::Scalar>, size: Problem) -> Result<()> {
    let n = size.n as usize;
    if n <= groups::LARGEST {
        // SAFETY: the caller's promise.
        return unsafe { groups::factor(a, factors, size) };
    }
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, &[n], |b| unsafe {
        let mut matrix = load(a, b, n, n);
        let pivots = slice::from_raw_parts_mut(at(factors.pivots, b * n), n);
        at(factors.status, b).write(lu::factor(matrix.as_mut(), pivots));
        store(matrix.as_ref(), factors.lu, b);
    })
}

/// A X = B; `x` may be `b`. X is all NaN where the status is not 0, as where X itself is not finite.
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn solve<T: Element>(
    a: Matrices<T>,
    b: Matrices<T>,
    x: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let (n, rhs) = (size.n as usize, size.rhs as usize);
    if n <= groups::LARGEST {
        // SAFETY: the caller's promise.
        return unsafe { groups::solve(a, b, x, status, size) };
    }
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, &[n, n, 2 * rhs], |i| unsafe {
        let (mut matrix, mut pivots) = (load(a, i, n, n), vec![0; n]);
        let code = lu::factor(matrix.as_mut(), &mut pivots);
        let mut sides = load(b, i, n, rhs);
        at(status, i).write(solution(matrix.as_ref(), &pivots, Op::None, code, sides.as_mut()));
        store(sides.as_ref(), x, i);
    })
}

/// op(A) X = B from factors; `x` may be `b`, and `status` theirs. X is all NaN where the status is not 0, as where the factors' is
/// not or X itself is not finite.
///
/// # Safety
/// As for [`factor`]; pivots are below n.
pub(crate) unsafe fn solve_from_factors<T: Element>(
    factors: Factors<T::Scalar>,
    op: Op,
    (b, x): (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let (n, rhs) = (size.n as usize, size.rhs as usize);
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, &[2 * n, 2 * rhs], |i| unsafe {
        let (matrix, mut sides) = (load(factors.lu, i, n, n), load(b, i, n, rhs));
        let (pivots, code) = (slice::from_raw_parts(at(factors.pivots, i * n), n), at(factors.status, i).read());
        at(status, i).write(solution(matrix.as_ref(), pivots, op, code, sides.as_mut()));
        store(sides.as_ref(), x, i);
    })
}

/// A^-1; `out` may be `a`. It is all NaN where the status is not 0.
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn invert<T: Element>(
    a: Matrices<T>,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    if n <= groups::LARGEST {
        // SAFETY: the caller's promise.
        return unsafe { groups::invert(a, out, status, size) };
    }
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, &[2 * n], |b| unsafe {
        let (mut matrix, mut pivots) = (load(a, b, n, n), vec![0; n]);
        let code = lu::factor(matrix.as_mut(), &mut pivots);
        at(status, b).write(store_inverse(matrix.as_ref(), &pivots, code, out, b));
    })
}

/// A^-1 from factors; `status` may be theirs. It is all NaN where the status is not 0.
///
/// # Safety
/// As for [`factor`]; pivots are below n.
pub(crate) unsafe fn invert_from_factors<T: Element>(
    factors: Factors<T::Scalar>,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, &[2 * n], |b| unsafe {
        let pivots = slice::from_raw_parts(at(factors.pivots, b * n), n);
        let (matrix, code) = (load(factors.lu, b, n, n), at(factors.status, b).read());
        at(status, b).write(store_inverse(matrix.as_ref(), pivots, code, out, b));
    })
}

/// det A = phase * exp(log_abs).
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn det<T: Element>(
    a: Matrices<T>,
    phase: Global<T::Scalar>,
    log_abs: Global<<T::Scalar as Scalar>::Real>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    if n <= groups::LARGEST {
        // SAFETY: the caller's promise.
        return unsafe { groups::det(a, phase, log_abs, status, size) };
    }
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, &[n], |b| unsafe {
        let (mut matrix, mut pivots) = (load(a, b, n, n), vec![0; n]);
        let code = lu::factor(matrix.as_mut(), &mut pivots);
        let det = of_factors::determinant(matrix.as_ref(), &pivots, code);
        at(phase, b).write(det.0);
        at(log_abs, b).write(det.1);
        at(status, b).write(code);
    })
}

/// As [`det`], from factors.
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn det_from_factors<S: super::CpuScalar>(
    factors: Factors<S>,
    phase: Global<S>,
    log_abs: Global<<S as Scalar>::Real>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<S>(size, &[n], |b| unsafe {
        let pivots = slice::from_raw_parts(at(factors.pivots, b * n), n);
        let matrix = load(factors.lu, b, n, n);
        let det = of_factors::determinant(matrix.as_ref(), pivots, at(factors.status, b).read());
        at(phase, b).write(det.0);
        at(log_abs, b).write(det.1);
    })
}

/// Works on each matrix, if there is memory for `copies` of one, in numbers of `S`, on each thread.
///
/// faer ends the program where there is none, so it is asked for here, and left to faer untouched.
fn for_each<S: Pod>(size: Problem, copies: &[usize], one: impl Fn(usize) + Sync + Send) -> Result<()> {
    let (batch, n) = (size.batch as usize, size.n as usize);
    let columns = copies.iter().sum();
    drop(Fresh::<S>::new(product(&[rayon::current_num_threads().min(batch), n, columns])?)?);
    (0..batch).into_par_iter().for_each(one);
    Ok(())
}

/// Solves from factors of status `code`, in place of the right-hand sides, which become NaN where it is not 0 or the solution is
/// not finite. Returns the status.
fn solution<S: super::CpuScalar>(
    factors: MatRef<'_, S>,
    pivots: &[u32],
    op: Op,
    mut code: i32,
    mut sides: MatMut<'_, S>,
) -> i32 {
    if code == 0 {
        by_factors::solve(factors, pivots, op, sides.rb_mut());
        if !is_finite(sides.rb()) {
            code = Status::NonFinite.code();
        }
    }
    if code != 0 {
        sides.fill(S::NAN);
    }
    code
}

/// Stores the inverse from factors, or NaN, and returns the status.
///
/// # Safety
/// Matrix b of `out` may be written.
unsafe fn store_inverse<T: Element>(
    factors: MatRef<'_, T::Scalar>,
    pivots: &[u32],
    code: i32,
    out: Matrices<T>,
    b: usize,
) -> i32 {
    let n = pivots.len();
    let mut x = Mat::zeros(n, n);
    let mut code = code;
    if code == 0 {
        inverse::invert(factors, pivots, x.as_mut());
        if !is_finite(x.as_ref()) {
            code = Status::NonFinite.code();
        }
    }
    if code != 0 {
        x.fill(T::Scalar::NAN);
    }
    // SAFETY: the caller's promise.
    unsafe { store(x.as_ref(), out, b) };
    code
}

/// Element `index` of an array.
pub(super) fn at<T: Pod>(array: Global<T>, index: usize) -> *mut T {
    ptr::with_exposed_provenance_mut::<T>(array.address() as usize).wrapping_add(index)
}

/// Where matrix b begins.
///
/// # Safety
/// Where there are pointers, there is one for it.
pub(super) unsafe fn start<T: Pod>(m: Matrices<T>, b: usize) -> *mut T {
    if m.pointers.is_null() {
        return at(m.base, 0).wrapping_offset(b as isize * m.batch_stride as isize);
    }
    // SAFETY: the caller's promise.
    ptr::with_exposed_provenance_mut(unsafe { at(m.pointers, b).read() } as usize)
}

/// Matrix b in the arithmetic type.
///
/// # Safety
/// It is there, and nobody writes it.
unsafe fn load<T: Element>(m: Matrices<T>, b: usize, rows: usize, cols: usize) -> Mat<T::Scalar> {
    // SAFETY: the caller's promise.
    let start = unsafe { start(m, b) };
    let (down, along) = (m.row_stride as isize, m.col_stride as isize);
    // SAFETY: the caller's promise.
    Mat::from_fn(rows, cols, |i, j| unsafe { *start.offset(i as isize * down + j as isize * along) }.widen())
}

/// Writes matrix b.
///
/// # Safety
/// It is there, and nobody else touches it.
unsafe fn store<T: Element>(x: MatRef<'_, T::Scalar>, m: Matrices<T>, b: usize) {
    // SAFETY: the caller's promise.
    let start = unsafe { start(m, b) };
    let (down, along) = (m.row_stride as isize, m.col_stride as isize);
    for j in 0..x.ncols() {
        for i in 0..x.nrows() {
            let to = start.wrapping_offset(i as isize * down + j as isize * along);
            // SAFETY: the caller's promise.
            unsafe { to.write(T::narrow(x[(i, j)])) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn what_there_is_no_memory_for_is_refused_before_any_work() {
        let size = |n| Problem { n, batch: 3, rhs: 1 };
        let refused = for_each::<f64>(size(1 << 20), &[1 << 40], |_| unreachable!("there is no memory"));
        assert!(matches!(refused, Err(Error::HostMemory { .. } | Error::Shape(_))));
        assert!(for_each::<f64>(size(100), &[100, 7], |b| assert!(b < 3)).is_ok());
    }
}
