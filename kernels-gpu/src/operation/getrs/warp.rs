//! Solve for n <= 32 in registers: `N` lanes per matrix, one row of the factors each.

use simt::warp;

use crate::collective::permutation;
use crate::collective::thread_group::ThreadGroup;
use crate::operation::GetrsArgs;
use numbers::matrix::View;
use numbers::scalar::Scalar;
use numbers::status::{NON_FINITE, side_not_finite};

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn getrs<T: Scalar, const N: usize>(args: GetrsArgs<T>) {
    solve::<T, N, false>(args);
}

/// The same for a triangle alone, whose status it finds, too.
#[inline(always)]
pub fn trtrs<T: Scalar, const N: usize>(args: GetrsArgs<T>) {
    solve::<T, N, true>(args);
}

#[inline(always)]
fn solve<T: Scalar, const N: usize, const IS_TRIANGLE: bool>(args: GetrsArgs<T>) {
    let n = args.n;
    let (forward, backward) = args.substitutions::<IS_TRIANGLE>();
    let transposed = args.transposed != 0;
    let group = ThreadGroup::<N>::new(args.first, args.end);
    let b = group.matrix as i64;
    let has_row = group.active && group.row < n;

    // The transposed factors are triangular, too, but the unit diagonal is the upper one's.
    let lu = args.lu.matrix(group.matrix);
    let mut x = group.load_row(&if transposed { lu.transposed() } else { lu }, n); // row of op(LU): shape (N)
    if args.conjugated != 0 {
        for c in 0..N {
            x[c] = x[c].conj();
        }
    }
    let mut diagonal = T::ONE;
    for c in 0..N {
        if group.row == c as u32 {
            diagonal = x[c];
        }
    }
    let (row, mut status) = if IS_TRIANGLE {
        (group.row, triangle_status(&group, &x, (diagonal, !args.is_unit()), forward, n))
    } else {
        let pivot = if has_row { args.pivots.load(b * n as i64 + group.row as i64) } else { group.row };
        let row = permutation::row_by_group(&group, pivot, n);
        (row, if group.active { args.lu_status.load(b) } else { 0 })
    };
    let diagonal = diagonal.divisor();
    let failed = status != 0;

    let (from, to) = (args.b.matrix(group.matrix), args.x.matrix(group.matrix));
    let mut column = 0;
    while column < args.rhs {
        let mut y = T::ZERO;
        if has_row {
            y = from.load(if transposed { group.row } else { row }, column);
        }
        for k in 0..N {
            if (k as u32) < n && forward {
                if transposed && group.row == k as u32 {
                    y = y.divide(diagonal);
                }
                let y_k = group.broadcast(y, k as u32);
                if group.row > k as u32 {
                    y = y.sub_mul(x[k], y_k);
                }
            }
        }
        for k in (0..N).rev() {
            if (k as u32) < n && backward {
                if !transposed && group.row == k as u32 {
                    y = y.divide(diagonal);
                }
                let y_k = group.broadcast(y, k as u32);
                if group.row < k as u32 {
                    y = y.sub_mul(x[k], y_k);
                }
            }
        }
        let is_bad = group.any(has_row && !y.is_finite()) || failed; // a vote of all lanes
        if status == 0 && is_bad {
            status = side_not_finite(column);
        }
        warp::sync(warp::ALL); // `x` may be `b`, and rows are permuted
        if has_row {
            to.store(if transposed { row } else { group.row }, column, if is_bad { T::NAN } else { y });
        }
        column += 1;
    }
    if group.active && group.row == 0 {
        args.status.store(b, status);
    }
}

/// The status of a triangle, of whose rows the lanes have one each: the first zero on the diagonal, counted from 1, if
/// that is stored, or that it is not finite.
#[inline(always)]
fn triangle_status<T: Scalar, const N: usize>(
    group: &ThreadGroup<N>,
    x: &[T; N],
    (diagonal, is_stored): (T, bool),
    is_lower: bool,
    n: u32,
) -> i32 {
    let has_row = group.active && group.row < n;
    let mut is_finite = !is_stored || diagonal.is_finite();
    for c in 0..N {
        let is_inside = if is_lower { (c as u32) < group.row } else { c as u32 > group.row };
        is_finite &= !is_inside || x[c].is_finite(); // zeros from column n on
    }
    let zeros = group.ballot(has_row && is_stored && diagonal == T::ZERO);
    let is_bad = group.any(has_row && !is_finite);
    match (zeros, is_bad) {
        (0, false) => 0,
        (0, true) => NON_FINITE,
        _ => zeros.trailing_zeros() as i32 + 1,
    }
}
