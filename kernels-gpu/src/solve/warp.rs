//! Solve of n <= 32 in registers: a row of the factors a lane, `N` lanes a matrix.

use simt::warp;

use crate::inverse::warp::permutation;
use crate::lu::NON_FINITE;
use crate::matrix::View;
use crate::scalar::Scalar;
use crate::solve::SolveArgs;
use crate::team::Team;

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn solve_warp<T: Scalar, const N: usize>(args: SolveArgs<T>) {
    let n = args.n;
    let transposed = args.transposed != 0;
    let team = Team::<N>::new(args.first, args.end);
    let b = team.matrix as i64;
    let has_row = team.active && team.row < n;

    // The transposed factors are a lower and an upper triangle too; only the unit diagonal changes sides.
    let lu = args.lu.matrix(team.matrix);
    let mut x = team.load_row(&if transposed { lu.transposed() } else { lu }, n); // row of the factors: [N]
    if args.conjugated != 0 {
        for c in 0..N {
            x[c] = x[c].conj();
        }
    }
    let mut diagonal = T::ONE;
    for c in 0..N {
        if team.row == c as u32 {
            diagonal = x[c];
        }
    }
    let diagonal = diagonal.divisor();
    let pivot = if has_row { args.pivots.load(b * n as i64 + team.row as i64) } else { team.row };
    let row = permutation(&team, pivot, n);
    let mut status = if team.active { args.lu_status.load(b) } else { 0 };
    let mut finite = true;

    let (from, to) = (args.b.matrix(team.matrix), args.x.matrix(team.matrix));
    let mut column = 0;
    while column < args.rhs {
        let mut y = T::ZERO;
        if has_row {
            y = from.load(if transposed { team.row } else { row }, column);
        }
        for k in 0..N {
            if (k as u32) < n {
                if transposed && team.row == k as u32 {
                    y = y.divide(diagonal);
                }
                let known = team.broadcast(y, k as u32);
                if team.row > k as u32 {
                    y = y.sub_mul(x[k], known);
                }
            }
        }
        for k in (0..N).rev() {
            if (k as u32) < n {
                if !transposed && team.row == k as u32 {
                    y = y.divide(diagonal);
                }
                let known = team.broadcast(y, k as u32);
                if team.row < k as u32 {
                    y = y.sub_mul(x[k], known);
                }
            }
        }
        finite &= !has_row || y.is_finite();
        warp::sync(warp::ALL); // `x` may be `b`, and rows are permuted
        if has_row {
            to.store(if transposed { row } else { team.row }, column, y);
        }
        column += 1;
    }
    if team.any(!finite) && status == 0 {
        status = NON_FINITE;
    }
    if has_row && status != 0 {
        column = 0;
        while column < args.rhs {
            to.store(if transposed { row } else { team.row }, column, T::NAN);
            column += 1;
        }
    }
    if team.active && team.row == 0 {
        args.status.store(b, status);
    }
}
