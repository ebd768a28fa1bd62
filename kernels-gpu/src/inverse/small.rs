//! Inversion of n <= 32 in one launch: Gauss-Jordan elimination in place, a row a lane, in registers.
//!
//! Rows never move. A pivot row is scaled when all is done, so a step does the same to all other rows, finished or not.
//! The columns rotate by one a step: the current one is always in front, and its successor in the inverse goes to the end.

use simt::{hint, warp};

use crate::inverse::InvertArgs;
use crate::lu::NON_FINITE;
use crate::scalar::Scalar;
use crate::small::factor::is_finite;
use crate::small::pivot::{Row, divide, large};
use crate::small::stage::Stage;
use crate::small::{pivot_order, pivot_rows};
use crate::team::Team;
use crate::wide::Wide;

/// The body of the kernel for orders up to `N`, with `L` lanes a matrix.
#[inline(always)]
pub fn invert_small<T: Wide, const N: usize, const L: usize>(args: InvertArgs<T>) {
    let n = args.n;
    let team = Team::<L>::new(args.first, args.end);
    let Some(from) = Stage::<T, N, L>::new(args.a, n, args.first, args.end) else { return };
    let Some(to) = Stage::<T, N, L>::new(args.inverse, n, args.first, args.end) else { return };
    from.fetch();
    let mut x = from.row(&team); // row `team.row` of A: [N]
    let pivots = pivot_rows::<T, N, L>(&team); // the pivot rows of even and of odd steps: (2, N)
    warp::sync(warp::ALL); // they take the place of matrices that other lanes have read

    let mut row = Row::new(&team, n);
    let mut pivot = T::ONE; // of the step in which this row was the pivot row
    let mut status = 0;
    let mut k = 0;
    while k < hint::opaque(n) {
        let tag = large(&team, &row, x[0]);
        let own = row.choose(tag, k);
        let pivot_row = pivots.offset(k % 2 * N as u32);
        pivot = if own { x[0] } else { pivot };
        if own {
            for v in 0..N / T::VECTOR {
                T::store_vector(pivot_row, v as u32, &x, v * T::VECTOR);
            }
        }
        warp::sync(warp::ALL);

        let l = divide(x[0], T::load_vector(pivot_row, 0)[0], k, &mut status);
        let l = if own { T::ZERO } else { l };
        for v in 0..N / T::VECTOR {
            let u = T::load_vector(pivot_row, v as u32);
            for i in 0..T::VECTOR {
                let c = v * T::VECTOR + i;
                if c > 0 {
                    x[c - 1] = x[c].sub_mul(l, u[i]);
                }
            }
        }
        x[N - 1] = if own { T::ONE } else { -l };
        k += 1;
    }

    scale(&mut x, pivot);
    // A pivot that is not finite may leave no other trace.
    if !is_finite(&team, &x) | !is_finite(&team, &[pivot]) {
        status = NON_FINITE;
    }

    let order = pivot_order::<T, N, L>(&team, &row, n); // after it the matrices take the place of the pivot rows
    // Row `row.step`, and the column of the row that was the pivot row then, are in the places of the inverse.
    for c in 0..N {
        let turned = c as u32 + n;
        let column = if turned < N as u32 { turned } else { turned - N as u32 };
        if team.active && team.row < n && column < n {
            to.put(&team, row.step, order.load(column), if status == 0 { x[c] } else { T::NAN });
        }
    }
    to.flush();
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
        let mut c = 0;
        while c < hint::opaque(N as u32) {
            let quotient = x[0].divide(divisor);
            for i in 1..N {
                x[i - 1] = x[i];
            }
            x[N - 1] = quotient;
            c += 1;
        }
    }
}
