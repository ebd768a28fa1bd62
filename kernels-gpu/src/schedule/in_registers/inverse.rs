//! Inversion for n <= 32: Gauss-Jordan elimination in place, in the registers of a thread group.
//!
//! Pivot rows are divided by their pivots only at the end, so that each step treats all other rows alike. The columns
//! rotate by one a step: the current one is always the first, and the column that replaces it becomes the last.

use simt::{hint, warp};

use crate::collective::pivot::Ties;
use crate::collective::thread_group::ThreadGroup;
use crate::memory::vector::Vectorized;
use crate::operation::InverseArgs;
use crate::schedule::in_registers::getrf::is_finite;
use crate::schedule::in_registers::pivot::{LaneRows, divide, nearly_largest};
use crate::schedule::in_registers::storage::{SharedStorage, column, publish_pivot_row};
use crate::schedule::in_registers::warp_matrices::WarpMatrices;
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn inverse<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(args: InverseArgs<T>) {
    // Order N has code of its own, without comparisons with n and with constant addresses.
    if args.n == N as u32 {
        invert_matrices::<T, N, LANES, LANE_ROWS>(args, N as u32);
    } else {
        invert_matrices::<T, N, LANES, LANE_ROWS>(args, args.n);
    }
}

/// Inverts this warp's matrices, of order `n`.
#[inline(always)]
fn invert_matrices<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(
    args: InverseArgs<T>,
    n: u32,
) {
    let group = ThreadGroup::<LANES>::new(args.first, args.end);
    let shared = SharedStorage::<T, N, LANES>::of_this_warp();
    let Some(source) = WarpMatrices::new(args.a, shared, n, args.first, args.end) else { return };
    let Some(target) = WarpMatrices::new(args.inverse, shared, n, args.first, args.end) else { return };
    let mut x = source.load::<LANE_ROWS>(&group); // shape (LANE_ROWS, N)
    let pivot_rows = shared.pivot_rows(&group);
    warp::sync(warp::ALL); // they overwrite matrices that other lanes have read

    let mut rows = LaneRows::<LANE_ROWS>::new(&group, n, Ties::Last);
    let mut pivot = [T::ONE; LANE_ROWS]; // of each row
    let mut status = 0;
    let mut k = 0;
    while k < hint::opaque(n) {
        let current = column(&x, 0);
        let tag = nearly_largest(&group, &rows, current);
        let is_pivot = rows.select(tag, k);
        let pivot_row = pivot_rows.offset(k % 2 * N as u32);
        publish_pivot_row(pivot_row, &x, is_pivot, 0..N / T::VECTOR);
        warp::sync(warp::ALL);

        let mut l = divide(current, T::load_vector(pivot_row, 0)[0], k, &mut status);
        let mut last = [T::ONE; LANE_ROWS]; // the column of the inverse
        for r in 0..LANE_ROWS {
            pivot[r] = if is_pivot[r] { current[r] } else { pivot[r] };
            last[r] = if is_pivot[r] { T::ONE } else { -l[r] };
            l[r] = if is_pivot[r] { T::ZERO } else { l[r] };
        }
        for v in 0..N / T::VECTOR {
            let u = T::load_vector(pivot_row, v as u32);
            for i in 0..T::VECTOR {
                let c = v * T::VECTOR + i;
                if c > 0 {
                    for r in 0..LANE_ROWS {
                        x[r][c - 1] = x[r][c].sub_mul(l[r], u[i]);
                    }
                }
            }
        }
        for r in 0..LANE_ROWS {
            x[r][N - 1] = last[r];
        }
        k += 1;
    }

    for r in 0..LANE_ROWS {
        divide_row(&mut x[r], pivot[r]);
    }
    // A row divided by an infinite pivot is finite.
    let mut finite = is_finite(&group, &x);
    for r in 0..LANE_ROWS {
        finite &= is_finite(&group, &[[pivot[r]]]);
    }
    if !finite {
        status = NON_FINITE;
    }

    if status != 0 {
        for r in 0..LANE_ROWS {
            replace(&mut x[r], |_| T::NAN);
        }
    }
    let order = shared.pivot_order(&group, &rows, n); // its barrier also lets the matrices overwrite the pivot rows
    // The pivot row of step k is row k of the inverse, and column k belongs to that row of A.
    target.store(&group, &x, rows.pivot_step, Some(order));
    if group.active && group.row == 0 {
        args.status.store(group.matrix as i64, status);
    }
}

/// Divides a row by its pivot, unless that is 0.
#[inline(always)]
pub fn divide_row<T: Scalar, const N: usize>(x: &mut [T; N], pivot: T) {
    if pivot.is_moderate() {
        let reciprocal = pivot.reciprocal();
        for c in 0..N {
            x[c] = x[c] * reciprocal;
        }
    } else {
        let divisor = (if pivot == T::ZERO { T::ONE } else { pivot }).divisor();
        replace(x, |element| element.divide(divisor));
    }
}

/// Replaces each element, in a loop that is not unrolled: for rare cases.
#[inline(always)]
fn replace<T: Scalar, const N: usize>(x: &mut [T; N], by: impl Fn(T) -> T) {
    let mut c = 0;
    while c < hint::opaque(N as u32) {
        let element = by(x[0]);
        for i in 1..N {
            x[i - 1] = x[i];
        }
        x[N - 1] = element;
        c += 1;
    }
}
