//! Solution of n <= 32 in one launch: factors stay in registers, a row a lane.

use simt::warp;

use crate::lu::NON_FINITE;
use crate::matrix::View;
use crate::small::factor::{factor, is_finite};
use crate::small::number::Number;
use crate::small::stage::Stage;
use crate::solve::FactorSolveArgs;
use crate::team::Team;

/// Right-hand sides that are solved at the same time, where there are several.
const PASS: usize = 4;

/// The body of the kernel for orders up to `N`, with `L` lanes a matrix.
#[inline(always)]
pub fn factor_solve_small<T: Number, const N: usize, const L: usize>(args: FactorSolveArgs<T>) {
    let n = args.n;
    let team = Team::<L>::new(args.first, args.end);
    let Some(from) = Stage::<T, N, L>::new(args.a, n, args.first, args.end) else { return };
    from.fetch();
    let mut x = from.row(&team); // row `team.row` of A: [N]

    let factored = factor(&team, &mut x, n);
    let status = if is_finite(&team, &x) { factored.status } else { NON_FINITE };
    for c in 0..N {
        x[c] = team.broadcast(x[c], factored.holder); // now row `team.row` of the factors
    }

    if args.rhs == 1 {
        pass::<T, N, L, 1>(args, &team, &x, factored.holder, status, 0);
    } else {
        let mut column = 0;
        while column < args.rhs {
            pass::<T, N, L, PASS>(args, &team, &x, factored.holder, status, column);
            column += PASS as u32;
        }
    }
    if team.active && team.row == 0 {
        args.status.store(team.matrix as i64, status);
    }
}

/// Solves for up to `P` right-hand sides from `column` on; row `team.row` of PA is row `from` of A.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn pass<T: Number, const N: usize, const L: usize, const P: usize>(
    args: FactorSolveArgs<T>,
    team: &Team<L>,
    x: &[T; N],
    from: u32,
    status: i32,
    column: u32,
) {
    let n = args.n;
    let has_row = team.active && team.row < n;
    let columns = if has_row { args.rhs - column } else { 0 };
    let b = args.b.matrix(team.matrix);
    let mut y = [T::ZERO; P]; // this row of the right-hand sides
    for p in 0..P {
        if (p as u32) < columns {
            y[p] = b.load(from, column + p as u32);
        }
    }

    for k in 0..N {
        if (k as u32) < n {
            let l = if team.row > k as u32 { x[k] } else { T::ZERO };
            for p in 0..P {
                y[p] = y[p].sub_mul(l, team.broadcast(y[p], k as u32));
            }
        }
    }
    let mut diagonal = T::ONE;
    for c in 0..N {
        diagonal = if team.row == c as u32 { x[c] } else { diagonal };
    }
    let reciprocal = diagonal.reciprocal();
    for k in (0..N).rev() {
        if (k as u32) < n {
            let u = if team.row < k as u32 { x[k] } else { T::ZERO };
            for p in 0..P {
                let quotient = if reciprocal == T::ZERO { y[p].divide(diagonal.divisor()) } else { y[p] * reciprocal };
                let known = team.broadcast(quotient, k as u32);
                y[p] = if team.row == k as u32 { known } else { y[p].sub_mul(u, known) };
            }
        }
    }

    let solution = args.x.matrix(team.matrix);
    warp::sync(warp::ALL); // `x` may be `b`, and rows are permuted
    for p in 0..P {
        if (p as u32) < columns {
            solution.store(team.row, column + p as u32, if status == 0 { y[p] } else { T::NAN });
        }
    }
}
