//! Batches in host memory, matrices in parallel over rayon's threads: for the CPU what kernels are for a GPU.

use std::slice;

use super::view::{MatMut, MatRef};
use numbers::det_product::DetParts;
use numbers::element::RealOf;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::factor::factor_with;
use super::finite::is_finite;
use super::one_by_one::for_each;
use super::params::Params;
use super::substitute_few::FEW;
use super::transfer::{at, copies_of, copies_of_lines, in_room, load, place, room_for, start, store, transposed};
use super::{det as of_factors, groups, inverse, solve as by_factors};
use crate::element::CpuScalar;
use crate::element::Element;
use crate::error::Result;
use numbers::factors::Factors;
use numbers::op::{Op, Substitutions};
use numbers::status::{NON_FINITE, side_not_finite};

/// PA = LU; `factors.lu` may be `a`.
///
/// # Safety
/// What is named lies in host memory, for the batch and of its sizes, apart from each other but for what may be the
/// same, and nobody else touches it meanwhile.
pub(crate) unsafe fn factor<T: Element>(a: Matrices<T>, factors: Factors<T::Scalar>, size: Problem) -> Result<()> {
    let n = size.n as usize;
    if groups::suit(n) {
        // SAFETY: the caller's promise.
        return unsafe { groups::factor(a, factors, size) };
    }
    let room = room_for(factors.lu, n);
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, room, n, |b, workspace, params| unsafe {
        let ([room], _) = workspace.split([room]);
        let pivots = slice::from_raw_parts_mut(at(factors.pivots, b * n), n);
        let (mut matrix, lies_there) = place(factors.lu, b, n, room);
        if !lies_there || start(a, b).addr() != start(factors.lu, b).addr() {
            load(a, b, matrix.rb_mut(), params);
        }
        at(factors.status, b).write(factor_with(matrix.rb_mut(), pivots, params));
        if !lies_there {
            store(matrix.rb(), factors.lu, b, params);
        }
    })
}

/// A X = B; `x` may be `b`. X is all NaN where the factors' status is not 0; solutions that are not finite become NaN, and
/// the status names the first of them.
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
    if groups::suit(n) {
        // SAFETY: the caller's promise.
        return unsafe { groups::solve(a, b, x, status, size) };
    }
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, n.saturating_add(rhs), n, |i, workspace, params| unsafe {
        let ([mut matrix, mut sides], pivots) = workspace.split([n, rhs]);
        load(a, i, matrix.rb_mut(), params);
        let code = factor_with(matrix.rb_mut(), pivots, params);
        if code == 0 {
            load(b, i, sides.rb_mut(), params);
            by_factors::solve_with(matrix.rb(), pivots, Op::None.into(), sides.rb_mut(), params);
        }
        at(status, i).write(judge_sides(code, sides.rb_mut(), params));
        store(sides.rb(), x, i, params);
    })
}

