//! Cholesky factorization, A = L L^H, in the registers of a thread group (`xPOTF2` of a lower triangle).
//!
//! Multipliers of a column are over its pivot, not its root, and the column is divided by the root when it has served:
//! so the next pivot waits for a shuffle, a reciprocal root and one update by the lane that has it.

use numbers::status::{NON_FINITE, not_positive};
use simt::hint::opaque;
use simt::math::Fused;
use simt::shared::Shared;
use simt::warp;

use crate::collective::thread_group::ThreadGroup;
use crate::memory::vector::Vectorized;
use crate::operation::PotrfArgs;
use crate::schedule::in_registers::getrf::{rotated, unrolled_columns};
use crate::schedule::in_registers::storage::SharedStorage;
use crate::schedule::in_registers::warp_matrices::WarpMatrices;
use numbers::scalar::{Real, Scalar};

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn potrf<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(args: PotrfArgs<T>) {
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
    args: PotrfArgs<T>,
    n: u32,
) {
    let group = ThreadGroup::<LANES>::new(args.first, args.end);
    let shared = SharedStorage::<T, N, LANES>::of_this_warp();
    let Some(source) = WarpMatrices::new(args.a, shared, n, args.first, args.end) else { return };
    let Some(target) = WarpMatrices::new(args.l, shared, n, args.first, args.end) else { return };
    let mut x = source.load::<LANE_ROWS>(&group); // shape (LANE_ROWS, N)
    warp::sync(warp::ALL); // multipliers overwrite matrices that other lanes have read
    let multipliers = shared.pivot_rows(&group);

    let status = factor(&group, multipliers, &mut x, n);
    warp::sync(warp::ALL); // what follows may overwrite the multipliers
    let mut rows = [0; LANE_ROWS];
    for r in 0..LANE_ROWS {
        rows[r] = group.nth_row(r);
        for c in 0..N {
            let inside = if c as u32 > rows[r] { T::ZERO } else { x[r][c] };
            x[r][c] = if status == 0 { inside } else { T::NAN };
        }
    }
    target.store(&group, &x, rows, None);
    if group.active && group.row == 0 {
        args.status.store(group.matrix as i64, status);
    }
}

/// Factors the group's matrix, of which `x` are this lane's rows: its status. As in [`getrf`](super::getrf), `x` is
/// rotated after every few columns, so that the same code serves the next ones.
#[inline(always)]
fn factor<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(
    group: &ThreadGroup<LANES>,
    multipliers: Shared<T>,
    x: &mut [[T; N]; LANE_ROWS],
    n: u32,
) -> i32 {
    let (unrolled, mut status) = (unrolled_columns(N), 0);
    let n = opaque(n); // with what LLVM knows of n, it would move `x` to local memory
    let mut first = 0;
    while first < opaque(N as u32) {
        for j in 0..unrolled {
            if first + (j as u32) < n {
                eliminate(group, multipliers.offset((j % 2 * N) as u32), x, j, (first, n - first), &mut status);
            }
        }
        for r in 0..LANE_ROWS {
            x[r] = rotated(&x[r], unrolled);
        }
        first += unrolled as u32;
    }
    status
}

/// Eliminates column `first + j`, which is column `j` of `x`; its multipliers go through `column`: shape (N). The matrix
/// has `left` columns from `first` on.
#[inline(always)]
fn eliminate<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(
    group: &ThreadGroup<LANES>,
    column: Shared<T>,
    x: &mut [[T; N]; LANE_ROWS],
    j: usize,
    (first, left): (u32, u32),
    status: &mut i32,
) {
    let (step, unrolled) = (first + j as u32, unrolled_columns(N));
    let mut own = [T::ZERO; LANE_ROWS];
    let mut diagonal = x[0][j].real();
    for r in 1..LANE_ROWS {
        diagonal = if step >= (r * LANES) as u32 { x[r][j].real() } else { diagonal };
    }
    let pivot = group.broadcast(diagonal, step % LANES as u32);
    let root = if T::Real::MODERATE.contains(&pivot.to_words().0) {
        pivot.reciprocal_sqrt()
    } else {
        if *status == 0 && !(pivot > <T::Real as Scalar>::ZERO && pivot.is_finite()) {
            *status = if pivot.is_finite() { not_positive(step + 1) } else { NON_FINITE };
        }
        T::Real::from_f64(1.0) / Fused::sqrt(pivot)
    };
    // Multipliers in the order of the columns that they are for.
    let next = (j + 1) % N;
    for r in 0..LANE_ROWS {
        let row = group.nth_row(r);
        own[r] = x[r][j].scale(root).scale(root).conj();
        let place = row.wrapping_sub(first);
        if place < N as u32 {
            column.store(place, own[r]);
        }
        let rest = x[r][next].sub_mul(x[r][j], own[r]);
        x[r][next] = if next > j && row == step + 1 { rest } else { x[r][next] };
    }
    warp::sync(warp::ALL);
    for part in (0..N).step_by(unrolled) {
        if part > 0 && part as u32 >= left {
            break;
        }
        for v in part / T::VECTOR..(part + unrolled) / T::VECTOR {
            if (v + 1) * T::VECTOR > j + 1 {
                let multipliers = T::load_vector(column, v as u32);
                for i in 0..T::VECTOR {
                    let c = v * T::VECTOR + i;
                    if c > j {
                        for r in 0..LANE_ROWS {
                            let rest = x[r][c].sub_mul(x[r][j], multipliers[i]);
                            let is_done = c == next && group.nth_row(r) == step + 1;
                            x[r][c] = if is_done { x[r][c] } else { rest };
                        }
                    }
                }
            }
        }
    }
    for r in 0..LANE_ROWS {
        let scaled = x[r][j].scale(root);
        x[r][j] = if group.nth_row(r) == step { T::from_real(pivot.root(root)) } else { scaled };
    }
}
