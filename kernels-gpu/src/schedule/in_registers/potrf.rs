//! Cholesky factorization, A = L L^H, in the registers of a thread group (`xPOTF2` of a lower triangle).
//!
//! Multipliers of a column are over its pivot, not its root, and the column is divided by the root when it has served:
//! so the next pivot waits for a shuffle, a reciprocal root and one update by the lane that has it.

use simt::math::Fused;
use simt::warp;

use crate::collective::thread_group::ThreadGroup;
use crate::numbers::scalar::{Real, Scalar};
use crate::numbers::vector::Vectorized;
use crate::operation::{NON_FINITE, PotrfArgs, not_positive};
use crate::schedule::in_registers::storage::SharedStorage;
use crate::schedule::in_registers::warp_matrices::WarpMatrices;

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

    let mut status = 0;
    for k in 0..N {
        if (k as u32) < n {
            eliminate(&group, multipliers.offset((k % 2 * N) as u32), &mut x, k, &mut status);
        }
    }
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

/// Eliminates column `k`; its multipliers go through `column`: shape (N).
#[inline(always)]
fn eliminate<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(
    group: &ThreadGroup<LANES>,
    column: simt::shared::Shared<T>,
    x: &mut [[T; N]; LANE_ROWS],
    k: usize,
    status: &mut i32,
) {
    let one = T::Real::from_f64(1.0);
    let pivot = group.broadcast(x[k / LANES][k].real(), (k % LANES) as u32);
    let root = if T::Real::MODERATE.contains(&pivot.to_words().0) {
        pivot.reciprocal_sqrt()
    } else {
        if *status == 0 && !(pivot > <T::Real as Scalar>::ZERO && pivot.is_finite()) {
            *status = if pivot.is_finite() { not_positive(k as u32 + 1) } else { NON_FINITE };
        }
        one / Fused::sqrt(pivot)
    };
    let (mut own, next) = ([T::ZERO; LANE_ROWS], (k + 1) % N);
    for r in 0..LANE_ROWS {
        let row = group.nth_row(r);
        own[r] = x[r][k].scale(root).scale(root).conj();
        if row < N as u32 {
            column.store(row, own[r]);
        }
        let rest = x[r][next].sub_mul(x[r][k], own[r]);
        x[r][next] = if next > k && row == next as u32 { rest } else { x[r][next] };
    }
    warp::sync(warp::ALL);
    let multipliers: [T; N] = T::load_row(column, next.max(k));
    for r in 0..LANE_ROWS {
        let row = group.nth_row(r);
        for c in k + 1..N {
            let rest = x[r][c].sub_mul(x[r][k], multipliers[c]);
            x[r][c] = if c == next && row == next as u32 { x[r][c] } else { rest };
        }
        let scaled = x[r][k].scale(root);
        x[r][k] = if row == k as u32 { T::from_real(pivot.root(root)) } else { scaled };
    }
}
