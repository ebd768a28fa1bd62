//! LU of n <= 32 in one launch, in registers.

use crate::lu::{LuArgs, NON_FINITE};
use crate::small::factor::{factor, is_finite};
use crate::small::number::Number;
use crate::small::pivot::Row;
use crate::small::stage::Stage;
use crate::team::Team;

/// The body of the kernel for orders up to `N`, with `L` lanes a matrix and `P` rows a lane.
#[inline(always)]
pub fn lu_small<T: Number, const N: usize, const L: usize, const P: usize>(args: LuArgs<T>) {
    let n = args.n;
    let team = Team::<L>::new(args.first, args.end);
    let Some(from) = Stage::<T, N, L>::new(args.a, n, args.first, args.end) else { return };
    let Some(to) = Stage::<T, N, L>::new(args.lu, n, args.first, args.end) else { return };
    from.fetch();
    let mut x: [[T; N]; P] = from.rows(&team); // of A

    let factored = factor(&team, &mut x, n);
    let finite = is_finite(&team, &x);

    for p in 0..P {
        let has_row = team.active && team.nth_row(p) < n;
        for c in 0..N {
            if has_row && (c as u32) < n {
                to.put(&team, factored.rows[p].step, c as u32, x[p][c]);
            }
        }
        if has_row {
            let Row { step, from, .. } = factored.rows[p];
            args.pivots.store(team.matrix as i64 * n as i64 + step as i64, from);
        }
    }
    to.flush();
    if team.active && team.row == 0 {
        args.status.store(team.matrix as i64, if finite { factored.status } else { NON_FINITE });
    }
}
