//! Inverse from LU factors.

use faer::{MatMut, MatRef};

use super::{CpuScalar, solve};
use crate::op::Op;

/// Writes A^-1 to `out`, from the factors of A: the solution of A X = I.
pub(crate) fn invert<T: CpuScalar>(lu: MatRef<'_, T>, pivots: &[u32], mut out: MatMut<'_, T>) {
    for j in 0..out.ncols() {
        for i in 0..out.nrows() {
            out[(i, j)] = if i == j { T::ONE } else { T::ZERO };
        }
    }
    solve(lu, pivots, Op::None, out);
}
