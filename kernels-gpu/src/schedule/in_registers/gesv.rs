//! Factorization and solution for n <= 32. The factors stay in registers, rows where they were.
//!
//! For each right-hand side a lane holds the elements of its rows, and the group substitutes forward and back.

use simt::shared::Shared;
use simt::warp;

use crate::collective::thread_group::ThreadGroup;
use crate::memory::vector::Vectorized;
use crate::operation::GesvArgs;
use crate::schedule::in_registers::getrf::{factor, is_finite};
use crate::schedule::in_registers::storage::SharedStorage;
use crate::schedule::in_registers::warp_matrices::WarpMatrices;
use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::Scalar;
use numbers::status::{NON_FINITE, side_not_finite};

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn gesv<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(args: GesvArgs<T>) {
    // Order N has code of its own, without comparisons with n and with constant addresses.
    if args.n == N as u32 {
        solve_systems::<T, N, LANES, LANE_ROWS>(args, N as u32);
    } else {
        solve_systems::<T, N, LANES, LANE_ROWS>(args, args.n);
    }
}

/// Solves this warp's systems, of order `n`.
#[inline(always)]
fn solve_systems<T: Vectorized, const N: usize, const LANES: usize, const LANE_ROWS: usize>(args: GesvArgs<T>, n: u32) {
    let group = ThreadGroup::<LANES>::new(args.first, args.end);
    let shared = SharedStorage::<T, N, LANES>::of_this_warp();
    let Some(source) = WarpMatrices::new(args.a, shared, n, args.first, args.end) else { return };
    let mut x = source.load::<LANE_ROWS>(&group); // shape (LANE_ROWS, N)

    let factored = factor(&group, shared, &mut x, n);
    let mut status = if is_finite(&group, &x) { factored.status } else { NON_FINITE };
    let order = shared.pivot_order(&group, &factored.rows, n);
    let factors = Factors { group, x, pivot_step: factored.rows.pivot_step, order, n };
    let diagonal = factors.diagonal();

    let (b, solution) = (args.b.matrix(group.matrix), args.x.matrix(group.matrix));
    let failed = status != 0;
    let mut column = 0;
    while column < args.rhs {
        let mut y = [T::ZERO; LANE_ROWS]; // elements of this lane's rows
        for r in 0..LANE_ROWS {
            if group.active && group.nth_row(r) < n {
                y[r] = b.load(group.nth_row(r), column);
            }
        }
        factors.forward(&mut y);
        factors.backward(&mut y, diagonal);
        let mut own = [[T::ZERO]; LANE_ROWS];
        for r in 0..LANE_ROWS {
            own[r] = [y[r]];
        }
        let is_bad = !is_finite(&group, &own) || failed; // a vote of all lanes
        if status == 0 && is_bad {
            status = side_not_finite(column);
        }
        for r in 0..LANE_ROWS {
            y[r] = if is_bad { T::NAN } else { y[r] };
        }
        warp::sync(warp::ALL); // `x` may be `b`, and rows are permuted
        factors.store(&solution, column, &y);
        column += 1;
    }
    if group.active && group.row == 0 {
        args.status.store(group.matrix as i64, status);
    }
}

/// A group's factors, rows where they were.
struct Factors<T, const N: usize, const LANES: usize, const LANE_ROWS: usize> {
    group: ThreadGroup<LANES>,
    /// This lane's rows; shape (LANE_ROWS, N).
    x: [[T; N]; LANE_ROWS],
    /// Which rows of the factors they are.
    pivot_step: [u32; LANE_ROWS],
    /// Which row is row k of the factors; shape (N).
    order: Shared<u32>,
    n: u32,
}

impl<T: Scalar, const N: usize, const LANES: usize, const LANE_ROWS: usize> Factors<T, N, LANES, LANE_ROWS> {
    /// Stores a column of the solution.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, x: &GlobalMatrix<T>, column: u32, y: &[T; LANE_ROWS]) {
        for r in 0..LANE_ROWS {
            if self.group.active && self.group.nth_row(r) < self.n {
                x.store(self.pivot_step[r], column, y[r]);
            }
        }
    }

    /// The diagonal elements of this lane's rows.
    #[inline(always)]
    fn diagonal(&self) -> [T; LANE_ROWS] {
        let mut diagonal = [T::ONE; LANE_ROWS];
        for r in 0..LANE_ROWS {
            for c in 0..N {
                diagonal[r] = if self.pivot_step[r] == c as u32 { self.x[r][c] } else { diagonal[r] };
            }
        }
        diagonal
    }

    /// The rows that are rows `k..k + 4` of the factors; k is a multiple of 4.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn rows(&self, k: usize) -> [u32; 4] {
        self.order.vectors::<4>().load(k as u32 / 4).0
    }

    /// The element of row `row` of a distributed vector.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn element(&self, y: &[T; LANE_ROWS], row: u32) -> T {
        let mut own = y[0];
        for r in 1..LANE_ROWS {
            own = if row / LANES as u32 == r as u32 { y[r] } else { own };
        }
        self.group.broadcast(own, row % LANES as u32)
    }

    /// Solves L z = y in place.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn forward(&self, y: &mut [T; LANE_ROWS]) {
        for first in (0..N).step_by(4) {
            let rows = self.rows(first);
            for k in first..first + 4 {
                if (k as u32) < self.n {
                    let y_k = self.element(y, rows[k - first]);
                    for r in 0..LANE_ROWS {
                        y[r] = if self.pivot_step[r] > k as u32 { y[r].sub_mul(self.x[r][k], y_k) } else { y[r] };
                    }
                }
            }
        }
    }

    /// Solves U z = y in place, where U has this diagonal.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn backward(&self, y: &mut [T; LANE_ROWS], diagonal: [T; LANE_ROWS]) {
        let mut reciprocals = [T::ONE; LANE_ROWS];
        for r in 0..LANE_ROWS {
            reciprocals[r] = diagonal[r].reciprocal();
        }
        for first in (0..N).step_by(4).rev() {
            let rows = self.rows(first);
            for k in (first..first + 4).rev() {
                if (k as u32) < self.n {
                    let mut quotients = *y;
                    for r in 0..LANE_ROWS {
                        let is_moderate = diagonal[r].is_moderate();
                        quotients[r] =
                            if is_moderate { y[r] * reciprocals[r] } else { y[r].divide(diagonal[r].divisor()) };
                    }
                    let y_k = self.element(&quotients, rows[k - first]);
                    for r in 0..LANE_ROWS {
                        y[r] = if self.pivot_step[r] < k as u32 { y[r].sub_mul(self.x[r][k], y_k) } else { y[r] };
                        y[r] = if self.pivot_step[r] == k as u32 { y_k } else { y[r] };
                    }
                }
            }
        }
    }
}
