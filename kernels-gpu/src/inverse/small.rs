//! Inversion of n <= 32 in one launch: Gauss-Jordan elimination in place, in registers.
//!
//! Rows never move. A pivot row is scaled when all is done, so a step does the same to all other rows, finished or not.
//! The columns rotate by one a step: the current one is always in front, and its successor in the inverse goes to the end.

use simt::{hint, warp};

use crate::inverse::InvertArgs;
use crate::lu::NON_FINITE;
use crate::scalar::Scalar;
use crate::small::factor::is_finite;
use crate::small::pivot::{Rows, Ties, divide, large};
use crate::small::stage::Stage;
use crate::small::{column, hand_out, pivot_order, pivot_rows};
use crate::team::Team;
use crate::wide::Wide;

/// The body of the kernel for orders up to `N`, with `L` lanes of `R` rows a matrix.
#[inline(always)]
pub fn invert_small<T: Wide, const N: usize, const L: usize, const R: usize>(args: InvertArgs<T>) {
    // Compiled for order N, too: there places are known, and nothing is compared with n.
    if args.n == N as u32 {
        invert_matrices::<T, N, L, R>(args, N as u32);
    } else {
        invert_matrices::<T, N, L, R>(args, args.n);
    }
}

/// Inverts this warp's matrices, of order `n`.
#[inline(always)]
fn invert_matrices<T: Wide, const N: usize, const L: usize, const R: usize>(args: InvertArgs<T>, n: u32) {
    let team = Team::<L>::new(args.first, args.end);
    let Some(from) = Stage::<T, N, L>::new(args.a, n, args.first, args.end) else { return };
    let Some(to) = Stage::<T, N, L>::new(args.inverse, n, args.first, args.end) else { return };
    let mut x = from.rows::<R>(&team); // rows `team.nth_row(r)` of A: (R, N)
    let pivots = pivot_rows::<T, N, L>(&team); // the pivot rows of even and of odd steps: (2, N)
    warp::sync(warp::ALL); // they take the place of matrices that other lanes have read

    let mut rows = Rows::<R>::new(&team, n, Ties::Last);
    let mut pivot = [T::ONE; R]; // of the steps in which these rows were the pivot rows
    let mut status = 0;
    let mut k = 0;
    while k < hint::opaque(n) {
        let current = column(&x, 0);
        let tag = large(&team, &rows, current);
        let own = rows.choose(tag, k);
        let pivot_row = pivots.offset(k % 2 * N as u32);
        hand_out(pivot_row, &x, own, 0..N / T::VECTOR);
        warp::sync(warp::ALL);

        let mut l = divide(current, T::load_vector(pivot_row, 0)[0], k, &mut status);
        let mut last = [T::ONE; R];
        for r in 0..R {
            pivot[r] = if own[r] { current[r] } else { pivot[r] };
            last[r] = if own[r] { T::ONE } else { -l[r] };
            l[r] = if own[r] { T::ZERO } else { l[r] };
        }
        for v in 0..N / T::VECTOR {
            let u = T::load_vector(pivot_row, v as u32);
            for i in 0..T::VECTOR {
                let c = v * T::VECTOR + i;
                if c > 0 {
                    for r in 0..R {
                        x[r][c - 1] = x[r][c].sub_mul(l[r], u[i]);
                    }
                }
            }
        }
        for r in 0..R {
            x[r][N - 1] = last[r];
        }
        k += 1;
    }

    for r in 0..R {
        scale(&mut x[r], pivot[r]);
    }
    // A pivot that is not finite may leave no other trace.
    let mut finite = is_finite(&team, &x);
    for r in 0..R {
        finite &= is_finite(&team, &[[pivot[r]]]);
    }
    if !finite {
        status = NON_FINITE;
    }

    if status != 0 {
        for r in 0..R {
            replace(&mut x[r], |_| T::NAN);
        }
    }
    let order = pivot_order::<T, N, L, R>(&team, &rows, n); // after it the matrices take the place of the pivot rows
    // Row `step`, and the column of the row that was the pivot row then, are in the places of the inverse.
    to.send(&team, &x, rows.step, Some(order));
    if team.active && team.row == 0 {
        args.status.store(team.matrix as i64, status);
    }
}

/// Divides a row by its pivot, unless that is 0.
#[inline(always)]
fn scale<T: Scalar, const N: usize>(x: &mut [T; N], pivot: T) {
    if pivot.is_moderate() {
        let reciprocal = pivot.reciprocal();
        for c in 0..N {
            x[c] = x[c] * reciprocal;
        }
    } else {
        let divisor = (if pivot == T::ZERO { T::ONE } else { pivot }).divisor();
        replace(x, |number| number.divide(divisor));
    }
}

/// Replaces each number, all by one piece of code: for what is rare.
#[inline(always)]
fn replace<T: Scalar, const N: usize>(x: &mut [T; N], by: impl Fn(T) -> T) {
    let mut c = 0;
    while c < hint::opaque(N as u32) {
        let number = by(x[0]);
        for i in 1..N {
            x[i - 1] = x[i];
        }
        x[N - 1] = number;
        c += 1;
    }
}
