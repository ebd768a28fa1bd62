//! LU of n <= 32 in one launch: a row a lane, in registers.

use crate::lu::{LuArgs, NON_FINITE};
use crate::small::factor::{factor, is_finite};
use crate::small::stage::Stage;
use crate::team::Team;
use crate::wide::Wide;

/// The body of the kernel for orders up to `N`, with `L` lanes a matrix.
#[inline(always)]
pub fn lu_small<T: Wide, const N: usize, const L: usize>(args: LuArgs<T>) {
    let n = args.n;
    let team = Team::<L>::new(args.first, args.end);
    let Some(from) = Stage::<T, N, L>::new(args.a, n, args.first, args.end) else { return };
    let Some(to) = Stage::<T, N, L>::new(args.lu, n, args.first, args.end) else { return };
    from.fetch();
    let mut x = from.row(&team); // row `team.row` of A: [N]

    let factored = factor(&team, &mut x, n);
    let finite = is_finite(&team, &x);

    let has_row = team.active && team.row < n;
    for c in 0..N {
        if has_row && (c as u32) < n {
            to.put(&team, factored.row.step, c as u32, x[c]);
        }
    }
    if has_row {
        args.pivots.store(team.matrix as i64 * n as i64 + factored.row.step as i64, factored.row.from);
    }
    to.flush();
    if team.active && team.row == 0 {
        args.status.store(team.matrix as i64, if finite { factored.status } else { NON_FINITE });
    }
}
