//! LU without interchanges, in the registers of a thread group. Pivots may be boosted.

use numbers::status::NON_FINITE;
use simt::hint::opaque;
use simt::shared::Shared;
use simt::warp;

use crate::collective::thread_group::ThreadGroup;
use crate::memory::vector::Vectorized;
use crate::operation::GetrfNopivArgs;
use crate::schedule::in_registers::getrf::{rotated, unrolled_columns};
use crate::schedule::in_registers::pivot::divide;
use crate::schedule::in_registers::storage::{SharedStorage, column, publish_pivot_row};
use crate::schedule::in_registers::warp_matrices::WarpMatrices;
use numbers::pivot::{Boost, larger};
use numbers::scalar::Scalar;

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn getrf_nopiv<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(args: GetrfNopivArgs<T>) {
    // Order N has code of its own, without comparisons with n and with constant addresses.
    if args.n == N as u32 {
        factor_matrices::<T, N, LANES, LANE_ROWS>(args, N as u32);
    } else {
        factor_matrices::<T, N, LANES, LANE_ROWS>(args, args.n);
    }
}

/// Factors this warp's matrices, of order `n`.
#[inline(always)]
fn factor_matrices<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(
    args: GetrfNopivArgs<T>,
    n: u32,
) {
    let group = ThreadGroup::<LANES>::new(args.first, args.end);
    let shared = SharedStorage::<T, N, LANES>::of_this_warp();
    let Some(source) = WarpMatrices::new(args.a, shared, n, args.first, args.end) else { return };
    let Some(target) = WarpMatrices::new(args.lu, shared, n, args.first, args.end) else { return };
    let mut x = source.load::<LANE_ROWS>(&group); // shape (LANE_ROWS, N)
    let boost = boost(&group, &x, args.threshold);

    let status = factor(&group, shared, &mut x, n, boost);
    let mut rows = [0; LANE_ROWS];
    for r in 0..LANE_ROWS {
        rows[r] = group.nth_row(r);
        for c in 0..N {
            x[r][c] = if status == 0 { x[r][c] } else { T::NAN };
        }
    }
    target.store(&group, &x, rows, None);
    for r in 0..LANE_ROWS {
        if group.active && rows[r] < n {
            args.pivots.store(group.matrix as i64 * n as i64 + rows[r] as i64, rows[r]);
        }
    }
    if group.active && group.row == 0 {
        args.status.store(group.matrix as i64, status);
    }
}

/// What becomes of small pivots of the group's matrix, of which `x` are this lane's rows.
#[inline(always)]
fn boost<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(
    group: &ThreadGroup<LANES>,
    x: &[[T; N]; LANE_ROWS],
    threshold: f64,
) -> Boost<T::Real> {
    let mut largest = T::Real::ZERO;
    if threshold > 0.0 {
        for r in 0..LANE_ROWS {
            for c in 0..N {
                largest = larger(largest, x[r][c].abs1());
            }
        }
        largest = group.largest(largest);
    }
    Boost::new(threshold, largest)
}

/// Factors the group's matrix, of which `x` are this lane's rows: its status. Overwrites the shared memory. As in
/// [`getrf`](super::getrf), `x` is rotated after every few columns, so that the same code serves the next ones.
#[inline(always)]
fn factor<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(
    group: &ThreadGroup<LANES>,
    shared: SharedStorage<T, N, LANES>,
    x: &mut [[T; N]; LANE_ROWS],
    n: u32,
    boost: Boost<T::Real>,
) -> i32 {
    let pivot_rows = shared.pivot_rows(group);
    let (unrolled, mut status) = (unrolled_columns(N), 0);
    let n = opaque(n); // with what LLVM knows of n, it would move `x` to local memory
    warp::sync(warp::ALL); // the pivot rows overwrite matrices that other lanes have read
    let mut first = 0;
    while first < opaque(N as u32) {
        for j in 0..unrolled {
            if first + (j as u32) < n {
                let pivot_row = pivot_rows.offset((j % 2 * N) as u32);
                eliminate(group, pivot_row, x, j, (first, n - first), boost, &mut status);
            }
        }
        for r in 0..LANE_ROWS {
            x[r] = rotated(&x[r], unrolled);
        }
        first += unrolled as u32;
    }
    warp::sync(warp::ALL); // what follows may overwrite the pivot rows
    status
}

/// Eliminates column `first + j`, which is column `j` of `x`. The matrix has `left` columns from `first` on.
#[inline(always)]
fn eliminate<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(
    group: &ThreadGroup<LANES>,
    pivot_row: Shared<T>,
    x: &mut [[T; N]; LANE_ROWS],
    j: usize,
    (first, left): (u32, u32),
    boost: Boost<T::Real>,
    status: &mut i32,
) {
    let (step, unrolled) = (first + j as u32, unrolled_columns(N));
    let mut is_pivot = [false; LANE_ROWS];
    for r in 0..LANE_ROWS {
        is_pivot[r] = group.nth_row(r) == step;
        x[r][j] = if is_pivot[r] { boost.apply(x[r][j]) } else { x[r][j] };
    }
    for part in (0..N).step_by(unrolled) {
        // With `break`, or a condition that LLVM sees through, it would keep a copy of the row for each exit.
        if part == 0 || (part as u32) < opaque(left) {
            let first_vector = if part == 0 { j } else { part } / T::VECTOR;
            publish_pivot_row(pivot_row, x, is_pivot, first_vector..(part + unrolled) / T::VECTOR);
        }
    }
    warp::sync(warp::ALL);

    let pivot = T::load_vector(pivot_row, (j / T::VECTOR) as u32)[j % T::VECTOR];
    if *status == 0 && !pivot.is_finite() {
        *status = NON_FINITE;
    }
    let mut l = divide(column(x, j), pivot, step, status);
    for r in 0..LANE_ROWS {
        let below = group.nth_row(r) > step;
        x[r][j] = if below { l[r] } else { x[r][j] };
        l[r] = if below { l[r] } else { T::ZERO };
    }
    for part in (0..N).step_by(unrolled) {
        if part > 0 && part as u32 >= left {
            break;
        }
        for v in part / T::VECTOR..(part + unrolled) / T::VECTOR {
            if (v + 1) * T::VECTOR > j + 1 {
                let u = T::load_vector(pivot_row, v as u32);
                for i in 0..T::VECTOR {
                    let c = v * T::VECTOR + i;
                    if c > j {
                        for r in 0..LANE_ROWS {
                            x[r][c] = x[r][c].sub_mul(l[r], u[i]);
                        }
                    }
                }
            }
        }
    }
}
