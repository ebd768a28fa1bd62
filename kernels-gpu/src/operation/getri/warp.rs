//! Inverse from LU factors for n <= 32, in place in registers: `N` lanes per matrix, one row each.

use simt::warp;

use crate::collective::permutation;
use crate::collective::thread_group::ThreadGroup;
use crate::memory::matrix::View;
use crate::numbers::scalar::Scalar;
use crate::operation::GetriArgs;
use crate::operation::NON_FINITE;

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn getri<T: Scalar, const N: usize>(args: GetriArgs<T>) {
    let n = args.n;
    let group = ThreadGroup::<N>::new(args.first, args.end);
    let b = group.matrix as i64;
    let mut x = group.load_row(&args.lu.matrix(group.matrix), n); // row `group.row` of LU: shape (N)
    let mut status = if group.active { args.lu_status.load(b) } else { 0 };
    let pivot =
        if group.active && group.row < n { args.pivots.load(b * n as i64 + group.row as i64) } else { group.row };

    // W U = I, down the rows of U: row k of U is broadcast, and overwritten by row k of W.
    for k in 0..N {
        if k as u32 >= n {
            break;
        }
        let diagonal = group.broadcast(x[k], k as u32).divisor();
        let own = group.row == k as u32;
        let above = group.row < k as u32;
        if own || above {
            x[k] = (if own { T::ONE } else { x[k] }).divide(diagonal);
        }
        for c in k + 1..N {
            let u = group.broadcast(x[c], k as u32);
            let from = if own { T::ZERO } else { x[c] };
            if own || above {
                x[c] = from.sub_mul(x[k], u);
            }
        }
    }

    // W L = U^-1, from the last column to the first: column c holds U^-1 down to the diagonal, and L below.
    for c in (0..N).rev() {
        if (c as u32) < n {
            let below = group.row > c as u32;
            let l = x[c];
            let mut w = if below { T::ZERO } else { x[c] };
            for k in c + 1..N {
                if (k as u32) < n {
                    w = w.sub_mul(x[k], group.broadcast(l, k as u32));
                }
            }
            x[c] = w;
        }
    }

    let mut finite = true;
    for c in 0..N {
        finite &= x[c].is_finite() || c as u32 >= n;
    }
    if group.any(!finite && group.row < n) && status == 0 {
        status = NON_FINITE;
    }

    // Column c of W is column `permutation[c]` of the inverse.
    let permutation = permutation::row_by_group(&group, pivot, n);
    let inverse = args.inverse.matrix(group.matrix);
    warp::sync(warp::ALL); // the outputs may be the inputs that other lanes have read
    for c in 0..N {
        if (c as u32) < n {
            let column = group.broadcast(permutation, c as u32);
            if group.active && group.row < n {
                inverse.store(group.row, column, if status == 0 { x[c] } else { T::NAN });
            }
        }
    }
    if group.active && group.row == 0 {
        args.status.store(b, status);
    }
}
