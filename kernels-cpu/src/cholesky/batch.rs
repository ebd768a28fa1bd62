//! Batches of positive definite matrices in host memory, in parallel over rayon's threads: for the CPU what kernels are
//! for a GPU.

use numbers::det_product::{DetParts, LogProduct};
use numbers::element::RealOf;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::factor::{factor_alone, factor_with};
use super::groups;
use super::inverse::invert_with;
use super::mirror::mirror;
use crate::batch::{conjugate, judge, judge_sides};
use crate::det::write;
use crate::element::{CpuScalar, Element};
use crate::error::Result;
use crate::groups::{suit, suits_factors};
use crate::one_by_one::for_each;
use crate::params::Params;
use crate::substitute_apart::solve_for_sides;
use crate::substitute_few::FEW;
use crate::transfer::{at, copies_of_lines, in_room, load, place, room_for, start, store, transposed};
use crate::triangle::{Diagonal, Triangle};
use crate::view::{MatMut, MatRef};
use numbers::factors::CholeskyFactors;

/// A = L L^H; `factors.l` may be `a`.
///
/// # Safety
/// What is named lies in host memory, for the batch and of its sizes, apart from each other but for what may be the
/// same, and nobody else touches it meanwhile.
pub(crate) unsafe fn factor<T: Element>(
    a: Matrices<T>,
    factors: CholeskyFactors<T::Scalar>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    if suit(n) {
        // SAFETY: the caller's promise.
        return unsafe { groups::factor(a, factors, size) };
    }
    let CholeskyFactors { l, status } = factors;
    // Apart from A, a factor by rows is found where it will lie.
    let is_apart = a.pointers.is_null() && l.pointers.is_null() && a.base.address() != l.base.address();
    let is_transposed = is_apart && room_for(l, n) > 0 && room_for(transposed(l), n) == 0;
    let place_of = if is_transposed { transposed(l) } else { l };
    let room = room_for(place_of, n);
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, room, n, |b, workspace, params| unsafe {
        let ([room], _) = workspace.split([room]);
        let (mut matrix, lies_there) = place(place_of, b, n, room);
        if !lies_there || start(a, b).addr() != start(l, b).addr() {
            load(a, b, matrix.rb_mut(), params);
        }
        at(status, b).write(factor_alone(matrix.rb_mut(), is_transposed, params));
        if !lies_there {
            store(matrix.rb(), l, b, params);
        }
    })
}

/// Matrices put together from the lower triangles of some, with the diagonals, and the upper ones of others. `to` may be
/// either.
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn put_together<T: Element>(
    (lower, upper): (Matrices<T>, Matrices<T>),
    to: Matrices<T>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    for_each::<T::Scalar>(size, 0, n, |b, _, _| {
        // SAFETY: the caller's promise; threads have matrices of their own.
        let [first_lower, first_upper, first_to] = [lower, upper, to].map(|m| unsafe { start(m, b) });
        let at = |first: *mut T, m: Matrices<T>, (i, j): (usize, usize)| {
            first.wrapping_offset(i as isize * m.row_stride as isize + j as isize * m.col_stride as isize)
        };
        for (first, from, is_lower) in [(first_lower, lower, true), (first_upper, upper, false)] {
            if first == first_to {
                continue; // they lie there alike
            }
            for j in 0..n {
                let rows = if is_lower { j..n } else { 0..j };
                // SAFETY: the same.
                rows.for_each(|i| unsafe { at(first_to, to, (i, j)).write(at(first, from, (i, j)).read()) });
            }
        }
    })
}

/// A X = B, or, `conjugated`, conj(A) X = B; `x` may be `b`. X is all NaN where the factors' status is not 0; solutions
/// that are not finite become NaN, and the status names the first of them.
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn solve<T: Element>(
    a: Matrices<T>,
    conjugated: bool,
    (b, x): (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let (n, rhs) = (size.n as usize, size.rhs as usize);
    if suit(n) {
        // SAFETY: the caller's promise.
        return unsafe { groups::solve(a, conjugated, (b, x), status, size) };
    }
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, n.saturating_add(rhs), n, |i, workspace, params| unsafe {
        let ([mut matrix, mut sides], _) = workspace.split([n, rhs]);
        load(a, i, matrix.rb_mut(), params);
        let code = factor_with(matrix.rb_mut(), params);
        if code == 0 {
            load(b, i, sides.rb_mut(), params);
            solve_with(matrix.rb(), conjugated, sides.rb_mut(), params);
        }
        at(status, i).write(judge_sides(code, sides.rb_mut(), params));
        store(sides.rb(), x, i, params);
    })
}

/// As [`solve`], from factors; `status` may be theirs.
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn solve_from_factors<T: Element>(
    factors: CholeskyFactors<T::Scalar>,
    conjugated: bool,
    (b, x): (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let (n, rhs) = (size.n as usize, size.rhs as usize);
    if suits_factors(n, rhs) {
        // SAFETY: the caller's promise.
        return unsafe { groups::solve_from_factors(factors, conjugated, (b, x), status, size) };
    }
    // Few sides use factors as they lie, by columns for L and by rows for L^T, or the other way round.
    let are_few = rhs <= FEW;
    let copies = if are_few { copies_of_lines(factors.l, n) } else { n };
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, copies.saturating_add(rhs), rhs, |i, workspace, params| unsafe {
        let ([mut matrix, mut sides], _) = workspace.split([copies, rhs]);
        let code = at(factors.status, i).read();
        if code == 0 {
            load(b, i, sides.rb_mut(), params);
            if are_few {
                solve_few(in_room(factors.l, i, n, matrix, params), conjugated, sides.rb_mut(), params);
            } else {
                load(factors.l, i, matrix.rb_mut(), params);
                mirror(matrix.rb_mut(), params);
                solve_with(matrix.rb(), conjugated, sides.rb_mut(), params);
            }
        }
        at(status, i).write(judge_sides(code, sides.rb_mut(), params));
        store(sides.rb(), x, i, params);
    })
}

