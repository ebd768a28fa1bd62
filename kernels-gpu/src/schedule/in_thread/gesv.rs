//! Factorization and solution, a matrix a thread. The factors stay in its registers.

use crate::memory::vector::Vectorized;
use crate::operation::GesvArgs;
use crate::schedule::in_thread::eliminate::{interchange, is_finite, rows};
use crate::schedule::in_thread::getrf::factor;
use crate::schedule::in_thread::lane_matrices::LaneMatrices;
use crate::schedule::in_thread::{LaneMatrix, with_order};
use numbers::scalar::Scalar;
use numbers::status::{NON_FINITE, side_not_finite};

/// The body of the kernel.
#[inline(always)]
pub fn gesv<T: Vectorized>(args: GesvArgs<T>) {
    with_order!(args.n, N, K => solve_systems::<T, N, K>(args));
}

#[inline(always)]
fn solve_systems<T: Vectorized, const N: usize, const K: usize>(args: GesvArgs<T>) {
    let Some(lane) = LaneMatrix::new(args.first, args.end) else { return };
    let source = LaneMatrices::<T, N, K>::new(args.a, N as u32, lane);
    let sides = LaneMatrices::<T, N, N>::new(args.b, args.rhs, lane);
    let solutions = LaneMatrices::<T, N, N>::new(args.x, args.rhs, lane);
    let held = source.request(0);
    let mut held_side = if args.rhs > 0 { sides.request(0) } else { [[T::ZERO; 4]; N] };
    let mut x = rows(&source.receive(&held)); // shape (N, N)

    let (pivots, mut status) = factor::<T, N>(&mut x);
    status = if is_finite(&x) { status } else { NON_FINITE };
    let is_moderate = invert_diagonal(&mut x);

    let failed = status != 0;
    let mut column = 0;
    while column < args.rhs {
        let mut y = sides.receive(&held_side);
        for k in 0..N {
            interchange(&mut y, k, pivots[k]);
        }
        substitute(&x, is_moderate, &mut y);
        let is_bad = failed || !is_finite(&[y]);
        if status == 0 && is_bad {
            status = side_not_finite(column);
        }
        for k in 0..N {
            y[k] = if is_bad { T::NAN } else { y[k] };
        }
        solutions.store(column, &y);
        column += 1;
        if column < args.rhs {
            held_side = sides.request(column);
        }
    }
    if lane.active {
        args.status.store(lane.matrix as i64, status);
    }
}

/// Replaces moderate elements of the diagonal by their reciprocals. Returns which are.
#[inline(always)]
fn invert_diagonal<T: Scalar, const N: usize>(x: &mut [[T; N]; N]) -> [bool; N] {
    let mut is_moderate = [false; N];
    for k in 0..N {
        is_moderate[k] = x[k][k].is_moderate();
        x[k][k] = if is_moderate[k] { x[k][k].reciprocal() } else { x[k][k] };
    }
    is_moderate
}

/// Solves L U z = y in place, where moderate elements of U's diagonal have been inverted.
#[inline(always)]
fn substitute<T: Scalar, const N: usize>(x: &[[T; N]; N], is_moderate: [bool; N], y: &mut [T; N]) {
    for k in 0..N {
        for i in k + 1..N {
            y[i] = y[i].sub_mul(x[i][k], y[k]);
        }
    }
    for k in (0..N).rev() {
        y[k] = if is_moderate[k] { y[k] * x[k][k] } else { y[k].divide(x[k][k].divisor()) };
        for i in 0..k {
            y[i] = y[i].sub_mul(x[i][k], y[k]);
        }
    }
}
