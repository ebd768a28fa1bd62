//! Solution of n <= 32 in one launch: the factors stay in registers, a row a lane.

use simt::{hint, warp};

use crate::lu::NON_FINITE;
use crate::matrix::View;
use crate::scalar::Scalar;
use crate::small::factor::{factor, group, is_finite, rotated};
use crate::small::pivot_order;
use crate::small::stage::Stage;
use crate::solve::FactorSolveArgs;
use crate::team::Team;
use crate::wide::Wide;

/// The body of the kernel for orders up to `N`, with `L` lanes a matrix.
#[inline(always)]
pub fn factor_solve_small<T: Wide, const N: usize, const L: usize>(args: FactorSolveArgs<T>) {
    let n = args.n;
    let team = Team::<L>::new(args.first, args.end);
    let Some(from) = Stage::<T, N, L>::new(args.a, n, args.first, args.end) else { return };
    from.fetch();
    let mut x = from.row(&team); // row `team.row` of A: [N]

    let factored = factor(&team, &mut x, n);
    let status = if is_finite(&team, &x) { factored.status } else { NON_FINITE };
    let order = pivot_order::<T, N, L>(&team, &factored.row, n);
    let source = if team.row < n { order.load(team.row) } else { 0 }; // the row of A that becomes row `team.row`
    permute(&team, &mut x, source);
    let mut diagonal = T::ONE;
    for c in 0..N {
        diagonal = if team.row == c as u32 { x[c] } else { diagonal };
    }

    let has_row = team.active && team.row < n;
    let (b, solution) = (args.b.matrix(team.matrix), args.x.matrix(team.matrix));
    let mut column = 0;
    while column < args.rhs {
        let y = if has_row { b.load(source, column) } else { T::ZERO };
        let y = backward(&team, &x, diagonal, forward(&team, &x, y, n), n);
        warp::sync(warp::ALL); // `x` may be `b`, and rows are permuted
        if has_row {
            solution.store(team.row, column, if status == 0 { y } else { T::NAN });
        }
        column += 1;
    }
    if team.active && team.row == 0 {
        args.status.store(team.matrix as i64, status);
    }
}

/// Makes row `source` of the team this lane's. Columns in groups, as in [`factor`].
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn permute<T: Scalar, const N: usize, const L: usize>(team: &Team<L>, x: &mut [T; N], source: u32) {
    let group = group(N);
    let mut first = 0;
    while first < hint::opaque(N as u32) {
        for c in 0..group {
            x[c] = team.broadcast(x[c], source);
        }
        *x = rotated(x, group);
        first += group as u32;
    }
}

/// Solves L z = y; this lane has row `team.row` of each.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn forward<T: Scalar, const N: usize, const L: usize>(team: &Team<L>, x: &[T; N], mut y: T, n: u32) -> T {
    for k in 0..N {
        if (k as u32) < n {
            let known = team.broadcast(y, k as u32);
            y = if team.row > k as u32 { y.sub_mul(x[k], known) } else { y };
        }
    }
    y
}

/// Solves U z = y; this lane has row `team.row` of each, and that row's diagonal element.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn backward<T: Scalar, const N: usize, const L: usize>(team: &Team<L>, x: &[T; N], diagonal: T, mut y: T, n: u32) -> T {
    let reciprocal = diagonal.reciprocal();
    for k in (0..N).rev() {
        if (k as u32) < n {
            let quotient = if diagonal.is_moderate() { y * reciprocal } else { y.divide(diagonal.divisor()) };
            let known = team.broadcast(quotient, k as u32);
            y = if team.row < k as u32 { y.sub_mul(x[k], known) } else { y };
            y = if team.row == k as u32 { known } else { y };
        }
    }
    y
}
