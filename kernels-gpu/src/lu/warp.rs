//! LU of n <= 32 in registers: a row a lane, `N` lanes a matrix, no shared memory.
//!
//! Rows never move. Each lane knows the position its row has by now; the pivot row is broadcast from wherever it lies,
//! and rows go to their final positions when they are stored.

use simt::warp;

use crate::lu::{LuArgs, NON_FINITE};
use crate::matrix::View;
use crate::scalar::{Real, Scalar};
use crate::team::Team;

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn lu_warp<T: Scalar, const N: usize>(args: LuArgs<T>) {
    let n = args.n;
    let team = Team::<N>::new(args.first, args.end);
    let mut x = team.load_row(&args.a.matrix(team.matrix), n); // row `team.row` of A: [N]

    let mut position = team.row;
    let mut pivot = 0; // of column `team.row`
    let mut status = 0;
    for k in 0..N {
        let column = k as u32;
        if column >= n {
            break;
        }
        // Tags order by position first, so that ties go to the first row, as in LAPACK.
        let (_, tag) = team.largest(pivot_key(x[k], column <= position && position < n), position * 32 + team.row);
        let (best, owner) = (tag / 32, tag % 32);
        if position == column {
            position = best;
        }
        if team.row == owner {
            position = column;
        }
        if team.row == column {
            pivot = best;
        }

        let diagonal = team.broadcast(x[k], owner);
        let below = position > column;
        if diagonal == T::ZERO {
            status = if status == 0 { column as i32 + 1 } else { status };
        } else if below {
            x[k] = x[k].divide(diagonal.divisor());
        }
        let l = if below { x[k] } else { T::ZERO };
        for c in k + 1..N {
            let u = team.broadcast(x[c], owner);
            x[c] = x[c].sub_mul(l, u);
        }
    }

    let mut finite = true;
    for c in 0..N {
        finite &= x[c].is_finite() || c as u32 >= n;
    }
    if team.any(!finite && team.row < n) {
        status = NON_FINITE;
    }

    warp::sync(warp::ALL); // `lu` may be `a`, and rows go to other lanes' places
    if team.active && team.row < n {
        let lu = args.lu.matrix(team.matrix);
        for c in 0..N {
            if (c as u32) < n {
                lu.store(position, c as u32, x[c]);
            }
        }
        args.pivots.store(team.matrix as i64 * n as i64 + team.row as i64, pivot);
        if team.row == 0 {
            args.status.store(team.matrix as i64, status);
        }
    }
}

/// The magnitude by which a candidate is compared; NaN counts as 0, and what is no candidate as less.
#[inline(always)]
#[must_use]
pub fn pivot_key<T: Scalar>(x: T, candidate: bool) -> T::Real {
    let magnitude = x.abs1();
    if !candidate {
        T::Real::from_f64(-1.0)
    } else if magnitude >= T::Real::ZERO {
        magnitude
    } else {
        T::Real::ZERO
    }
}
