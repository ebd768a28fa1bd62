//! Solution from LU factors (LAPACK `xGETRS`).

use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef};
use kernels_gpu::scalar::Scalar;

use super::{BLOCK, CpuScalar, subtract_product};
use crate::op::Op;

/// Whether a triangle's diagonal is all ones, and not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Diagonal {
    Unit,
    Stored,
}

/// Overwrites `b` (n x k) with op(A)^-1 b, from the factors of A.
pub(crate) fn solve<T: CpuScalar>(lu: MatRef<'_, T>, pivots: &[u32], op: Op, mut b: MatMut<'_, T>) {
    if op == Op::None {
        for (k, &p) in pivots.iter().enumerate() {
            swap_rows(&mut b, k, p as usize);
        }
        solve_lower(lu, b.rb_mut(), Diagonal::Unit);
        solve_upper(lu, b.rb_mut(), Diagonal::Stored);
        return;
    }
    // The transposed factors are a lower triangle with a stored diagonal and an upper one with ones.
    let n = lu.nrows();
    let factors = Mat::from_fn(n, n, |i, j| if op == Op::Adjoint { Scalar::conj(lu[(j, i)]) } else { lu[(j, i)] });
    solve_lower(factors.as_ref(), b.rb_mut(), Diagonal::Stored);
    solve_upper(factors.as_ref(), b.rb_mut(), Diagonal::Unit);
    for (k, &p) in pivots.iter().enumerate().rev() {
        swap_rows(&mut b, k, p as usize);
    }
}

/// Overwrites `b` with L^-1 b, L the lower triangle of `l`.
pub(super) fn solve_lower<T: CpuScalar>(l: MatRef<'_, T>, mut b: MatMut<'_, T>, diagonal: Diagonal) {
    let n = l.nrows();
    for k0 in (0..n).step_by(BLOCK) {
        let k1 = (k0 + BLOCK).min(n);
        for c in 0..b.ncols() {
            for j in k0..k1 {
                if diagonal == Diagonal::Stored {
                    b[(j, c)] = b[(j, c)].divide(l[(j, j)].divisor());
                }
                for i in j + 1..k1 {
                    b[(i, c)] = b[(i, c)].sub_mul(l[(i, j)], b[(j, c)]);
                }
            }
        }
        let (done, below) = b.rb_mut().split_at_row_mut(k1);
        subtract_product(below, l.submatrix(k1, k0, n - k1, k1 - k0), done.rb().subrows(k0, k1 - k0));
    }
}

/// Overwrites `b` with U^-1 b, U the upper triangle of `u`.
pub(super) fn solve_upper<T: CpuScalar>(u: MatRef<'_, T>, mut b: MatMut<'_, T>, diagonal: Diagonal) {
    let n = u.nrows();
    for k0 in (0..n).step_by(BLOCK).rev() {
        let k1 = (k0 + BLOCK).min(n);
        for c in 0..b.ncols() {
            for j in (k0..k1).rev() {
                if diagonal == Diagonal::Stored {
                    b[(j, c)] = b[(j, c)].divide(u[(j, j)].divisor());
                }
                for i in k0..j {
                    b[(i, c)] = b[(i, c)].sub_mul(u[(i, j)], b[(j, c)]);
                }
            }
        }
        let (above, done) = b.rb_mut().split_at_row_mut(k0);
        subtract_product(above, u.submatrix(0, k0, k0, k1 - k0), done.rb().subrows(0, k1 - k0));
    }
}

fn swap_rows<T: CpuScalar>(b: &mut MatMut<'_, T>, i: usize, j: usize) {
    for c in 0..b.ncols() {
        (b[(i, c)], b[(j, c)]) = (b[(j, c)], b[(i, c)]);
    }
}
