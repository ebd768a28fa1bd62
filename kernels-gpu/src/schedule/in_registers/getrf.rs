//! LU with partial pivoting, in the registers of a thread group.

use numbers::status::NON_FINITE;
use simt::shared::Shared;
use simt::{hint, warp};

use crate::collective::pivot::Ties;
use crate::collective::thread_group::ThreadGroup;
use crate::memory::vector::Vectorized;
use crate::operation::GetrfArgs;
use crate::schedule::in_registers::pivot::{LaneRows, divide, first_largest};
use crate::schedule::in_registers::storage::{SharedStorage, column, publish_pivot_row};
use crate::schedule::in_registers::warp_matrices::WarpMatrices;
use numbers::scalar::Scalar;

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn getrf<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(args: GetrfArgs<T>) {
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
    args: GetrfArgs<T>,
    n: u32,
) {
    let group = ThreadGroup::<LANES>::new(args.first, args.end);
    let shared = SharedStorage::<T, N, LANES>::of_this_warp();
    let Some(source) = WarpMatrices::new(args.a, shared, n, args.first, args.end) else { return };
    let Some(target) = WarpMatrices::new(args.lu, shared, n, args.first, args.end) else { return };
    let mut x = source.load::<LANE_ROWS>(&group); // shape (LANE_ROWS, N)

    let factored = factor(&group, shared, &mut x, n);
    let finite = is_finite(&group, &x);

    let LaneRows { pivot_step, ipiv, .. } = factored.rows;
    target.store(&group, &x, pivot_step, None);
    for r in 0..LANE_ROWS {
        if group.active && group.nth_row(r) < n {
            args.pivots.store(group.matrix as i64 * n as i64 + pivot_step[r] as i64, ipiv[r]);
        }
    }
    if group.active && group.row == 0 {
        args.status.store(group.matrix as i64, if finite { factored.status } else { NON_FINITE });
    }
}

/// What is known of a factored matrix, besides its factors.
#[derive(Clone, Copy, Debug)]
pub struct Factored<const LANE_ROWS: usize> {
    /// The pivot step of each of this lane's rows, and LAPACK's pivot of that step.
    pub rows: LaneRows<LANE_ROWS>,
    /// 0, or k where the k-th pivot is the first exact zero.
    pub status: i32,
}

/// Columns that are eliminated by one piece of unrolled code, which then serves the next ones, too.
pub(super) const fn unrolled_columns(n: usize) -> usize {
    if n < 8 { n } else { 8 }
}

/// Factors the group's matrix, of which `x` are this lane's rows. Overwrites the shared memory.
///
/// After every `unrolled_columns`, `x` is rotated by as many, so that the same registers hold the next columns. In the
/// end all columns are back in place.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn factor<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(
    group: &ThreadGroup<LANES>,
    shared: SharedStorage<T, N, LANES>,
    x: &mut [[T; N]; LANE_ROWS],
    n: u32,
) -> Factored<LANE_ROWS> {
    let pivot_rows = shared.pivot_rows(group);
    let unrolled = unrolled_columns(N);
    let mut factored = Factored { rows: LaneRows::new(group, n, Ties::First), status: 0 };
    let n = hint::opaque(n); // with what LLVM knows of n, it would move `x` to local memory
    warp::sync(warp::ALL); // the pivot rows overwrite matrices that other lanes have read
    let mut first = 0;
    while first < hint::opaque(N as u32) {
        for j in 0..unrolled {
            if first + (j as u32) < n {
                eliminate(group, pivot_rows.offset((j % 2 * N) as u32), x, j, first, n - first, &mut factored);
            }
        }
        for r in 0..LANE_ROWS {
            x[r] = rotated(&x[r], unrolled);
        }
        first += unrolled as u32;
    }
    warp::sync(warp::ALL); // what follows may overwrite the pivot rows
    factored
}

/// Eliminates column `first + j`, which is column `j` of `x`. The matrix has `left` columns from `first` on.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn eliminate<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(
    group: &ThreadGroup<LANES>,
    pivot_row: Shared<T>,
    x: &mut [[T; N]; LANE_ROWS],
    j: usize,
    first: u32,
    left: u32,
    factored: &mut Factored<LANE_ROWS>,
) {
    let step = first + j as u32;
    let unrolled = unrolled_columns(N);
    let tag = first_largest(group, &factored.rows, column(x, j));
    let is_pivot = factored.rows.select_and_interchange(tag, step);
    for first in (0..N).step_by(unrolled) {
        // With `break`, or a condition that LLVM sees through, it would keep a copy of the row for each exit.
        if first == 0 || (first as u32) < hint::opaque(left) {
            let first_vector = if first == 0 { j } else { first } / T::VECTOR;
            publish_pivot_row(pivot_row, x, is_pivot, first_vector..(first + unrolled) / T::VECTOR);
        }
    }
    warp::sync(warp::ALL);

    let pivot = T::load_vector(pivot_row, (j / T::VECTOR) as u32)[j % T::VECTOR];
    let mut l = divide(column(x, j), pivot, step, &mut factored.status);
    for r in 0..LANE_ROWS {
        let below = factored.rows.is_candidate(r);
        x[r][j] = if below { l[r] } else { x[r][j] };
        l[r] = if below { l[r] } else { T::ZERO };
    }
    for first in (0..N).step_by(unrolled) {
        if first > 0 && first as u32 >= left {
            break;
        }
        for v in first / T::VECTOR..(first + unrolled) / T::VECTOR {
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

/// The elements moved to the front by so many places, the first ones to the end.
#[inline(always)]
#[must_use]
pub(super) fn rotated<T: Scalar, const N: usize>(x: &[T; N], by: usize) -> [T; N] {
    let mut y = [T::ZERO; N];
    for c in 0..N {
        y[c] = x[(c + by) % N];
    }
    y
}

/// Whether all elements of the group's rows are finite: 0 times a number is 0 only then.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn is_finite<T: Scalar, const N: usize, const LANES: usize, const LANE_ROWS: usize>(
    group: &ThreadGroup<LANES>,
    x: &[[T; N]; LANE_ROWS],
) -> bool {
    let mut zero = T::ZERO;
    for r in 0..LANE_ROWS {
        for c in 0..N {
            zero = zero.sub_mul(x[r][c], T::ZERO);
        }
    }
    group.ballot(zero != T::ZERO) == 0
}