/// op(A) X = B from factors; `x` may be `b`, and `status` theirs. What is bad becomes NaN as in [`solve`]. Of a triangle
/// alone there are neither pivots nor statuses.
///
/// # Safety
/// As for [`factor`]; pivots are below n.
pub(crate) unsafe fn solve_from_factors<T: Element>(
    factors: Factors<T::Scalar>,
    how: Substitutions,
    (b, x): (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let (n, rhs) = (size.n as usize, size.rhs as usize);
    if groups::suits_factors(n, rhs) {
        // SAFETY: the caller's promise.
        return unsafe { groups::solve_from_factors(factors, how, (b, x), status, size) };
    }
    let lu = if how.transposed { transposed(factors.lu) } else { factors.lu };
    // Few sides use factors by rows as they lie.
    let copies = if rhs <= FEW { copies_of_lines(lu, n) } else { copies_of(lu, n) };
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, copies.saturating_add(rhs), rhs, |i, workspace, params| unsafe {
        let ([matrix, mut sides], _) = workspace.split([copies, rhs]);
        let code = if factors.status.is_null() { 0 } else { at(factors.status, i).read() };
        if code == 0 {
            let pivots = pivots_of(factors.pivots, i, 1, n);
            load(b, i, sides.rb_mut(), params);
            let matrix = in_room(lu, i, n, matrix, params);
            // The conjugate matrix has the conjugates of X and B.
            if how.conjugated {
                conjugate(sides.rb_mut());
            }
            by_factors::solve_with(matrix, pivots, how, sides.rb_mut(), params);
            if how.conjugated {
                conjugate(sides.rb_mut());
            }
        }
        at(status, i).write(judge_sides(code, sides.rb_mut(), params));
        store(sides.rb(), x, i, params);
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
    if groups::suit(n) {
        // SAFETY: the caller's promise.
        return unsafe { groups::invert(a, out, status, size) };
    }
    let room = room_for(out, n);
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, n.saturating_add(room), n, |b, workspace, params| unsafe {
        let ([mut matrix, room], pivots) = workspace.split([n, room]);
        load(a, b, matrix.rb_mut(), params);
        let code = factor_with(matrix.rb_mut(), pivots, params);
        at(status, b).write(invert_factors(matrix.rb(), pivots, code, (out, b), room, params));
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
    if groups::suit(n) {
        // SAFETY: the caller's promise.
        return unsafe { groups::invert_from_factors(factors, out, status, size) };
    }
    let (copies, room) = (copies_of(factors.lu, n), room_for(out, n));
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, copies.saturating_add(room), n, |b, workspace, params| unsafe {
        let ([matrix, room], _) = workspace.split([copies, room]);
        let matrix = in_room(factors.lu, b, n, matrix, params);
        let (pivots, code) = (slice::from_raw_parts(at(factors.pivots, b * n), n), at(factors.status, b).read());
        at(status, b).write(invert_factors(matrix, pivots, code, (out, b), room, params));
    })
}

/// Determinants.
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn det<T: Element>(
    a: Matrices<T>,
    det: DetParts<T::Scalar, RealOf<T>>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    if groups::suit(n) {
        // SAFETY: the caller's promise.
        return unsafe { groups::det(a, det, status, size) };
    }
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, n, n, |b, workspace, params| unsafe {
        let ([mut matrix], pivots) = workspace.split([n]);
        load(a, b, matrix.rb_mut(), params);
        let code = factor_with(matrix.rb_mut(), pivots, params);
        of_factors::write(det, b, of_factors::determinant(matrix.rb(), pivots, code));
        at(status, b).write(code);
    })
}

/// As [`det`], from factors.
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn det_from_factors<S: CpuScalar>(
    factors: Factors<S>,
    det: DetParts<S, <S as Scalar>::Real>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    let lu = factors.lu;
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<S>(size, 0, 1, |b, _, _| unsafe {
        let pivots = slice::from_raw_parts(at(factors.pivots, b * n), n);
        let matrix = MatRef::from_raw_parts(start(lu, b), n, n, lu.row_stride as isize, lu.col_stride as isize);
        of_factors::write(det, b, of_factors::determinant(matrix, pivots, at(factors.status, b).read()));
    })
}

/// The pivots of `count` matrices of order n from matrix `first` on; none, if there are none of any.
///
/// # Safety
/// If there are some, there are so many, and nobody writes them for as long as the result is used.
pub(super) unsafe fn pivots_of<'a>(pivots: Global<u32>, first: usize, count: usize, n: usize) -> &'a [u32] {
    if pivots.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(at(pivots, first * n), count * n) }
}

/// Judges a result from factors of status `code`: it becomes NaN where that is not 0 or the result is not finite.
/// Returns its status.
pub(super) fn judge<S: CpuScalar>(code: i32, mut x: MatMut<'_, S>, params: Params) -> i32 {
    let code = if code == 0 && !is_finite(x.rb(), params) { NON_FINITE } else { code };
    if code != 0 {
        x.fill(S::NAN);
    }
    code
}

/// Inverts from factors, writes the inverse, or NaN, to matrix b of `out`, and returns the status.
///
/// # Safety
/// Matrix b is there, apart from all else, and nobody else touches it.
unsafe fn invert_factors<T: Element>(
    factors: MatRef<'_, T::Scalar>,
    pivots: &[u32],
    code: i32,
    (out, b): (Matrices<T>, usize),
    room: MatMut<'_, T::Scalar>,
    params: Params,
) -> i32 {
    // SAFETY: the caller's promise.
    let (mut x, lies_there) = unsafe { place(out, b, pivots.len(), room) };
    if code == 0 {
        inverse::invert_with(factors, pivots, x.rb_mut(), params);
    }
    let code = judge(code, x.rb_mut(), params);
    if !lies_there {
        // SAFETY: the caller's promise.
        unsafe { store(x.rb(), out, b, params) };
    }
    code
}

/// As [`judge`], of solutions, each for itself.
pub(super) fn judge_sides<S: CpuScalar>(code: i32, mut x: MatMut<'_, S>, params: Params) -> i32 {
    if code != 0 || is_finite(x.rb(), params) {
        return judge(code, x, params);
    }
    let mut first_bad = None;
    for j in 0..x.ncols() {
        let mut column = x.rb_mut().split_at_col_mut(j).1.split_at_col_mut(1).0;
        if !is_finite(column.rb(), params) {
            column.fill(S::NAN);
            first_bad.get_or_insert(j as u32);
        }
    }
    first_bad.map_or(NON_FINITE, side_not_finite)
}

pub(super) fn conjugate<S: CpuScalar>(mut a: MatMut<'_, S>) {
    a.for_each(|x| *x = x.conj());
}