/// A^-1, both triangles; `out` may be `a`. It is all NaN where the status is not 0.
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
    if suit(n) {
        // SAFETY: the caller's promise.
        return unsafe { groups::invert(a, out, status, size) };
    }
    let room = room_for(out, n);
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, n.saturating_add(room), n, |b, workspace, params| unsafe {
        let ([mut matrix, room], _) = workspace.split([n, room]);
        load(a, b, matrix.rb_mut(), params);
        let code = factor_with(matrix.rb_mut(), params);
        at(status, b).write(invert_factors(matrix, code, (out, b), room, params));
    })
}

/// As [`invert`], from factors; `status` may be theirs.
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn invert_from_factors<T: Element>(
    factors: CholeskyFactors<T::Scalar>,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    if suit(n) {
        // SAFETY: the caller's promise.
        return unsafe { groups::invert_from_factors(factors, out, status, size) };
    }
    let room = room_for(out, n);
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, n.saturating_add(room), n, |b, workspace, params| unsafe {
        let ([mut matrix, room], _) = workspace.split([n, room]);
        let code = at(factors.status, b).read();
        if code == 0 {
            load(factors.l, b, matrix.rb_mut(), params);
            mirror(matrix.rb_mut(), params);
        }
        at(status, b).write(invert_factors(matrix, code, (out, b), room, params));
    })
}

/// Determinants; NaN where the status is not 0.
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
    if suit(n) {
        // SAFETY: the caller's promise.
        return unsafe { groups::det(a, det, status, size) };
    }
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, n, n, |b, workspace, params| unsafe {
        let ([mut matrix], _) = workspace.split([n]);
        load(a, b, matrix.rb_mut(), params);
        let code = factor_with(matrix.rb_mut(), params);
        write(det, b, determinant(matrix.rb(), code));
        at(status, b).write(code);
    })
}

/// As [`det`], from factors.
///
/// # Safety
/// As for [`factor`].
pub(crate) unsafe fn det_from_factors<S: CpuScalar>(
    factors: CholeskyFactors<S>,
    det: DetParts<S, <S as Scalar>::Real>,
    size: Problem,
) -> Result<()> {
    let (n, CholeskyFactors { l, status }) = (size.n as usize, factors);
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<S>(size, 0, 1, |b, _, _| unsafe {
        let matrix = MatRef::from_raw_parts(start(l, b), n, n, l.row_stride as isize, l.col_stride as isize);
        write(det, b, determinant(matrix, at(status, b).read()));
    })
}

/// The determinant from A's factors, or NaN.
fn determinant<S: CpuScalar>(l: MatRef<'_, S>, code: i32) -> LogProduct {
    if code != 0 {
        return LogProduct::NAN;
    }
    let product = (0..l.nrows()).fold(LogProduct::ONE, |product, k| product.times(l[(k, k)].to_c64()));
    // Of L and of L^H.
    product.combine(product)
}

/// Overwrites `b` with the solution of A X = B, or of the conjugate matrix's system, from L with L^H above.
fn solve_with<S: CpuScalar>(factors: MatRef<'_, S>, conjugated: bool, mut b: MatMut<'_, S>, params: Params) {
    if conjugated {
        conjugate(b.rb_mut());
    }
    solve_for_sides(factors, Triangle::Lower, Diagonal::Stored, b.rb_mut(), params);
    solve_for_sides(factors, Triangle::Upper, Diagonal::Stored, b.rb_mut(), params);
    if conjugated {
        conjugate(b);
    }
}

/// As [`solve_with`], for few right-hand sides, from L alone, which may lie by rows or by columns.
fn solve_few<S: CpuScalar>(l: MatRef<'_, S>, conjugated: bool, mut b: MatMut<'_, S>, params: Params) {
    if conjugated {
        conjugate(b.rb_mut());
    }
    solve_for_sides(l, Triangle::Lower, Diagonal::Stored, b.rb_mut(), params);
    // L^H X = Y is L^T with the conjugates of X and Y.
    conjugate(b.rb_mut());
    solve_for_sides(l.transpose(), Triangle::Upper, Diagonal::Stored, b.rb_mut(), params);
    if !conjugated {
        conjugate(b);
    }
}

/// Inverts from L and L^H, whose place is room for more, writes the inverse, or NaN, to matrix b of `out`, and returns
/// the status.
///
/// # Safety
/// Matrix b is there, apart from all else, and nobody else touches it.
unsafe fn invert_factors<T: Element>(
    factors: MatMut<'_, T::Scalar>,
    code: i32,
    (out, b): (Matrices<T>, usize),
    room: MatMut<'_, T::Scalar>,
    params: Params,
) -> i32 {
    // SAFETY: the caller's promise.
    let (mut x, lies_there) = unsafe { place(out, b, factors.ncols(), room) };
    if code == 0 {
        invert_with(factors, x.rb_mut(), params);
    }
    let code = judge(code, x.rb_mut(), params);
    if !lies_there {
        // SAFETY: the caller's promise.
        unsafe { store(x.rb(), out, b, params) };
    }
    code
}
