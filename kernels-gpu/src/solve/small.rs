//! Solution of n <= 32 in one launch: the factors stay in registers, where the factorization leaves them.

use simt::shared::Shared;
use simt::warp;

use crate::lu::NON_FINITE;
use crate::matrix::{GlobalMatrix, View};
use crate::scalar::Scalar;
use crate::small::factor::{factor, is_finite};
use crate::small::pivot_order;
use crate::small::stage::Stage;
use crate::solve::FactorSolveArgs;
use crate::team::Team;
use crate::wide::Wide;

/// The body of the kernel for orders up to `N`, with `L` lanes of `R` rows a matrix.
#[inline(always)]
pub fn factor_solve_small<T: Wide, const N: usize, const L: usize, const R: usize>(args: FactorSolveArgs<T>) {
    // Compiled for order N, too: there places are known, and nothing is compared with n.
    if args.n == N as u32 {
        solve_systems::<T, N, L, R>(args, N as u32);
    } else {
        solve_systems::<T, N, L, R>(args, args.n);
    }
}

/// Solves this warp's systems, of order `n`.
#[inline(always)]
fn solve_systems<T: Wide, const N: usize, const L: usize, const R: usize>(args: FactorSolveArgs<T>, n: u32) {
    let team = Team::<L>::new(args.first, args.end);
    let Some(from) = Stage::<T, N, L>::new(args.a, n, args.first, args.end) else { return };
    let mut x = from.rows::<R>(&team); // rows `team.nth_row(r)` of A: (R, N)

    let factored = factor(&team, &mut x, n);
    let mut status = if is_finite(&team, &x) { factored.status } else { NON_FINITE };
    let order = pivot_order::<T, N, L, R>(&team, &factored.rows, n);
    let factors = Factors { team, x, step: factored.rows.step, order, n };
    let diagonal = factors.diagonal();

    let (b, solution) = (args.b.matrix(team.matrix), args.x.matrix(team.matrix));
    let mut column = 0;
    while column < args.rhs {
        let mut y = [T::ZERO; R]; // of this lane's rows
        for r in 0..R {
            if team.active && team.nth_row(r) < n {
                y[r] = b.load(team.nth_row(r), column);
            }
        }
        factors.forward(&mut y);
        factors.backward(&mut y, diagonal);
        let mut own = [[T::ZERO]; R];
        for r in 0..R {
            own[r] = [y[r]];
        }
        if !is_finite(&team, &own) && status == 0 {
            status = NON_FINITE;
        }
        warp::sync(warp::ALL); // `x` may be `b`, and rows are permuted
        factors.store(&solution, column, &y);
        column += 1;
    }
    if status != 0 {
        column = 0;
        while column < args.rhs {
            factors.store(&solution, column, &[T::NAN; R]);
            column += 1;
        }
    }
    if team.active && team.row == 0 {
        args.status.store(team.matrix as i64, status);
    }
}

/// A team's factors, with their rows where they were.
struct Factors<T, const N: usize, const L: usize, const R: usize> {
    team: Team<L>,
    /// This lane's rows: (R, N).
    x: [[T; N]; R],
    /// The rows of the factors that they are.
    step: [u32; R],
    /// The row that is row k of the factors; shape (N).
    order: Shared<u32>,
    n: u32,
}

impl<T: Scalar, const N: usize, const L: usize, const R: usize> Factors<T, N, L, R> {
    /// Stores a column of the solution.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, x: &GlobalMatrix<T>, column: u32, y: &[T; R]) {
        for r in 0..R {
            if self.team.active && self.team.nth_row(r) < self.n {
                x.store(self.step[r], column, y[r]);
            }
        }
    }

    /// The diagonal elements of this lane's rows.
    #[inline(always)]
    fn diagonal(&self) -> [T; R] {
        let mut diagonal = [T::ONE; R];
        for r in 0..R {
            for c in 0..N {
                diagonal[r] = if self.step[r] == c as u32 { self.x[r][c] } else { diagonal[r] };
            }
        }
        diagonal
    }

    /// The rows that are rows `k..k + 4` of the factors; k is a multiple of 4.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn rows(&self, k: usize) -> [u32; 4] {
        self.order.vectors::<4>().load(k as u32 / 4).0
    }

    /// The element of `y` that belongs to row `row`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn known(&self, y: &[T; R], row: u32) -> T {
        let mut own = y[0];
        for r in 1..R {
            own = if row / L as u32 == r as u32 { y[r] } else { own };
        }
        self.team.broadcast(own, row % L as u32)
    }

    /// Solves L z = y, elements by rows of this lane.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn forward(&self, y: &mut [T; R]) {
        for first in (0..N).step_by(4) {
            let rows = self.rows(first);
            for k in first..first + 4 {
                if (k as u32) < self.n {
                    let known = self.known(y, rows[k - first]);
                    for r in 0..R {
                        y[r] = if self.step[r] > k as u32 { y[r].sub_mul(self.x[r][k], known) } else { y[r] };
                    }
                }
            }
        }
    }

    /// Solves U z = y, elements by rows of this lane.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn backward(&self, y: &mut [T; R], diagonal: [T; R]) {
        let mut reciprocals = [T::ONE; R];
        for r in 0..R {
            reciprocals[r] = diagonal[r].reciprocal();
        }
        for first in (0..N).step_by(4).rev() {
            let rows = self.rows(first);
            for k in (first..first + 4).rev() {
                if (k as u32) < self.n {
                    let mut quotients = *y;
                    for r in 0..R {
                        let is_moderate = diagonal[r].is_moderate();
                        quotients[r] =
                            if is_moderate { y[r] * reciprocals[r] } else { y[r].divide(diagonal[r].divisor()) };
                    }
                    let known = self.known(&quotients, rows[k - first]);
                    for r in 0..R {
                        y[r] = if self.step[r] < k as u32 { y[r].sub_mul(self.x[r][k], known) } else { y[r] };
                        y[r] = if self.step[r] == k as u32 { known } else { y[r] };
                    }
                }
            }
        }
    }
}
