//! Inverse from LU for n <= 32 in registers, in place: a row a lane, `N` lanes a matrix.

use simt::warp;

use crate::inverse::InverseArgs;
use crate::lu::NON_FINITE;
use crate::matrix::View;
use crate::scalar::Scalar;
use crate::team::Team;

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn inverse_warp<T: Scalar, const N: usize>(args: InverseArgs<T>) {
    let n = args.n;
    let team = Team::<N>::new(args.first, args.end);
    let b = team.matrix as i64;
    let mut x = team.load_row(&args.lu.matrix(team.matrix), n); // row `team.row` of LU: [N]
    let mut status = if team.active { args.lu_status.load(b) } else { 0 };
    let pivot = if team.active && team.row < n { args.pivots.load(b * n as i64 + team.row as i64) } else { team.row };

    // W U = I, down the rows of U: row k is broadcast, then gives way to row k of W.
    for k in 0..N {
        if k as u32 >= n {
            break;
        }
        let diagonal = team.broadcast(x[k], k as u32).divisor();
        let own = team.row == k as u32;
        let above = team.row < k as u32;
        if own || above {
            x[k] = (if own { T::ONE } else { x[k] }).divide(diagonal);
        }
        for c in k + 1..N {
            let u = team.broadcast(x[c], k as u32);
            let from = if own { T::ZERO } else { x[c] };
            if own || above {
                x[c] = from.sub_mul(x[k], u);
            }
        }
    }

    // W L = U^-1, from the last column to the first: column c of L is below the diagonal, that of U^-1 above.
    for c in (0..N).rev() {
        if (c as u32) < n {
            let below = team.row > c as u32;
            let l = x[c];
            let mut w = if below { T::ZERO } else { x[c] };
            for k in c + 1..N {
                if (k as u32) < n {
                    w = w.sub_mul(x[k], team.broadcast(l, k as u32));
                }
            }
            x[c] = w;
        }
    }

    let mut finite = true;
    for c in 0..N {
        finite &= x[c].is_finite() || c as u32 >= n;
    }
    if team.any(!finite && team.row < n) && status == 0 {
        status = NON_FINITE;
    }

    // Column c of W is column `permutation[c]` of the inverse.
    let permutation = permutation(&team, pivot, n);
    let inverse = args.inverse.matrix(team.matrix);
    warp::sync(warp::ALL); // `inverse` and `status` may be what other lanes have read
    for c in 0..N {
        if (c as u32) < n {
            let column = team.broadcast(permutation, c as u32);
            if team.active && team.row < n {
                inverse.store(team.row, column, if status == 0 { x[c] } else { T::NAN });
            }
        }
    }
    if team.active && team.row == 0 {
        args.status.store(b, status);
    }
}

/// Lane i's entry of the permutation whose interchange k lane k holds: row i of PA is row `permutation[i]` of A.
#[inline(always)]
pub(crate) fn permutation<const N: usize>(team: &Team<N>, pivot: u32, n: u32) -> u32 {
    let mut row = team.row;
    for k in 0..N {
        if (k as u32) < n {
            let p = team.broadcast(pivot, k as u32);
            let (upper, lower) = (team.broadcast(row, k as u32), team.broadcast(row, p));
            if team.row == p {
                row = upper;
            }
            if team.row == k as u32 {
                row = lower;
            }
        }
    }
    row
}
