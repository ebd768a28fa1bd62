//! Batches in host memory, matrices in parallel over rayon's threads: for the CPU what kernels are for a GPU.

use std::slice;

use faer::prelude::{IntoConst, Reborrow, ReborrowMut};
use faer::{MatMut, MatRef};
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::Scalar;
use kernels_gpu::shape::Problem;
use rayon::prelude::*;
use simt::global::Global;

use super::CpuScalar;
use super::factor::factor_with;
use super::finite::is_finite;
use super::params::Params;
use super::transfer::{at, load, start, store};
use super::workspace::{Workspace, Workspaces};
use super::{det as of_factors, groups, inverse, solve as by_factors};
use crate::element::Element;
use crate::error::Result;
use crate::launch::Factors;
use crate::op::Op;
use crate::status::Status;

/// Elements of matrices that a thread takes at least.
const LEAST: usize = 1 << 12;

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
    for_each::<T::Scalar>(size, n, |b, workspace, params| unsafe {
        let ([mut matrix], _) = workspace.split([n]);
        load(a, b, matrix.rb_mut());
        let pivots = slice::from_raw_parts_mut(at(factors.pivots, b * n), n);
        at(factors.status, b).write(factor_with(matrix.rb_mut(), pivots, params));
        store(matrix.rb(), factors.lu, b);
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
    for_each::<T::Scalar>(size, n.saturating_add(rhs), |i, workspace, params| unsafe {
        let ([mut matrix, mut sides], pivots) = workspace.split([n, rhs]);
        load(a, i, matrix.rb_mut());
        let code = factor_with(matrix.rb_mut(), pivots, params);
        if code == 0 {
            load(b, i, sides.rb_mut());
            by_factors::solve_with(matrix.rb(), pivots, sides.rb_mut(), params);
        }
        at(status, i).write(judge(code, sides.rb_mut(), params));
        store(sides.rb(), x, i);
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
    for_each::<T::Scalar>(size, n.saturating_add(rhs), |i, workspace, params| unsafe {
        let ([matrix, mut sides], _) = workspace.split([n, rhs]);
        let code = at(factors.status, i).read();
        if code == 0 {
            let pivots = slice::from_raw_parts(at(factors.pivots, i * n), n);
            load(b, i, sides.rb_mut());
            match op {
                Op::None => by_factors::solve_with(in_columns(factors.lu, i, matrix), pivots, sides.rb_mut(), params),
                Op::Transpose | Op::Adjoint => {
                    // A^H X = B is A^T with the conjugates of X and B.
                    if op == Op::Adjoint {
                        conjugate(sides.rb_mut());
                    }
                    let matrix = in_columns(transposed(factors.lu), i, matrix);
                    by_factors::solve_transposed_with(matrix, pivots, sides.rb_mut(), params);
                    if op == Op::Adjoint {
                        conjugate(sides.rb_mut());
                    }
                }
            }
        }
        at(status, i).write(judge(code, sides.rb_mut(), params));
        store(sides.rb(), x, i);
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
    for_each::<T::Scalar>(size, n.saturating_mul(2), |b, workspace, params| unsafe {
        let ([mut matrix, inverse], pivots) = workspace.split([n, n]);
        load(a, b, matrix.rb_mut());
        let code = factor_with(matrix.rb_mut(), pivots, params);
        let code = invert_factors(matrix.rb(), pivots, code, inverse, |x| store(x, out, b), params);
        at(status, b).write(code);
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
    for_each::<T::Scalar>(size, n.saturating_mul(2), |b, workspace, params| unsafe {
        let ([mut matrix, inverse], _) = workspace.split([n, n]);
        load(factors.lu, b, matrix.rb_mut());
        let (pivots, code) = (slice::from_raw_parts(at(factors.pivots, b * n), n), at(factors.status, b).read());
        let code = invert_factors(matrix.rb(), pivots, code, inverse, |x| store(x, out, b), params);
        at(status, b).write(code);
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
    for_each::<T::Scalar>(size, n, |b, workspace, params| unsafe {
        let ([mut matrix], pivots) = workspace.split([n]);
        load(a, b, matrix.rb_mut());
        let code = factor_with(matrix.rb_mut(), pivots, params);
        let det = of_factors::determinant(matrix.rb(), pivots, code);
        at(phase, b).write(det.0);
        at(log_abs, b).write(det.1);
        at(status, b).write(code);
    })
}

/// As [`det`], from factors.
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn det_from_factors<S: CpuScalar>(
    factors: Factors<S>,
    phase: Global<S>,
    log_abs: Global<<S as Scalar>::Real>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<S>(size, n, |b, workspace, _| unsafe {
        let pivots = slice::from_raw_parts(at(factors.pivots, b * n), n);
        let ([mut matrix], _) = workspace.split([n]);
        load(factors.lu, b, matrix.rb_mut());
        let det = of_factors::determinant(matrix.rb(), pivots, at(factors.status, b).read());
        at(phase, b).write(det.0);
        at(log_abs, b).write(det.1);
    })
}

/// Works on each matrix, if there is memory for so many columns of it on each thread. Where there are more threads than matrices,
/// each is worked on by many.
fn for_each<S: CpuScalar>(
    size: Problem,
    columns: usize,
    one: impl Fn(usize, &mut Workspace<S>, Params) + Sync + Send,
) -> Result<()> {
    let (batch, n) = (size.batch as usize, size.n as usize);
    let threads = rayon::current_num_threads();
    let workspaces = Workspaces::new(threads.min(batch), n, columns)?;
    let params = Params { parallel: batch < threads, ..Params::default() };
    // Of small matrices, a thread takes some at a time.
    let some =
        if params.parallel { 1 } else { LEAST.div_ceil(n.saturating_mul(n).max(1)).min(batch.div_ceil(threads)) };
    (0..batch.div_ceil(some.max(1))).into_par_iter().for_each(|part| {
        let first = part * some;
        workspaces.with(|workspace| (first..batch.min(first + some)).for_each(|b| one(b, workspace, params)));
    });
    Ok(())
}

/// Judges a result from factors of status `code`: it becomes NaN where that is not 0 or the result is not finite. Returns its
/// status.
fn judge<S: CpuScalar>(code: i32, mut x: MatMut<'_, S>, params: Params) -> i32 {
    let code = if code == 0 && !is_finite(params.isa, x.rb()) { Status::NonFinite.code() } else { code };
    if code != 0 {
        x.fill(S::NAN);
    }
    code
}

/// Inverts from factors, has the inverse stored, or NaN, and returns the status.
fn invert_factors<S: CpuScalar>(
    factors: MatRef<'_, S>,
    pivots: &[u32],
    code: i32,
    mut x: MatMut<'_, S>,
    store: impl FnOnce(MatRef<'_, S>),
    params: Params,
) -> i32 {
    if code == 0 {
        inverse::invert_with(factors, pivots, x.rb_mut(), params);
    }
    let code = judge(code, x.rb_mut(), params);
    store(x.rb());
    code
}

/// Matrix b where it lies, if that is column by column, else copied to `room`.
///
/// # Safety
/// It is there, and nobody writes it for as long as the result is used.
unsafe fn in_columns<S: CpuScalar>(m: Matrices<S>, b: usize, mut room: MatMut<'_, S>) -> MatRef<'_, S> {
    let (n, along) = (room.nrows(), m.col_stride as isize);
    if m.row_stride == 1 && along >= n as isize {
        // SAFETY: the caller's promise.
        return unsafe { MatRef::from_raw_parts(start(m, b), n, n, 1, along) };
    }
    // SAFETY: the caller's promise.
    unsafe { load(m, b, room.rb_mut()) };
    room.into_const()
}

/// The transposed matrices.
fn transposed<T: Element>(m: Matrices<T>) -> Matrices<T> {
    Matrices { row_stride: m.col_stride, col_stride: m.row_stride, ..m }
}

fn conjugate<S: CpuScalar>(a: MatMut<'_, S>) {
    for column in a.col_iter_mut() {
        for x in column.iter_mut() {
            *x = Scalar::conj(*x);
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
        let refused = for_each::<f64>(size(1 << 20), 1 << 40, |_, _, _| unreachable!("there is no memory"));
        assert!(matches!(refused, Err(Error::HostMemory { .. } | Error::Shape(_))));
        assert!(for_each::<f64>(size(100), 107, |b, _, _| assert!(b < 3)).is_ok());
    }
}
