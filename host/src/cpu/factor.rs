//! LU with partial pivoting (LAPACK `xGETRF`): right-looking, in blocks.

use faer::MatMut;
use faer::reborrow::{Reborrow, ReborrowMut};
use kernels_gpu::lu::NON_FINITE;
use kernels_gpu::scalar::{Real, Scalar};

use super::solve::{Diagonal, solve_lower};
use super::{BLOCK, CpuScalar, RealOf, is_finite, subtract_product};

/// Factors `a` (n x n) in place; `pivots` (n) become the sequential interchanges, zero-based.
///
/// Returns 0, or k where U[k-1][k-1] is the first exact zero, or [`NON_FINITE`].
pub(crate) fn factor<T: CpuScalar>(a: MatMut<'_, T>, pivots: &mut [u32]) -> i32 {
    factor_in_blocks(a, pivots, BLOCK)
}

fn factor_in_blocks<T: CpuScalar>(mut a: MatMut<'_, T>, pivots: &mut [u32], block: usize) -> i32 {
    let n = a.nrows();
    let mut status = 0;
    for k0 in (0..n).step_by(block) {
        let k1 = (k0 + block).min(n);
        let zero = factor_panel(a.rb_mut().submatrix_mut(k0, k0, n - k0, k1 - k0), &mut pivots[k0..k1]);
        if let Some(k) = zero
            && status == 0
        {
            status = (k0 + k + 1) as i32;
        }
        for k in k0..k1 {
            pivots[k] += k0 as u32;
            for j in (0..k0).chain(k1..n) {
                swap(&mut a, j, k, pivots[k] as usize);
            }
        }
        let rest = a.rb_mut().submatrix_mut(k0, k0, n - k0, n - k0);
        let (panel, right) = rest.split_at_col_mut(k1 - k0);
        let (l11, l21) = panel.rb().split_at_row(k1 - k0);
        let (mut u12, a22) = right.split_at_row_mut(k1 - k0);
        solve_lower(l11, u12.rb_mut(), Diagonal::Unit);
        subtract_product(a22, l21, u12.rb());
    }
    if is_finite(a.rb()) { status } else { NON_FINITE }
}

/// Factors a tall panel in place, column by column (LAPACK `xGETF2`). The first column with a zero pivot, if any.
fn factor_panel<T: CpuScalar>(mut a: MatMut<'_, T>, pivots: &mut [u32]) -> Option<usize> {
    let (m, width) = (a.nrows(), a.ncols());
    let mut zero = None;
    for k in 0..width {
        let mut pivot = k;
        let mut largest = magnitude(a[(k, k)]);
        for i in k + 1..m {
            let candidate = magnitude(a[(i, k)]);
            if candidate > largest {
                (largest, pivot) = (candidate, i);
            }
        }
        pivots[k] = pivot as u32;
        for j in 0..width {
            swap(&mut a, j, k, pivot);
        }

        let diagonal = a[(k, k)];
        if diagonal == T::ZERO {
            zero = zero.or(Some(k));
        } else {
            let divisor = diagonal.divisor();
            for i in k + 1..m {
                a[(i, k)] = a[(i, k)].divide(divisor);
            }
        }
        for j in k + 1..width {
            let u = a[(k, j)];
            for i in k + 1..m {
                a[(i, j)] = a[(i, j)].sub_mul(a[(i, k)], u);
            }
        }
    }
    zero
}

/// The magnitude by which candidates are compared; NaN counts as 0.
fn magnitude<T: CpuScalar>(x: T) -> RealOf<T> {
    let m = Scalar::abs1(x);
    if m >= RealOf::<T>::from_f64(0.0) { m } else { RealOf::<T>::from_f64(0.0) }
}

fn swap<T: CpuScalar>(a: &mut MatMut<'_, T>, column: usize, i: usize, j: usize) {
    if i != j {
        (a[(i, column)], a[(j, column)]) = (a[(j, column)], a[(i, column)]);
    }
}
