//! LU of n <= 32 in one launch, in registers.

use crate::lu::{LuArgs, NON_FINITE};
use crate::small::factor::{factor, is_finite};
use crate::small::pivot::Rows;
use crate::small::stage::Stage;
use crate::team::Team;
use crate::wide::Wide;

/// The body of the kernel for orders up to `N`, with `L` lanes of `R` rows a matrix.
#[inline(always)]
pub fn lu_small<T: Wide, const N: usize, const L: usize, const R: usize>(args: LuArgs<T>) {
    // Compiled for order N, too: there places are known, and nothing is compared with n.
    if args.n == N as u32 {
        factor_matrices::<T, N, L, R>(args, N as u32);
    } else {
        factor_matrices::<T, N, L, R>(args, args.n);
    }
}

/// Factors this warp's matrices, of order `n`.
#[inline(always)]
fn factor_matrices<T: Wide, const N: usize, const L: usize, const R: usize>(args: LuArgs<T>, n: u32) {
    let team = Team::<L>::new(args.first, args.end);
    let Some(source) = Stage::<T, N, L>::new(args.a, n, args.first, args.end) else { return };
    let Some(to) = Stage::<T, N, L>::new(args.lu, n, args.first, args.end) else { return };
    let mut x = source.rows::<R>(&team); // rows `team.nth_row(r)` of A: (R, N)

    let factored = factor(&team, &mut x, n);
    let finite = is_finite(&team, &x);

    let Rows { step, from, .. } = factored.rows;
    to.send(&team, &x, step, None);
    for r in 0..R {
        if team.active && team.nth_row(r) < n {
            args.pivots.store(team.matrix as i64 * n as i64 + step[r] as i64, from[r]);
        }
    }
    if team.active && team.row == 0 {
        args.status.store(team.matrix as i64, if finite { factored.status } else { NON_FINITE });
    }
}
