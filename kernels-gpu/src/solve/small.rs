//! Solution of n <= 32 in one launch: the factors stay in registers.

use simt::{hint, warp};

use crate::lu::NON_FINITE;
use crate::matrix::View;
use crate::scalar::Scalar;
use crate::small::factor::{factor, is_finite, rotated};
use crate::small::number::Number;
use crate::small::pivot_order;
use crate::small::stage::Stage;
use crate::solve::FactorSolveArgs;
use crate::team::Team;

/// The body of the kernel for orders up to `N`, with `L` lanes a matrix and `P` rows a lane.
#[inline(always)]
pub fn factor_solve_small<T: Number, const N: usize, const L: usize, const P: usize>(args: FactorSolveArgs<T>) {
    let n = args.n;
    let team = Team::<L>::new(args.first, args.end);
    let Some(from) = Stage::<T, N, L>::new(args.a, n, args.first, args.end) else { return };
    from.fetch();
    let mut x: [[T; N]; P] = from.rows(&team); // of A

    let factored = factor(&team, &mut x, n);
    let status = if is_finite(&team, &x) { factored.status } else { NON_FINITE };
    let order = pivot_order::<T, N, L, P>(&team, &factored.rows, n);
    let mut source = [0; P]; // which rows of A have become the rows of this lane
    for p in 0..P {
        source[p] = if team.nth_row(p) < n { order.load(team.nth_row(p)) } else { 0 };
    }
    permute(&team, &mut x, &source);
    let mut diagonal = [T::ONE; P];
    for p in 0..P {
        for c in 0..N {
            diagonal[p] = if team.nth_row(p) == c as u32 { x[p][c] } else { diagonal[p] };
        }
    }

    let (b, solution) = (args.b.matrix(team.matrix), args.x.matrix(team.matrix));
    let mut column = 0;
    while column < args.rhs {
        let mut y = [T::ZERO; P];
        for p in 0..P {
            if team.active && team.nth_row(p) < n {
                y[p] = b.load(source[p], column);
            }
        }
        forward(&team, &x, &mut y, n);
        backward(&team, &x, &diagonal, &mut y, n);
        warp::sync(warp::ALL); // `x` may be `b`, and rows are permuted
        for p in 0..P {
            if team.active && team.nth_row(p) < n {
                solution.store(team.nth_row(p), column, if status == 0 { y[p] } else { T::NAN });
            }
        }
        column += 1;
    }
    if team.active && team.row == 0 {
        args.status.store(team.matrix as i64, status);
    }
}

/// Makes the `source[p]`-th row of the team row `p` of this lane. Columns in groups, as in [`factor`].
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn permute<T: Scalar, const N: usize, const L: usize, const P: usize>(
    team: &Team<L>,
    x: &mut [[T; N]; P],
    source: &[u32; P],
) {
    let group = if N < 8 { N } else { 8 };
    let mut first = 0;
    while first < hint::opaque(N as u32) {
        for c in 0..group {
            let mut column = [T::ZERO; P];
            for p in 0..P {
                column[p] = team.broadcast(x[0][c], source[p] % L as u32);
                for q in 1..P {
                    let other = team.broadcast(x[q][c], source[p] % L as u32);
                    column[p] = if source[p] / L as u32 == q as u32 { other } else { column[p] };
                }
            }
            for p in 0..P {
                x[p][c] = column[p];
            }
        }
        for p in 0..P {
            x[p] = rotated(&x[p], group);
        }
        first += group as u32;
    }
}

/// Solves L z = y; this lane has the same rows of each.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn forward<T: Scalar, const N: usize, const L: usize, const P: usize>(
    team: &Team<L>,
    x: &[[T; N]; P],
    y: &mut [T; P],
    n: u32,
) {
    for k in 0..N {
        if (k as u32) < n {
            let known = team.broadcast(y[k / L], (k % L) as u32);
            for p in k / L..P {
                y[p] = if team.nth_row(p) > k as u32 { y[p].sub_mul(x[p][k], known) } else { y[p] };
            }
        }
    }
}

/// Solves U z = y; this lane has the same rows of each, and those rows' diagonal elements.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn backward<T: Number, const N: usize, const L: usize, const P: usize>(
    team: &Team<L>,
    x: &[[T; N]; P],
    diagonal: &[T; P],
    y: &mut [T; P],
    n: u32,
) {
    let mut reciprocal = [T::ZERO; P];
    for p in 0..P {
        reciprocal[p] = diagonal[p].reciprocal();
    }
    for k in (0..N).rev() {
        if (k as u32) < n {
            let own = k / L;
            let quotient = if diagonal[own].is_moderate() {
                y[own] * reciprocal[own]
            } else {
                y[own].divide(diagonal[own].divisor())
            };
            let known = team.broadcast(quotient, (k % L) as u32);
            for p in 0..own + 1 {
                y[p] = if team.nth_row(p) < k as u32 { y[p].sub_mul(x[p][k], known) } else { y[p] };
            }
            y[own] = if team.nth_row(own) == k as u32 { known } else { y[own] };
        }
    }
}
